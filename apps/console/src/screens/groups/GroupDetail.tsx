import type { Group, GroupPermission } from '@gatehouse/contract';
import { Badge } from '@mantine/core';
import { LevelBadge } from '../../components/badges.js';
import type { Column } from '../../components/columns.js';
import { RecordSettings } from '../../components/RecordSettings.js';
import type { Field, FormValues } from '../../components/fields.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RecordMenu } from '../../components/RecordMenu.js';
import { RecordScreen } from '../../components/RecordScreen.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useParam } from '../../data/useParam.js';
import { versioned, type Versioned } from '../../data/useRecord.js';
import { groupOf, permissionsOf } from './sources.js';
import { Members } from './Members.js';

/** The fields of every group. */
export const groupFields: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true, maxLength: 100 },
  { name: 'description', label: 'Description', kind: 'textarea', maxLength: 5000 },
];

/** A group. */
export function GroupDetail() {
  const id = useParam('id');
  return (
    <RecordScreen
      source={groupOf(id)}
      noun="group"
      parent={{ title: 'Groups', to: '/groups' }}
      titleOf={({ name }) => name}
      badges={({ type }) => (
        <Badge color={type === 'ORG_GROUP' ? 'indigo' : 'teal'}>
          {type === 'ORG_GROUP' ? 'Organization group' : 'Tenant group'}
        </Badge>
      )}
      actions={({ name, permissions }) => (
        <RecordMenu
          noun="group"
          name={name}
          recordKey={['groups', id]}
          listPath="/groups"
          remove={permissions.canDelete ? (api) => api.deleteGroup({ id }) : undefined}
          consequence="Its members lose what is shared with it."
        />
      )}
      tabs={(current) => [
        { id: 'members', title: 'Members', content: () => <Members group={current.record} /> },
        { id: 'shared', title: 'Shared with it', content: () => <SharedWith id={id} /> },
        { id: 'settings', title: 'Settings', content: () => <Settings current={current} /> },
      ]}
    />
  );
}

const columns: readonly Column<GroupPermission>[] = [
  {
    id: 'title',
    header: 'Title',
    width: 'minmax(0, 2fr)',
    text: ({ title }) => title,
    render: ({ resourceType, resourceId, title }) => (
      <NameLink to={`/${resourceType}s/${resourceId}`} search={{ tab: 'sharing' }} name={title} />
    ),
  },
  {
    id: 'type',
    header: 'Kind',
    width: '6rem',
    isWide: true,
    text: ({ resourceType }) => resourceType,
    render: ({ resourceType }) => resourceType,
  },
  {
    id: 'level',
    header: 'Level',
    width: '7rem',
    text: ({ role }) => role,
    render: ({ role }) => <LevelBadge level={role} />,
  },
  {
    id: 'granted',
    header: 'Granted',
    width: '8rem',
    isWide: true,
    text: ({ grantedAt }) => grantedAt,
    render: ({ grantedAt }) => <RelativeTime at={grantedAt} />,
  },
];

function SharedWith({ id }: { id: string }) {
  return (
    <>
      <ListScreen
        isPart
        title="Shared with this group"
        noun={['share', 'shares']}
        icon="share"
        source={permissionsOf(id)}
        columns={columns}
        idOf={({ shareId }) => shareId}
        nameOf={({ title }) => title}
        createPath={null}
        hint="Open a dashboard or a visual and share it with the group."
      />
    </>
  );
}

function toValues({ name, description }: Group): FormValues {
  return { name, description };
}

function Settings({ current }: { current: Versioned<Group> }) {
  const { record } = current;
  return (
    <RecordSettings
      source={groupOf(record.id)}
      current={current}
      fields={groupFields}
      toValues={toValues}
      save={async (api, changes, ifMatch) =>
        versioned(
          await api.withResponse.updateGroup({ id: record.id, ...changes }, { ifMatch }),
          ({ group }) => group,
        )
      }
      outdates={['groups']}
      isReadOnly={!record.permissions.canEdit}
    />
  );
}
