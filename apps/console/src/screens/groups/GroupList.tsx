import type { Group } from '@gatehouse/contract';
import { Badge, Select } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useSort } from '../../components/useSort.js';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole } from '../../session/SessionContext.js';
import { groupsOf } from './sources.js';

const TYPES = [
  { value: 'ORG_GROUP', label: 'Organization groups' },
  { value: 'TENANT_GROUP', label: 'Tenant groups' },
];

const columns: readonly Column<Group>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 1.6fr)',
    sortKey: 'name',
    text: ({ name }) => name,
    render: ({ id, name }) => <NameLink to={`/groups/${id}`} name={name} />,
  },
  {
    id: 'description',
    header: 'Description',
    isWide: true,
    width: 'minmax(0, 2fr)',
    text: ({ description }) => description,
    render: ({ description }) => <span dir="auto">{description}</span>,
  },
  {
    id: 'type',
    header: 'Type',
    width: '7.5rem',
    isWide: true,
    text: ({ type }) => type,
    render: ({ type }) => (
      <Badge color={type === 'ORG_GROUP' ? 'indigo' : 'teal'}>
        {type === 'ORG_GROUP' ? 'Organization' : 'Tenant'}
      </Badge>
    ),
  },
  {
    id: 'members',
    header: 'Members',
    width: '6rem',
    sortKey: 'members',
    text: ({ memberCount }) => String(memberCount),
    render: ({ memberCount }) => memberCount.toLocaleString('en'),
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    sortKey: 'created',
    isWide: true,
    text: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

/** The groups of the organization and of its tenants. */
export function GroupList() {
  const [filters, setState] = useUrlState();
  const sort = useSort({ key: 'name', order: 'asc' });
  const canManage = useHasRole('AUTHOR');
  return (
    <ListScreen
      title="Groups"
      noun={['group', 'groups']}
      icon="users"
      source={groupsOf(filters)}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      createPath={canManage ? '/groups/new' : null}
      searchLabel="Search groups"
      filters={
        <Select
          aria-label="Type of group"
          placeholder="All types"
          w={190}
          clearable
          data={TYPES}
          value={filters['type'] ?? null}
          onChange={(type) => setState({ type: type ?? undefined })}
        />
      }
      isFiltered={['search', 'type', 'tenant'].some((name) => filters[name])}
      sort={sort}
      removal={
        canManage
          ? {
              remove: (api, { id }) => api.deleteGroup({ id }),
              outdates: ['groups'],
              consequence: 'Their members lose what is shared with the groups.',
            }
          : null
      }
      hint="Share with a group once, and add and remove people later."
    />
  );
}
