import type { Group, GroupMember } from '@gatehouse/contract';
import { Button, Group as Row, Text } from '@mantine/core';
import { useState } from 'react';
import { BulkBar } from '../../components/BulkBar.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { NameLink } from '../../components/NameLink.js';
import { notifyError, notifyUndo } from '../../components/notify.js';
import { Picker, type Choice } from '../../components/Picker.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useSelection } from '../../components/selection.js';
import { useApi, type Api } from '../../data/api.js';
import { peopleSource, type PersonChoice } from '../../data/choices.js';
import { countOf, useList } from '../../data/useList.js';
import { useCache } from '../../data/useRecord.js';
import { membersOf } from './sources.js';

/** The number of people that one request adds or removes. */
const BATCH = 100;

/** The members of a group: add, remove, undo. */
export function Members({ group }: { group: Group }) {
  const { id } = group;
  const source = membersOf(id);
  const list = useList(source);
  const selection = useSelection();
  const changes = useMemberChanges(id);
  const canManage = group.permissions.canManageMembers;
  const columns = columnsOf(canManage ? changes.remove : null);
  const chosen = list.items.filter(({ userId }) => selection.ids.has(userId));
  const removeChosen = () => {
    selection.set([]);
    changes.remove(chosen);
  };
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName={`members-${id}`} />}
      >
        {canManage && <AddMember group={group} add={changes.add} />}
      </ListToolbar>
      <BulkBar selection={selection}>
        <Button size="compact-sm" variant="light" color="red" onClick={removeChosen}>
          Remove
        </Button>
      </BulkBar>
      <RecordTable
        label="Members"
        list={list}
        columns={columns}
        idOf={({ userId }) => userId}
        nameOf={({ name }) => name}
        {...(canManage ? { selection } : {})}
        empty={
          <EmptyState icon="users" title="No members yet">
            Search for a person above. What is shared with the group is shared with its members.
          </EmptyState>
        }
      />
    </>
  );
}

function AddMember({ group, add }: { group: Group; add: (choice: PersonChoice) => void }) {
  const [choice, setChoice] = useState<Choice | null>(null);
  const filter = group.tenantId === null ? {} : { type: 'tenant' as const, tenantId: group.tenantId };
  return (
    <Row gap="xs" align="flex-end">
      <Picker
        label="Add a member"
        value={choice}
        onChange={setChoice}
        source={(search) => peopleSource(search, filter)}
      />
      <Button
        disabled={choice === null}
        onClick={() => {
          // The source of the picker offers people only.
          if (choice !== null) add(choice as PersonChoice);
          setChoice(null);
        }}
      >
        Add
      </Button>
    </Row>
  );
}

function useMemberChanges(id: string) {
  const api = useApi();
  const cache = useCache();
  /** Shows the members as they will be, while the requests change them. */
  const change = async (show: (items: GroupMember[]) => GroupMember[], request: () => Promise<void>) => {
    await cache.change<GroupMember>('members', show, request);
    await cache.outdate('groups');
  };
  const add = (added: readonly GroupMember[]) =>
    change(
      (items) => [...items, ...added.filter(({ userId }) => !items.some((item) => item.userId === userId))],
      () => inBatches(added, (userIds) => api.addGroupMembers({ id, userIds })),
    );
  const remove = (removed: readonly GroupMember[]) => {
    const ids = new Set(removed.map(({ userId }) => userId));
    return change(
      (items) => items.filter(({ userId }) => !ids.has(userId)),
      () => inBatches(removed, (userIds) => removeBatch(api, id, userIds)),
    );
  };
  const describe = (members: readonly GroupMember[]) =>
    members.length === 1 ? (members[0]?.name ?? '') : `${members.length} members`;
  return {
    add: (choice: PersonChoice) => {
      const member = memberOf(choice);
      void add([member]).then(() => notifyUndo(`${choice.name} added`, () => remove([member])), notifyError);
    },
    remove: (members: readonly GroupMember[]) =>
      void remove(members).then(
        () => notifyUndo(`${describe(members)} removed`, () => add(members)),
        notifyError,
      ),
  };
}

/** The member that a person becomes. */
function memberOf({ id: userId, name, detail = '', kind: userType }: PersonChoice): GroupMember {
  const addedAt = new Date().toISOString();
  return { id: userId, userId, userType, name, email: detail, addedAt, addedBy: null };
}

async function inBatches(
  members: readonly GroupMember[],
  send: (userIds: string[]) => Promise<unknown>,
): Promise<void> {
  const userIds = members.map(({ userId }) => userId);
  for (let start = 0; start < userIds.length; start += BATCH) await send(userIds.slice(start, start + BATCH));
}

function removeBatch(api: Api, id: string, userIds: string[]): Promise<unknown> {
  const [first, ...others] = userIds;
  if (first !== undefined && others.length === 0) return api.removeGroupMember({ id, memberId: first });
  return api.removeGroupMembers({ id, userIds });
}

function columnsOf(
  remove: ((members: readonly GroupMember[]) => void) | null,
): readonly Column<GroupMember>[] {
  const readOnly: Column<GroupMember>[] = [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(0, 1.6fr)',
      text: ({ name }) => name,
      render: ({ userType, userId, name }) => <NameLink to={`/people/${userType}/${userId}`} name={name} />,
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
      id: 'kind',
      header: 'Kind',
      isWide: true,
      width: '8rem',
      text: ({ userType }) => userType,
      render: ({ userType }) => (
        <Text size="sm">{userType === 'tenant' ? 'Tenant user' : 'Organization'}</Text>
      ),
    },
    {
      id: 'added',
      header: 'Added',
      width: '8rem',
      isWide: true,
      text: ({ addedAt }) => addedAt,
      render: ({ addedAt }) => <RelativeTime at={addedAt} />,
    },
  ];
  if (remove === null) return readOnly;
  const last: Column<GroupMember> = {
    id: 'remove',
    header: 'Actions',
    isHeaderHidden: true,
    width: '5.5rem',
    render: (member) => (
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={`Remove ${member.name}`}
        onClick={() => remove([member])}
      >
        Remove
      </Button>
    ),
  };
  return [...readOnly, last];
}
