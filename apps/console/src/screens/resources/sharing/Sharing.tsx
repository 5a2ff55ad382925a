import type { AccessLevel, ShareListEntry } from '@gatehouse/contract';
import { Anchor, Badge, Button, NativeSelect, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LevelBadge } from '../../../components/badges.js';
import { BulkBar } from '../../../components/BulkBar.js';
import type { Column } from '../../../components/columns.js';
import { ConfirmDelete } from '../../../components/ConfirmDelete.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { ExportButton } from '../../../components/ExportButton.js';
import { Icon } from '../../../components/Icon.js';
import { ListToolbar } from '../../../components/ListToolbar.js';
import { notifyDone, notifyError, notifyUndo } from '../../../components/notify.js';
import { RecordTable } from '../../../components/RecordTable.js';
import { EndTime, formatDate } from '../../../components/RelativeTime.js';
import { useSelection } from '../../../components/selection.js';
import { useApi } from '../../../data/api.js';
import { useUrlState } from '../../../data/urlState.js';
import { countOf, useList } from '../../../data/useList.js';
import { useCache } from '../../../data/useRecord.js';
import { LEVEL_NAMES, entryOf, LEVELS, mayGiveSharing, SCOPE_NAMES } from '../../../logic/shares.js';
import { useSession } from '../../../session/SessionContext.js';
import type { Kind, Resource } from '../kind.js';
import { GrantDialog } from './GrantDialog.js';
import { grant, grantOf, revoke, sharesOf } from './requests.js';
import classes from './Sharing.module.css';

interface Props {
  kind: Kind;
  record: Resource;
}

/** The value of `dialog` in the address while a share is granted. */
const GRANT = 'share';
/** The levels that a user may give in place of the present one: up to their own. */
const choicesFor = (own: AccessLevel, present: AccessLevel) =>
  LEVELS.map((value, index) => ({
    value,
    label: LEVEL_NAMES[value],
    disabled: index > LEVELS.indexOf(own) && value !== present,
  }));

const nameOf = ({ target, scope }: ShareListEntry) => target?.name ?? SCOPE_NAMES[scope];

function describeAudience({ isPrivate, ownerType }: Resource): string {
  if (isPrivate) return 'The owner and these shares decide who has access.';
  const audience = ownerType === 'organization' ? 'the organization' : "the owner's tenant";
  return `It is not private: every user of ${audience} may view it. The owner and these shares give more.`;
}

/** The shares of a dashboard or visual: grant, change, revoke. */
export function Sharing({ kind, record }: Props) {
  const source = sharesOf(kind, record.id);
  const list = useList(source);
  const selection = useSelection();
  const [{ dialog }, setState] = useUrlState();
  const { canShare } = record.permissions;
  const { changes, pending, close } = useConfirmed(useShareChanges({ kind, record }), record);
  const columns = columnsOf(record, changes);
  const open = canShare && (
    <Button leftSection={<Icon name="share" />} onClick={() => setState({ dialog: GRANT }, true)}>
      Share
    </Button>
  );
  const chosen = list.items.filter(({ id }) => selection.ids.has(id));
  const revokeChosen = () => {
    selection.set([]);
    changes.revoke(chosen);
  };
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={
          <>
            <ExportButton source={source} columns={columns} fileName={`shares-${record.id}`} />
            {open}
          </>
        }
      >
        <Text size="sm" c="dimmed">
          {describeAudience(record)} The role of a user limits every level.{' '}
          <Anchor
            component={Link}
            to="/access"
            search={{ resource: record.id, type: kind.kind } as never}
            size="sm"
            underline="always"
          >
            See who can open it
          </Anchor>
        </Text>
      </ListToolbar>
      <BulkBar selection={selection}>
        <Button size="compact-sm" variant="light" color="red" onClick={revokeChosen}>
          Revoke
        </Button>
      </BulkBar>
      <RecordTable
        label="Shares"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={nameOf}
        {...(canShare ? { selection } : {})}
        empty={
          <EmptyState icon="share" title="Shared with no one" action={open}>
            Share it with a person, a group, a tenant or everyone.
          </EmptyState>
        }
      />
      <ConfirmDelete
        name={pending?.name ?? ''}
        verb={pending?.verb ?? ''}
        isOpen={pending !== null}
        onConfirm={async () => pending?.run()}
        onClose={close}
      >
        Your own right to share this {kind.noun} may come from it. Without that right you cannot undo this.
      </ConfirmDelete>
      {canShare && dialog === GRANT && (
        <GrantDialog
          kind={kind}
          record={record}
          list={list}
          onClose={() => setState({ dialog: undefined })}
        />
      )}
    </>
  );
}

interface ShareChanges {
  change(share: ShareListEntry, role: AccessLevel): void;
  revoke(shares: readonly ShareListEntry[]): void;
}

interface Pending {
  verb: string;
  name: string;
  run(): void;
}

/** Confirms changes that may take the right to share from the user, who then cannot undo them. */
function useConfirmed(changes: ShareChanges, { ownerId }: Resource) {
  const { user } = useSession();
  const [pending, setPending] = useState<Pending | null>(null);
  const isRisky = (share: ShareListEntry) => ownerId !== user.id && mayGiveSharing(share, user);
  const confirmed: ShareChanges = {
    change: (share, role) => {
      const run = () => changes.change(share, role);
      if (isRisky(share) && !mayGiveSharing({ ...share, role }, user))
        setPending({ verb: 'Lower', name: `the level of ${nameOf(share)}`, run });
      else run();
    },
    revoke: (shares) => {
      const risky = shares.find(isRisky);
      const run = () => changes.revoke(shares);
      if (risky) setPending({ verb: 'Revoke', name: `the share with ${nameOf(risky)}`, run });
      else run();
    },
  };
  return { changes: confirmed, pending, close: () => setPending(null) };
}

/** Changes of shares, each of which can be undone. */
function useShareChanges({ kind, record: { id } }: Props): ShareChanges {
  const api = useApi();
  const cache = useCache();
  const reload = () => cache.outdate('shares');
  const regrant = async (shares: readonly ShareListEntry[]) => {
    await grant(api, kind, { id, shares: shares.map(grantOf) });
    await reload();
  };
  return {
    change: (share, role) => {
      const run = async () => {
        await cache.change<ShareListEntry>(
          'shares',
          (items) => items.map((item) => (item.id === share.id ? { ...item, role } : item)),
          () => grant(api, kind, { id, shares: [{ ...grantOf(share), role }] }),
        );
        notifyUndo(`${nameOf(share)} has the level ${LEVEL_NAMES[role]}`, () => regrant([share]));
      };
      void run().catch(notifyError);
    },
    revoke: (shares) => {
      const ids = new Set(shares.map((share) => share.id));
      const run = async () => {
        const entries = shares.map(({ scope, target }) => entryOf(scope, target?.id ?? null));
        await cache.change<ShareListEntry>(
          'shares',
          (items) => items.filter((item) => !ids.has(item.id)),
          () => revoke(api, kind, { id, shares: entries }),
        );
        const [first] = shares;
        if (first === undefined) return notifyDone('Nothing was revoked');
        const what = shares.length === 1 ? `The share with ${nameOf(first)}` : `${shares.length} shares`;
        notifyUndo(`${what} revoked`, () => regrant(shares));
      };
      void run().catch(notifyError);
    },
  };
}

function AudienceCell({ share }: { share: ShareListEntry }) {
  const { target, expiresAt } = share;
  return (
    <>
      <Text size="sm" fw={500} component="span" dir="auto">
        {nameOf(share)}
      </Text>{' '}
      <Text size="xs" c="dimmed" component="span" className={classes['email']}>
        {target?.email}
      </Text>
      {expiresAt !== null && (
        <Text size="xs" c="dimmed" component="span" className={classes['end']}>
          until {formatDate(expiresAt)}
        </Text>
      )}
    </>
  );
}

function columnsOf(
  { accessLevel, permissions: { canShare } }: Resource,
  { change, revoke: remove }: ShareChanges,
): readonly Column<ShareListEntry>[] {
  const readOnly: Column<ShareListEntry>[] = [
    {
      id: 'target',
      header: 'Shared with',
      width: 'minmax(0, 2fr)',
      text: nameOf,
      render: (share) => <AudienceCell share={share} />,
    },
    {
      id: 'scope',
      header: 'Scope',
      isWide: true,
      text: ({ scope }) => scope,
      render: ({ scope }) => <Badge color="gray">{SCOPE_NAMES[scope]}</Badge>,
    },
    {
      id: 'level',
      header: 'Level',
      width: '7.5rem',
      text: ({ role }) => role,
      render: (share) =>
        canShare ? (
          // The browser's own: every row has one, and a drawn one would make the table slow.
          <NativeSelect
            size="xs"
            aria-label={`Level of ${nameOf(share)}`}
            data={choicesFor(accessLevel ?? 'VIEWER', share.role)}
            value={share.role}
            onChange={(event) => change(share, event.currentTarget.value as AccessLevel)}
          />
        ) : (
          <LevelBadge level={share.role} />
        ),
    },
    {
      id: 'expires',
      header: 'Expires',
      width: '13rem',
      isWide: true,
      text: ({ expiresAt }) => expiresAt ?? '',
      render: ({ expiresAt }) => (expiresAt === null ? 'Never' : <EndTime at={expiresAt} />),
    },
  ];
  if (!canShare) return readOnly;
  return [
    ...readOnly,
    {
      id: 'revoke',
      header: 'Actions',
      isHeaderHidden: true,
      width: '4rem',
      render: (share) => (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={`Revoke the share with ${nameOf(share)}`}
          onClick={() => remove([share])}
        >
          Revoke
        </Button>
      ),
    },
  ];
}
