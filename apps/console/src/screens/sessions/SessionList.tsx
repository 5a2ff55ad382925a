import type { Session } from '@gatehouse/contract';
import { Badge, Button, Text } from '@mantine/core';
import { Badged } from '../../components/Badged.js';
import { BulkBar } from '../../components/BulkBar.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { notifyDone } from '../../components/notify.js';
import { PageHeader } from '../../components/PageHeader.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { runBulk } from '../../components/runBulk.js';
import { useSelection } from '../../components/selection.js';
import { useApi } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import { countOf, useList, type ListSource } from '../../data/useList.js';
import { useCache } from '../../data/useRecord.js';
import { nameBrowser } from '../../logic/browserNames.js';

const PART = 100;

function sessionsOf(userId: string | undefined): ListSource<Session> {
  return {
    key: ['sessions', userId],
    load: async (api, cursor, signal) => {
      const input = {
        limit: PART,
        cursor,
        ...(userId === undefined ? {} : { userId }),
      };
      const page = await api.listSessions(input, { signal });
      return byCursor(page.sessions, page.nextCursor);
    },
  };
}

const columns: readonly Column<Session>[] = [
  {
    id: 'user',
    header: 'User',
    width: 'minmax(0, 1.5fr)',
    person: ({ userId }) => userId,
    render: ({ userId, isCurrent }) => (
      <Badged>
        <PersonName id={userId} />
        {isCurrent && (
          <Badge color="teal" size="sm">
            This browser
          </Badge>
        )}
      </Badged>
    ),
  },
  {
    id: 'browser',
    header: 'Browser',
    width: 'minmax(0, 1.5fr)',
    isWide: true,
    text: ({ userAgent }) => userAgent,
    render: ({ userAgent }) => <span title={userAgent}>{nameBrowser(userAgent)}</span>,
  },
  {
    id: 'address',
    header: 'Address',
    width: '8rem',
    isWide: true,
    text: ({ address }) => address,
    render: ({ address }) => address,
  },
  {
    id: 'method',
    header: 'Signed in with',
    width: '8rem',
    isWide: true,
    text: ({ method }) => method,
    render: ({ method }) => (method === 'oidc' ? 'The provider' : 'A link'),
  },
  {
    id: 'used',
    header: 'Last used',
    width: '8rem',
    text: ({ lastUsedAt }) => lastUsedAt,
    render: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} />,
  },
];

/** The browsers that are signed in, of one user or of all that the caller may see. */
export function SessionList({ userId }: { userId?: string }) {
  const api = useApi();
  const cache = useCache();
  const source = sessionsOf(userId);
  const list = useList(source);
  const selection = useSelection();
  const chosen = list.items.filter(({ id, isCurrent }) => selection.ids.has(id) && !isCurrent);
  const revoke = async () => {
    selection.set([]);
    if (chosen.length === 0)
      return notifyDone('This browser stays signed in. The menu below your name signs it out.');
    const ids = new Set(chosen.map(({ id }) => id));
    await cache.change<Session>(
      'sessions',
      (items) => items.filter(({ id }) => !ids.has(id)),
      () =>
        runBulk(
          chosen,
          ({ id }) => api.revokeSession({ id }),
          (count) => (count === 1 ? 'One browser signed out' : `${count} browsers signed out`),
        ),
    );
  };
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName="sessions" />}
      >
        <Text size="sm" c="dimmed">
          Select browsers to sign them out.
        </Text>
      </ListToolbar>
      <BulkBar selection={selection}>
        <Button size="compact-sm" variant="light" color="red" onClick={() => void revoke()}>
          Sign out
        </Button>
      </BulkBar>
      <RecordTable
        label="Sessions"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ userAgent, createdAt }) => `${nameBrowser(userAgent)} since ${createdAt}`}
        selection={selection}
        empty={
          <EmptyState icon="session" title="No signed-in browser">
            A browser that signs in to the console appears here until it signs out or its session ends.
          </EmptyState>
        }
      />
    </>
  );
}

/** The sessions of everyone, or of the user. */
export function Sessions() {
  return (
    <>
      <PageHeader title="Sessions" detail="Browsers that are signed in to the console." />
      <SessionList />
    </>
  );
}
