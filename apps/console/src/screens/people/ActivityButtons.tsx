import type { UnifiedUser } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { notifyDone, notifyUndo } from '../../components/notify.js';
import { runBulk } from '../../components/runBulk.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useSession } from '../../session/SessionContext.js';
import { deleteUser } from './sources.js';

interface Props {
  users: readonly UnifiedUser[];
  onDone(): void;
}

/**
 * Activates, deactivates and deletes several users. The signed-in one is left out: without a session that
 * user could undo nothing.
 */
export function ActivityButtons({ users: selected, onDone }: Props) {
  const { user: self } = useSession();
  const users = selected.filter(({ id }) => id !== self.id);
  const hasSelf = users.length < selected.length;
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const set = (user: UnifiedUser, isActive: boolean) =>
    user.type === 'organization'
      ? api.updateOrgUser({ id: user.id, isActive })
      : api.updateTenantUser({ id: user.id, isActive });
  const change = async (chosen: readonly UnifiedUser[], isActive: boolean) => {
    const ids = new Set(chosen.map(({ id }) => id));
    const show = (items: UnifiedUser[]) =>
      items.map((user) => (ids.has(user.id) ? { ...user, isActive } : user));
    let changed: UnifiedUser[] = [];
    await cache.change<UnifiedUser>('people', show, async () => {
      changed = await runBulk(chosen, (user) => set(user, isActive), null);
    });
    return changed;
  };
  const setAll = async (isActive: boolean) => {
    const chosen = users.filter((user) => user.isActive !== isActive);
    onDone();
    if (hasSelf) notifyDone('You stay as you are: another Admin changes your user.');
    const changed = await change(chosen, isActive);
    if (changed.length === 0) return;
    const what = changed.length === 1 ? (changed[0]?.name ?? '') : `${changed.length} users`;
    const undo = () => change(changed, !isActive);
    notifyUndo(`${what} ${isActive ? 'activated' : 'deactivated'}`, undo);
  };
  const removeAll = async () => {
    await runBulk(
      users,
      (user) => deleteUser(api, user),
      (count) => `${count} ${count === 1 ? 'user' : 'users'} deleted`,
    );
    onDone();
    await cache.outdate('people');
  };
  const openDeletion = () => {
    if (users.length > 0) return setOpen(true);
    onDone();
    notifyDone('You are not deleted: another Admin can delete your user.');
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => void setAll(true)}>
        Activate
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => void setAll(false)}>
        Deactivate
      </Button>
      <Button size="compact-sm" variant="light" color="red" onClick={openDeletion}>
        Delete
      </Button>
      <ConfirmDelete
        name={users.length === 1 ? (users[0]?.name ?? '') : `${users.length} users`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={removeAll}
      >
        Their shares and memberships end. What tenant users own passes to the default owner of their tenant.
        What organization users own, or tenant users without such an owner, stays without an owner until an
        Admin takes ownership of it. This cannot be undone; consider deactivating them.
        {hasSelf && ' You are not deleted: another Admin can delete your user.'}
      </ConfirmDelete>
    </>
  );
}
