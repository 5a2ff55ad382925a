import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { Icon } from '../../components/Icon.js';
import { notifyDone, notifyError } from '../../components/notify.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { useApi } from '../../data/api.js';
import { useCache } from '../../data/useRecord.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';
import type { Kind, Resource } from './kind.js';

interface Props {
  kind: Kind;
  record: Resource;
}

/** What can be done with a dashboard or a visual as a whole. */
export function ResourceActions({ kind, record }: Props) {
  const canRotate = kind.kind === 'dashboard' && record.permissions.canDelete;
  const [isRotating, setRotating] = useState(false);
  return (
    <>
      <RecordMenu
        noun={kind.noun}
        name={record.title}
        recordKey={[`${kind.noun}s`, record.id]}
        listPath={kind.path}
        remove={record.permissions.canDelete ? (api) => kind.remove(api, record.id) : undefined}
        consequence="Its shares are deleted as well."
      >
        <DuplicateItem kind={kind} record={record} />
        <OwnershipItem kind={kind} record={record} />
        {canRotate && (
          <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setRotating(true)}>
            Rotate the secret
          </Menu.Item>
        )}
      </RecordMenu>
      <Rotation id={record.id} isOpen={isRotating} onClose={() => setRotating(false)} />
    </>
  );
}

function DuplicateItem({ kind, record }: Props) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const canCreate = useHasRole('POWER_USER');
  const run = async () => {
    const copy = await kind.duplicate(api, record.id);
    await cache.outdate(`${kind.noun}s`);
    notifyDone(`Copied as ${copy.record.title}`);
    await navigate({ to: `${kind.path}/${copy.record.id}` });
  };
  if (!canCreate) return null;
  return (
    <Menu.Item leftSection={<Icon name="copy" />} onClick={() => void run().catch(notifyError)}>
      Duplicate
    </Menu.Item>
  );
}

function OwnershipItem({ kind, record }: Props) {
  const api = useApi();
  const cache = useCache();
  const { user } = useSession();
  const isAdmin = useHasRole('ADMIN');
  const run = async () => {
    await kind.takeOwnership(api, record.id);
    await cache.outdate(`${kind.noun}s`);
    notifyDone('You are the owner now');
  };
  if (!isAdmin || record.ownerId === user.id) return null;
  return (
    <Menu.Item leftSection={<Icon name="key" />} onClick={() => void run().catch(notifyError)}>
      Take ownership
    </Menu.Item>
  );
}

function Rotation({ id, isOpen, onClose }: { id: string; isOpen: boolean; onClose: () => void }) {
  const api = useApi();
  const cache = useCache();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    const { dashboard } = await api.rotateDashboardSecret({ id });
    setSecret(dashboard.secret);
    await cache.outdate('dashboards');
  };
  return (
    <>
      <ConfirmDelete name="the secret" verb="Rotate" isOpen={isOpen} onClose={onClose} onConfirm={rotate}>
        Programs that use the current secret cannot obtain tokens any more.
      </ConfirmDelete>
      <SecretDialog secret={secret} noun="dashboard" onClose={() => setSecret(null)} />
    </>
  );
}
