import type { Tenant } from '@gatehouse/contract';
import type { Column } from '../../components/columns.js';
import { IdCopy } from '../../components/IdCopy.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole } from '../../session/SessionContext.js';
import { tenantsOf } from './sources.js';

const columns: readonly Column<Tenant>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    text: ({ name }) => name,
    render: ({ id, name }) => <NameLink to={`/tenants/${id}`} name={name} />,
  },
  { id: 'id', header: 'Id', isWide: true, render: ({ id }) => <IdCopy value={id} /> },
  {
    id: 'updated',
    header: 'Updated',
    width: '8.5rem',
    text: ({ updatedAt }) => updatedAt,
    render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];

/** The tenants of the organization. */
export function TenantList() {
  const [{ search }] = useUrlState();
  const isAdmin = useHasRole('ADMIN');
  return (
    <ListScreen
      title="Tenants"
      noun={['tenant', 'tenants']}
      icon="tenant"
      source={tenantsOf(search)}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ name }) => name}
      createPath={isAdmin ? '/tenants/new' : null}
      searchLabel="Search tenants"
      isFiltered={search !== undefined}
      removal={
        isAdmin
          ? {
              remove: (api, { id }) => api.deleteTenant({ id }),
              outdates: ['tenants', 'people'],
              consequence: 'Only tenants without users can be deleted.',
            }
          : null
      }
      hint="A tenant is a customer of the organization. Its users see only what is shared with them."
    />
  );
}
