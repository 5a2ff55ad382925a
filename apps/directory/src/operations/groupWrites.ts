import { createEvent, type EventOrigin, untilWritten } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import type { GroupDocument, Membership } from '../store/documents.js';
import { groupState } from './records.js';

/** Deletes a group as it was read; false when it has changed since. */
export async function dropGroupAsRead(
  { stores }: Directory,
  group: GroupDocument,
  origin: EventOrigin,
): Promise<boolean> {
  const { organizationId, _id: id } = group;
  const userIds = await stores.groups.listUserIds(organizationId, group);
  const data = { ...groupState(group), userIds };
  const events = [createEvent('management.group.deleted.v1', id, { origin, data })];
  return stores.groups.delete(organizationId, group, { events, now: origin.now });
}

/** Deletes a group, whatever became of it since it was read. Does nothing when it is gone. */
export async function dropGroup(
  directory: Directory,
  { organizationId, _id: id }: GroupDocument,
  origin: EventOrigin,
): Promise<void> {
  await untilWritten(async () => {
    const current = await directory.stores.groups.findByKey(organizationId, id);
    return !current || (await dropGroupAsRead(directory, current, origin)) || null;
  });
}

/** What an event tells of memberships. */
export function membersState(groupId: string, members: readonly Membership[]) {
  return { groupId, members: members.map(({ id, userId, userKey }) => ({ id, userId, userKey })) };
}

/** Takes people who are gone out of one group. */
export async function dropMembers(
  { stores }: Directory,
  {
    organizationId,
    groupId,
    userKeys,
  }: { organizationId: string; groupId: string; userKeys: readonly string[] },
  origin: EventOrigin,
): Promise<void> {
  await untilWritten(async () => {
    const found = await stores.groupMembers.findSelected(organizationId, groupId, { userKeys });
    if (!found || found.members.length === 0) return true;
    const { group, members } = found;
    const data = membersState(groupId, members);
    const events = [createEvent('management.group_member.removed.v1', groupId, { origin, data })];
    return stores.groupMembers.remove(organizationId, group, { members, events, now: origin.now });
  });
}
