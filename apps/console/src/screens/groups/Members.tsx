import type { Group, GroupMember } from '@gatehouse/contract';
import { Button, Group as Row, Text } from '@mantine/core';
import { useState } from 'react';
import { BulkBar } from '../../components/BulkBar.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { NameLink } from '../../components/NameLink.js';
import { notifyDone, notifyError, notifyUndo } from '../../components/notify.js';
import { Picker, type Choice } from '../../components/Picker.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useSelection } from '../../components/selection.js';
import { useApi } from '../../data/api.js';
import { peopleSource } from '../../data/choices.js';
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

function AddMember({ group, add }: { group: Group; add: (choice: Choice) => void }) {
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
          if (choice !== null) add(choice);
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
  const reload = () => cache.outdate('members', 'groups');
  const addAll = async (userIds: string[]) => {
    for (let start = 0; start < userIds.length; start += BATCH)
      await api.addGroupMembers({ id, userIds: userIds.slice(start, start + BATCH) });
    await reload();
  };
  const removeAll = async (members: readonly GroupMember[]) => {
    const [first] = members;
    if (members.length === 1 && first) await api.removeGroupMember({ id, memberId: first.userId });
    else
      for (let start = 0; start < members.length; start += BATCH)
        await api.removeGroupMembers({
          id,
          userIds: members.slice(start, start + BATCH).map(({ userId }) => userId),
        });
    await reload();
    const what = members.length === 1 && first ? first.name : `${members.length} members`;
    notifyUndo(`${what} removed`, () => addAll(members.map(({ userId }) => userId)));
  };
  return {
    add: ({ id: userId, name }: Choice) =>
      void addAll([userId]).then(() => notifyDone(`${name} added`), notifyError),
    remove: (members: readonly GroupMember[]) => void removeAll(members).catch(notifyError),
  };
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
