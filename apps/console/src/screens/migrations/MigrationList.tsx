import type { Migration } from '@gatehouse/contract';
import { Anchor, Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { Icon } from '../../components/Icon.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { PageHeader } from '../../components/PageHeader.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { byCursor } from '../../data/listSources.js';
import { countOf, useList, type ListSource } from '../../data/useList.js';
import { ProjectName } from './ProjectName.js';
import { STATUS_TEXTS, titleOf } from './texts.js';

const source: ListSource<Migration> = {
  key: ['migrations'],
  load: async (api, next, signal) => {
    const cursor = typeof next === 'string' ? { cursor: next } : {};
    const { migrations, nextCursor } = await api.listMigrations({ limit: 100, ...cursor }, { signal });
    return byCursor(migrations, nextCursor);
  },
};

const columns: readonly Column<Migration>[] = [
  {
    id: 'dashboard',
    header: 'Dashboard',
    width: 'minmax(0, 1.6fr)',
    text: titleOf,
    render: (migration) => (
      <Anchor
        component={Link}
        to={`/migrations/${migration.id}`}
        size="sm"
        fw={500}
        c="var(--mantine-color-text)"
        dir="auto"
      >
        {titleOf(migration)}
      </Anchor>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: '7rem',
    text: ({ status }) => status,
    render: ({ status }) => <Badge color={STATUS_TEXTS[status].color}>{STATUS_TEXTS[status].text}</Badge>,
  },
  {
    id: 'from',
    header: 'From',
    isWide: true,
    text: ({ sourceProjectId }) => sourceProjectId,
    render: ({ sourceProjectId }) => <ProjectName id={sourceProjectId} />,
  },
  {
    id: 'into',
    header: 'Into',
    isWide: true,
    text: ({ targetProjectId }) => targetProjectId,
    render: ({ targetProjectId }) => <ProjectName id={targetProjectId} />,
  },
  {
    id: 'person',
    header: 'Person',
    isWide: true,
    text: ({ createdBy }) => createdBy,
    render: ({ createdBy }) => <PersonName id={createdBy} />,
  },
  {
    id: 'created',
    header: 'Started',
    width: '8rem',
    text: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

/** The migrations from and into the project. */
export function MigrationList() {
  const list = useList(source);
  const create = (
    <Button component={Link} to="/migrations/new" leftSection={<Icon name="plus" />}>
      New migration
    </Button>
  );
  return (
    <>
      <PageHeader title="Migrations" actions={create} />
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName="migrations" />}
      />
      <RecordTable
        label="Migrations"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <EmptyState icon="migration" title="No migrations yet" action={create}>
            A migration copies a dashboard into another project, for example from staging to production. You
            see its plan before anything is written, and you can roll it back.
          </EmptyState>
        }
      />
    </>
  );
}
