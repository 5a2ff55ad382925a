import type { DashboardVersion } from '@gatehouse/contract';
import { GatehouseError } from '@gatehouse/client';
import { Button, Text } from '@mantine/core';
import type { Column } from '../../../components/columns.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { ExportButton } from '../../../components/ExportButton.js';
import { IdCopy } from '../../../components/IdCopy.js';
import { ListToolbar } from '../../../components/ListToolbar.js';
import { RecordTable } from '../../../components/RecordTable.js';
import { RelativeTime } from '../../../components/RelativeTime.js';
import { byCursor } from '../../../data/listSources.js';
import { countOf, useList, type ListSource } from '../../../data/useList.js';
import { useUrlState } from '../../../data/urlState.js';
import type { Versioned } from '../../../data/useRecord.js';
import type { Resource } from '../kind.js';
import { VersionDialog } from './VersionDialog.js';

const PART = 50;

function versionsOf(id: string): ListSource<DashboardVersion> {
  return {
    key: ['versions', id],
    load: async (api, cursor, signal) => {
      const input = { id, limit: PART, cursor };
      const page = await api.listDashboardVersions(input, { signal });
      return byCursor(page.versions, page.nextCursor);
    },
  };
}

/** The commits of a dashboard. The address holds the one that is compared with the dashboard as it is now. */
export function Versions({ current }: { current: Versioned<Resource> }) {
  const { record } = current;
  const [{ version }, setState] = useUrlState();
  const source = versionsOf(record.id);
  const list = useList(source);
  const columns = columnsOf((sha) => setState({ version: sha }, true));
  const isOff = list.error instanceof GatehouseError && list.error.status === 404;
  const nothing = isOff ? { ...list, error: null, isLoading: false, hasMore: false } : list;
  const exporting = <ExportButton source={source} columns={columns} fileName={`versions-${record.id}`} />;
  return (
    <>
      <ListToolbar count={countOf(nothing)} actions={isOff ? undefined : exporting}>
        <Text size="sm" c="dimmed">
          The commits of this dashboard in the repository of the project, the newest first.
        </Text>
      </ListToolbar>
      <RecordTable
        label="Versions"
        list={nothing}
        columns={columns}
        idOf={({ sha }) => sha}
        empty={
          <EmptyState icon="history" title="No versions">
            Once an Admin sets up version control for the project, each save with a commit message appears
            here.
          </EmptyState>
        }
      />
      {version !== undefined && (
        <VersionDialog current={current} sha={version} onClose={() => setState({ version: undefined })} />
      )}
    </>
  );
}

function columnsOf(open: (sha: string) => void): readonly Column<DashboardVersion>[] {
  return [
    {
      id: 'message',
      header: 'Message',
      width: 'minmax(0, 2.5fr)',
      text: ({ message }) => message,
      render: ({ message }) => (
        <span dir="auto" title={message}>
          {message}
        </span>
      ),
    },
    {
      id: 'author',
      header: 'Author',
      isWide: true,
      text: ({ author }) => author.name,
      render: ({ author }) => author.name,
    },
    {
      id: 'sha',
      header: 'Commit',
      width: '8rem',
      isWide: true,
      text: ({ sha }) => sha,
      render: ({ sha }) => <IdCopy value={sha} shown={sha.slice(0, 10)} label="the commit" />,
    },
    {
      id: 'at',
      header: 'Committed',
      width: '8.5rem',
      isWide: true,
      text: ({ committedAt }) => committedAt,
      render: ({ committedAt }) => <RelativeTime at={committedAt} />,
    },
    {
      id: 'compare',
      header: 'Actions',
      isHeaderHidden: true,
      width: '6rem',
      render: ({ sha, message }) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Compare ${message}`}
          onClick={() => open(sha)}
        >
          Compare
        </Button>
      ),
    },
  ];
}
