import type { Migration } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import { useMemo } from 'react';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { PersonName } from '../../components/PersonName.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { ProjectName, useProjectNames } from './ProjectName.js';
import { STATUS_TEXTS, titleOf } from './texts.js';

const source: ListSource<Migration> = {
  key: ['migrations'],
  load: async (api, next, signal) => {
    const cursor = typeof next === 'string' ? { cursor: next } : {};
    const { migrations, nextCursor } = await api.listMigrations({ limit: 100, ...cursor }, { signal });
    return byCursor(migrations, nextCursor);
  },
};

const columnsOf = (projects: ReadonlyMap<string, string>): readonly Column<Migration>[] => [
  {
    id: 'dashboard',
    header: 'Dashboard',
    width: 'minmax(0, 1.6fr)',
    text: titleOf,
    render: (migration) => <NameLink to={`/migrations/${migration.id}`} name={titleOf(migration)} />,
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
    text: ({ sourceProjectId }) => projects.get(sourceProjectId) ?? sourceProjectId,
    render: ({ sourceProjectId }) => <ProjectName id={sourceProjectId} />,
  },
  {
    id: 'into',
    header: 'Into',
    isWide: true,
    text: ({ targetProjectId }) => projects.get(targetProjectId) ?? targetProjectId,
    render: ({ targetProjectId }) => <ProjectName id={targetProjectId} />,
  },
  {
    id: 'person',
    header: 'Person',
    isWide: true,
    person: ({ createdBy }) => createdBy,
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
  const projects = useProjectNames();
  const columns = useMemo(() => columnsOf(projects), [projects]);
  return (
    <ListScreen
      title="Migrations"
      noun={['migration', 'migrations']}
      icon="migration"
      source={source}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={titleOf}
      createPath="/migrations/new"
      hint="A migration copies a dashboard into another project, for example from staging to production. You see its plan before anything is written, and you can roll it back."
    />
  );
}
