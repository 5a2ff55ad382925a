import { AppError, GROUP_MEMBERS_MAX, invalidField, type FieldError } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  newId,
  type Operation,
  requireVersion,
  untilWritten,
} from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { canSeeTenant } from '../logic/authority.js';
import type { GroupDocument, Membership } from '../store/documents.js';
import type { MemberSelector } from '../store/groupMembers.js';
import { dropMembers, membersState } from './groupWrites.js';
import { presentMembers } from './memberRecords.js';
import { callOrigin } from './origins.js';
import { findPeopleById, findPeopleByKey, type Person } from './people.js';
import { requireGroupManager, requireReader } from './refusals.js';

export async function listGroupMembers(
  directory: Directory,
  { id, page, limit }: Input<'groups', 'members'>,
  context: CallContext,
): Answer<'groups', 'members'> {
  const reader = requireReader(context.principal);
  const { organizationId } = reader;
  const skip = (page - 1) * limit;
  const { group, members } = await directory.stores.groupMembers.getPage(organizationId, id, { skip, limit });
  if (!canSeeTenant(reader, group.tenantKey)) throw new AppError('NOT_FOUND');
  const total = group.memberCount;
  const records = await presentMembers(directory, organizationId, members);
  return { members: records, total, page, limit, hasMore: skip + members.length < total };
}

export async function addGroupMembers(
  directory: Directory,
  { id, userIds }: Input<'groups', 'addMembers'>,
  context: CallContext,
): Answer<'groups', 'addMembers'> {
  const { organizationId, userId: addedBy } = requireGroupManager(context.principal);
  const { groupMembers } = directory.stores;
  const { now, operation } = context;
  const people = await findPeopleById(directory, organizationId, userIds);
  const named = [...new Set(userIds)].flatMap((userId) => people.get(userId) ?? []);
  const userKeys = named.map((person) => person._id);
  const added = await untilWritten(async () => {
    const { group, members: present } = await groupMembers.getSelected(organizationId, id, { userKeys });
    refuseStrangers(group, userIds, people);
    const wanted = named.map((person) => membershipOf(person, { operation, addedAt: now, addedBy }));
    const members = wanted.filter(({ userKey }) => !present.some((member) => member.userKey === userKey));
    // Those that an earlier run of this operation has added are among the added ones still.
    const addedBefore = present.filter(({ id: memberId }) => wanted.some((member) => member.id === memberId));
    if (members.length === 0) return addedBefore;
    if (group.memberCount + members.length > GROUP_MEMBERS_MAX) {
      throw invalidField('userIds', `a group has at most ${GROUP_MEMBERS_MAX} members`);
    }
    const data = membersState(id, members);
    const events = [
      createEvent('management.group_member.added.v1', id, { origin: callOrigin(context), data }),
    ];
    const written = await groupMembers.add(organizationId, group, { members, events, now });
    return written && [...addedBefore, ...members];
  });
  await dropDeleted(directory, { groupId: id, added, context });
  return {
    message: 'The members were added',
    addedMembers: await presentMembers(directory, organizationId, added),
  };
}

/** Throws INVALID_REQUEST naming each id that is nobody's, or not that of a user of the group's tenant. */
function refuseStrangers(
  group: GroupDocument,
  userIds: readonly string[],
  people: Map<string, Person>,
): void {
  const fieldErrors = userIds.flatMap((id, index): FieldError[] => {
    const person = people.get(id);
    const field = `userIds[${index}]`;
    if (!person) return [{ field, message: 'names no user' }];
    const tenantKey = 'tenantKey' in person ? person.tenantKey : null;
    const mayJoin = group.type === 'ORG_GROUP' || tenantKey === group.tenantKey;
    return mayJoin ? [] : [{ field, message: "names no user of the group's tenant" }];
  });
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
}

function membershipOf(
  person: Person,
  { operation, ...by }: Pick<Membership, 'addedAt' | 'addedBy'> & { operation: Operation | undefined },
): Membership {
  const userType = 'tenantKey' in person ? 'tenant' : 'organization';
  return {
    id: newId('groupMember', operation, person._id),
    userId: person.id,
    userKey: person._id,
    userType,
    ...by,
  };
}

/** Who was deleted before the group was written may have been overlooked by the clean-up after deletions. */
async function dropDeleted(
  directory: Directory,
  { groupId, added, context }: { groupId: string; added: readonly Membership[]; context: CallContext },
): Promise<void> {
  const { organizationId } = context.principal;
  const addedKeys = added.map((member) => member.userKey);
  const people = await findPeopleByKey(directory, organizationId, addedKeys);
  const userKeys = addedKeys.filter((key) => !people.has(key));
  if (userKeys.length > 0)
    await dropMembers(directory, { organizationId, groupId, userKeys }, callOrigin(context));
}

async function removeSelected(
  directory: Directory,
  { id, selector }: { id: string; selector: MemberSelector },
  context: CallContext,
): Promise<Membership[]> {
  const { organizationId } = requireGroupManager(context.principal);
  const { groupMembers } = directory.stores;
  const { now } = context;
  return untilWritten(async () => {
    const { group, members } = await groupMembers.getSelected(organizationId, id, selector);
    requireVersion(context, group.version);
    if (members.length === 0) return members;
    const data = membersState(id, members);
    const events = [
      createEvent('management.group_member.removed.v1', id, { origin: callOrigin(context), data }),
    ];
    return (await groupMembers.remove(organizationId, group, { members, events, now })) && members;
  });
}

export async function removeGroupMembers(
  directory: Directory,
  { id, userIds }: Input<'groups', 'removeMembers'>,
  context: CallContext,
): Answer<'groups', 'removeMembers'> {
  const removed = await removeSelected(directory, { id, selector: { userIds } }, context);
  const removedMembers = await presentMembers(directory, context.principal.organizationId, removed);
  return { message: 'The members were removed', removedMembers };
}

export async function removeGroupMember(
  directory: Directory,
  { id, memberId }: Input<'groups', 'removeMember'>,
  context: CallContext,
): Answer<'groups', 'removeMember'> {
  const removed = await removeSelected(directory, { id, selector: { memberOrUserId: memberId } }, context);
  const [removedMember] = await presentMembers(directory, context.principal.organizationId, removed);
  if (!removedMember) throw new AppError('NOT_FOUND');
  return { message: 'The member was removed', removedMember };
}
