import { Badge, Menu, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { RoleBadge } from '../../components/badges.js';
import { Icon } from '../../components/Icon.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import { NameLink } from '../../components/NameLink.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { useParam } from '../../data/useParam.js';
import type { Versioned } from '../../data/useRecord.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';
import { SessionList } from '../sessions/SessionList.js';
import { userFields, userValues } from './fields.js';
import { Permissions } from './Permissions.js';
import { deleteUser, updateUser, userOf, type User } from './sources.js';

/** What a deletion does to what the user has. */
function describeDeletion({ type }: User): string {
  const heir = type === 'tenant' ? 'pass to the default owner of the tenant. Without one, they ' : '';
  const owned = `${heir}stay without an owner until an Admin takes ownership of them`;
  return `The shares and memberships of the user end. The user's dashboards and visuals ${owned}.`;
}

/** A user of the organization or of a tenant. */
export function UserDetail() {
  const type = useParam('type');
  const id = useParam('id');
  const isAdmin = useHasRole('ADMIN');
  const { user: self } = useSession();
  return (
    <RecordScreen
      source={userOf(type, id)}
      noun="user"
      parent={{ title: 'Users', to: '/people' }}
      titleOf={({ name }) => name}
      badges={({ role, isActive }) => (
        <>
          <RoleBadge role={role} />
          {!isActive && <Badge color="orange">Inactive</Badge>}
        </>
      )}
      actions={(user) => (
        <RecordMenu
          noun="user"
          name={user.name}
          recordKey={['people', user.id]}
          listPath="/people"
          remove={isAdmin && user.id !== self.id ? (api) => deleteUser(api, user) : undefined}
          consequence={describeDeletion(user)}
        >
          {isAdmin && <IssueItem user={user} />}
        </RecordMenu>
      )}
      tabs={(current) => [
        { id: 'profile', title: 'Profile', content: () => <Profile current={current} isAdmin={isAdmin} /> },
        {
          id: 'permissions',
          title: 'Permissions',
          content: () => <Permissions userId={current.record.id} />,
        },
        { id: 'sessions', title: 'Sessions', content: () => <SessionList userId={current.record.id} /> },
      ]}
    />
  );
}

function IssueItem({ user: { type, id } }: { user: User }) {
  return (
    <Menu.Item
      component={Link}
      to="/tokens"
      search={{ person: id, kind: type } as never}
      leftSection={<Icon name="key" />}
    >
      Issue a token or link
    </Menu.Item>
  );
}

/** What no undo returns to a user who takes it from the own user. */
const NOT_OF_SELF = ['role', 'isActive'];

function Profile({ current, isAdmin }: { current: Versioned<User>; isAdmin: boolean }) {
  const { record } = current;
  const isSelf = useSession().user.id === record.id;
  const tenant = record.type === 'tenant' && (
    <NameLink to={`/tenants/${record.tenantId}`} name={record.tenantName} />
  );
  return (
    <RecordSettings
      facts={[
        ['Belongs to', tenant || record.organizationName],
        [
          'Access',
          <NameLink
            key="access"
            to="/access"
            search={{ person: record.id }}
            name="What this user can open"
          />,
        ],
      ]}
      source={userOf(record.type, record.id)}
      current={current}
      fields={userFields(record.type).filter(({ name }) => !isSelf || !NOT_OF_SELF.includes(name))}
      toValues={userValues}
      save={(api, changes, etag) => updateUser(api, record, { changes, etag })}
      outdates={['people']}
      isReadOnly={!isAdmin}
    >
      {isSelf && isAdmin && (
        <Text size="sm" c="dimmed">
          Another Admin changes your role and whether you are active.
        </Text>
      )}
    </RecordSettings>
  );
}
