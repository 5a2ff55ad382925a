import type { ConnectionSummary } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole } from '../../session/SessionContext.js';
import { connectionList } from './sources.js';

const columns: readonly Column<ConnectionSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    text: ({ name }) => name,
    render: ({ id, name }) => <NameLink to={`/connections/${id}`} name={name} />,
  },
  {
    id: 'type',
    header: 'Type',
    width: '8rem',
    text: ({ type }) => type,
    render: ({ type, dialect }) => (
      <Badge color="gray">{type === 'static' ? `static · ${dialect}` : type}</Badge>
    ),
  },
  {
    id: 'catalog',
    header: 'Catalog',
    isWide: true,
    width: '12rem',
    text: ({ catalogVersion }) => String(catalogVersion ?? ''),
    render: ({ catalogVersion, catalogReadAt }) =>
      catalogVersion === null || catalogReadAt === null ? (
        <Badge color="orange">Not read yet</Badge>
      ) : (
        <>
          version {catalogVersion}, <RelativeTime at={catalogReadAt} />
        </>
      ),
  },
  {
    id: 'unassigned',
    header: 'Users without a policy',
    isWide: true,
    width: '11rem',
    text: ({ unassignedActors }) => unassignedActors,
    render: ({ unassignedActors }) => (unassignedActors === 'deny' ? 'See no rows' : 'See all rows'),
  },
];

/** The connections of the project. */
export function ConnectionList() {
  const [{ search = '' }] = useUrlState();
  const isAdmin = useHasRole('ADMIN');
  return (
    <ListScreen
      title="Connections"
      noun={['connection', 'connections']}
      icon="connection"
      source={connectionList(search)}
      searchLabel="Search connections"
      isFiltered={search !== ''}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      createPath={isAdmin ? '/connections/new' : null}
      removal={
        isAdmin
          ? {
              remove: (api, { id }) => api.deleteConnection({ id }),
              outdates: ['connections'],
              consequence: 'Those that policies, domains or data models refer to are not deleted.',
            }
          : null
      }
      hint="A connection is a database that dashboards read. Policies and validation need its catalog."
    />
  );
}
