import { ActionIcon, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { Icon } from '../../components/Icon.js';
import { notifyDone, notifyError } from '../../components/notify.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';
import type { Kind, Resource } from './kind.js';

type Dialog = 'delete' | 'rotate' | null;

/** What can be done with a dashboard or a visual as a whole. */
export function ResourceActions({ kind, record }: { kind: Kind; record: Resource }) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const { user } = useSession();
  const [dialog, setDialog] = useState<Dialog>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const isAdmin = useHasRole('ADMIN');
  const canCreate = useHasRole('POWER_USER');
  const list = `${kind.noun}s`;
  const run = (action: () => Promise<unknown>) => void action().catch(notifyError);
  const duplicate = async () => {
    const copy = await kind.duplicate(api, record.id);
    await cache.outdate(list);
    notifyDone(`Copied as ${copy.record.title}`);
    await navigate({ to: `${kind.path}/${copy.record.id}` });
  };
  const takeOwnership = async () => {
    await kind.takeOwnership(api, record.id);
    await cache.outdate(list);
    notifyDone('You are the owner now');
  };
  const remove = async () => {
    await kind.remove(api, record.id);
    await navigate({ to: kind.path });
    cache.forget([list, record.id]);
    await cache.outdate(list);
    notifyDone(`${record.title} was deleted`);
  };
  const rotate = async () => {
    const { dashboard } = await api.rotateDashboardSecret({ id: record.id });
    setSecret(dashboard.secret);
    await cache.outdate(list);
  };
  const canRotate = kind.kind === 'dashboard' && record.permissions.canDelete;
  return (
    <>
      <Menu width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={`Actions on the ${kind.noun}`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {canCreate && (
            <Menu.Item leftSection={<Icon name="copy" />} onClick={() => run(duplicate)}>
              Duplicate
            </Menu.Item>
          )}
          {isAdmin && record.ownerId !== user.id && (
            <Menu.Item leftSection={<Icon name="key" />} onClick={() => run(takeOwnership)}>
              Take ownership
            </Menu.Item>
          )}
          {canRotate && (
            <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setDialog('rotate')}>
              Rotate the secret
            </Menu.Item>
          )}
          {record.permissions.canDelete && (
            <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => setDialog('delete')}>
              Delete
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDelete
        name={record.title}
        isOpen={dialog === 'delete'}
        onClose={() => setDialog(null)}
        onConfirm={remove}
      >
        Its shares are deleted as well. This cannot be undone.
      </ConfirmDelete>
      <ConfirmDelete
        name="the secret"
        verb="Rotate"
        isOpen={dialog === 'rotate'}
        onClose={() => setDialog(null)}
        onConfirm={rotate}
      >
        Programs that use the current secret cannot obtain tokens any more.
      </ConfirmDelete>
      <SecretDialog secret={secret} noun={kind.noun} onClose={() => setSecret(null)} />
    </>
  );
}
