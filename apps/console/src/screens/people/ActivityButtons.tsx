import type { UnifiedUser } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { notifyUndo } from '../../components/notify.js';
import { runBulk } from '../../components/runBulk.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { deleteUser } from './sources.js';

interface Props {
  users: readonly UnifiedUser[];
  onDone(): void;
}

/** Activates, deactivates and deletes several users. */
export function ActivityButtons({ users, onDone }: Props) {
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const set = (user: UnifiedUser, isActive: boolean) =>
    user.type === 'organization'
      ? api.updateOrgUser({ id: user.id, isActive })
      : api.updateTenantUser({ id: user.id, isActive });
  const setAll = async (isActive: boolean) => {
    const changed = users.filter((user) => user.isActive !== isActive);
    const verb = isActive ? 'activated' : 'deactivated';
    await runBulk(
      changed,
      (user) => set(user, isActive),
      (count) => `${count} users ${verb}`,
    );
    onDone();
    await cache.outdate('people');
    if (changed.length === 0) return;
    notifyUndo(`${changed.length} users ${verb}`, async () => {
      await runBulk(
        changed,
        (user) => set(user, !isActive),
        (count) => `${count} users restored`,
      );
      await cache.outdate('people');
    });
  };
  const removeAll = async () => {
    await runBulk(
      users,
      (user) => deleteUser(api, user),
      (count) => `${count} users deleted`,
    );
    onDone();
    await cache.outdate('people');
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => void setAll(true)}>
        Activate
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => void setAll(false)}>
        Deactivate
      </Button>
      <Button size="compact-sm" variant="light" color="red" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDelete
        name={`${users.length} users`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={removeAll}
      >
        Their shares and memberships end. What tenant users own passes to the default owner of their tenant.
        This cannot be undone; consider deactivating them.
      </ConfirmDelete>
    </>
  );
}
