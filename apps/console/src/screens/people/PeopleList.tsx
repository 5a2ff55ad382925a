import type { UnifiedUser } from '@gatehouse/contract';
import { Badge, Button, Menu, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RoleBadge } from '../../components/badges.js';
import { Badged } from '../../components/Badged.js';
import { BulkBar } from '../../components/BulkBar.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { Icon } from '../../components/Icon.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { NameLink } from '../../components/NameLink.js';
import { PageHeader } from '../../components/PageHeader.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useSelection } from '../../components/selection.js';
import { countOf, useList } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole } from '../../session/SessionContext.js';
import { ActivityButtons } from './ActivityButtons.js';
import { TenantFilter } from './TenantFilter.js';
import { userPath, usersOf } from './sources.js';

const columns: readonly Column<UnifiedUser>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 1.6fr)',
    text: ({ name }) => name,
    render: ({ type, id, name, isActive }) => (
      <Badged>
        <NameLink to={userPath(type, id)} name={name} />
        {!isActive && (
          <Badge color="orange" size="sm">
            Inactive
          </Badge>
        )}
      </Badged>
    ),
  },
  {
    id: 'email',
    header: 'E-mail address',
    isWide: true,
    width: 'minmax(0, 1.6fr)',
    text: ({ email }) => email,
    render: ({ email }) => email,
  },
  {
    id: 'role',
    header: 'Role',
    width: '7rem',
    text: ({ role }) => role,
    render: ({ role }) => <RoleBadge role={role} />,
  },
  {
    id: 'tenant',
    header: 'Belongs to',
    isWide: true,
    text: ({ tenantName }) => tenantName ?? 'organization',
    render: ({ tenantName }) => <span dir="auto">{tenantName ?? 'The organization'}</span>,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8rem',
    isWide: true,
    text: ({ createdAt }) => createdAt,
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
];

/** The people of the organization and of its tenants. */
export function PeopleList() {
  const [filters, setState] = useUrlState();
  const source = usersOf(filters);
  const list = useList(source);
  const selection = useSelection();
  const isAdmin = useHasRole('ADMIN');
  const chosen = list.items.filter(({ id }) => selection.ids.has(id));
  return (
    <>
      <PageHeader title="Users" actions={isAdmin && <NewUserMenu />} />
      <ListToolbar
        searchLabel="Search users"
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName="users" />}
      >
        <Select
          aria-label="Kind of user"
          placeholder="All kinds"
          w={180}
          clearable
          data={[
            { value: 'organization', label: 'Organization users' },
            { value: 'tenant', label: 'Tenant users' },
          ]}
          value={filters['type'] ?? null}
          onChange={(type) => setState({ type: type ?? undefined })}
        />
        <TenantFilter />
      </ListToolbar>
      <BulkBar selection={selection}>
        <ActivityButtons users={chosen} onDone={() => selection.set([])} />
      </BulkBar>
      <RecordTable
        label="Users"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        {...(isAdmin ? { selection } : {})}
        empty={
          <EmptyState icon="users" title="No one matches">
            Change the search or the filters. The search covers names and e-mail addresses.
          </EmptyState>
        }
      />
    </>
  );
}

function NewUserMenu() {
  return (
    <Menu>
      <Menu.Target>
        <Button leftSection={<Icon name="plus" />} rightSection={<Icon name="down" size={14} />}>
          New user
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/people/new/organization">
          Organization user
        </Menu.Item>
        <Menu.Item component={Link} to="/people/new/tenant">
          Tenant user
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
