import {
  AppError,
  GROUP_MEMBERS_MAX,
  invalidField,
  type FieldError,
  type GroupMember,
  USER_GROUPS_MAX,
  withName,
} from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  newId,
  type Operation,
  requireVersion,
  retryOnConflict,
} from '@gatehouse/service';
import { canSeeTenant } from '../authorization/logic/decideAccess.js';
import { requireGroupManager, requireReader } from '../authorization/requireAccess.js';
import { callOrigin, type Directory, type Input, type Output } from '../directory.js';
import { findPeopleById, findPeopleByKey, type Person } from '../people/findPeople.js';
import type { GroupDocument, Membership } from '../records/documents.js';
import { joiningTime } from './logic/memberParts.js';
import type { MemberSelector } from './store/selectMembers.js';

function toGroupMember(
  { id, userId, userKey, userType, addedAt, addedBy }: Membership,
  people: ReadonlyMap<string, Person>,
): GroupMember {
  const { name = userId, email = '' } = people.get(userKey) ?? {};
  return { id, userId, userType, name, email, addedAt: addedAt.toISOString(), addedBy };
}

/** Memberships as API records, with current names and e-mails. A user who was just deleted has only an id. */
export async function presentMembers(
  directory: Directory,
  organizationId: string,
  members: readonly Membership[],
): Promise<GroupMember[]> {
  const keys = [...new Set(members.map((member) => member.userKey))];
  const people = await findPeopleByKey(directory, organizationId, keys);
  return members.map((member) => toGroupMember(member, people));
}

/** The data of memberships in events. */
function membersState(groupId: string, members: readonly Membership[]) {
  return { groupId, members: members.map(({ id, userId, userKey }) => ({ id, userId, userKey })) };
}

export async function listGroupMembers(
  directory: Directory,
  { id, page, limit, cursor }: Input<'groups', 'members'>,
  context: CallContext,
): Promise<Output<'groups', 'members'>> {
  const reader = requireReader(context.principal);
  const { organizationId } = reader;
  const skip = (page - 1) * limit;
  const place = { skip, limit, cursor };
  const { group, records, nextCursor } = await directory.stores.groupMembers.getPage(
    organizationId,
    id,
    place,
  );
  if (!canSeeTenant(reader, group.tenantKey)) throw new AppError('NOT_FOUND');
  const total = group.memberCount;
  const members = await presentMembers(directory, organizationId, records);
  return { members, total, page, limit, hasMore: nextCursor !== null, nextCursor };
}

export async function addGroupMembers(
  directory: Directory,
  { id, userIds }: Input<'groups', 'addMembers'>,
  context: CallContext,
): Promise<Output<'groups', 'addMembers'>> {
  const { userId: addedBy } = requireGroupManager(context.principal);
  const { added, people } = await addMembers(
    directory,
    { id, userIds },
    {
      origin: callOrigin(context),
      addedBy,
      operation: context.operation,
      authorize: () => requireCoverage(directory, id, context),
    },
  );
  return {
    message: 'The members were added',
    addedMembers: added.map((member) => toGroupMember(member, people)),
  };
}

/** Who adds members. */
export interface Addition {
  origin: EventOrigin;
  /** The id of a user; null for the platform. */
  addedBy: string | null;
  operation?: Operation | undefined;
  /** Throws FORBIDDEN if the caller may not add a further member. */
  authorize?: () => Promise<void>;
}

/**
 * Adds members to a group, for a request or for the platform. Returns those that it has added, and the users
 * as they were before, by key: one of them may be deleted meanwhile.
 */
export async function addMembers(
  directory: Directory,
  { id, userIds }: Input<'groups', 'addMembers'>,
  { origin, addedBy, operation, authorize }: Addition,
): Promise<{ added: Membership[]; people: ReadonlyMap<string, Person> }> {
  const { groupMembers } = directory.stores;
  const { organizationId, now } = origin;
  const people = await findPeopleById(directory, organizationId, userIds);
  const named = [...new Set(userIds)].flatMap((userId) => people.get(userId) ?? []);
  const userKeys = named.map((person) => person._id);
  const added = await retryOnConflict(async () => {
    const { group, members: present } = await groupMembers.getSelected(organizationId, id, { userKeys });
    rejectIneligible(group, userIds, people);
    const addedAt = joiningTime(group, now);
    const wanted = named.map((person) => membershipOf(person, { operation, addedAt, addedBy }));
    const members = wanted.filter(({ userKey }) => !present.some((member) => member.userKey === userKey));
    // The response includes the members that an earlier run of this operation added.
    const addedBefore = present.filter(({ id: memberId }) => wanted.some((member) => member.id === memberId));
    if (members.length === 0) return addedBefore;
    await authorize?.();
    if (group.memberCount + members.length > GROUP_MEMBERS_MAX) {
      throw invalidField('userIds', `a group has at most ${GROUP_MEMBERS_MAX} members`, 'length');
    }
    await rejectFull(directory, { organizationId, userIds }, members);
    const data = membersState(id, members);
    const events = [createEvent('management.group_member.added.v1', id, { origin, data })];
    await groupMembers.add(organizationId, group, { members, events, now });
    return [...addedBefore, ...members];
  });
  await removeDeleted(directory, { groupId: id, added }, origin);
  return { added, people: new Map(named.map((person) => [person._id, person])) };
}

/**
 * Membership gives access to everything shared with the group, so adding a member is capped like a grant.
 * Throws FORBIDDEN for an AUTHOR with less access than the group.
 */
async function requireCoverage({ services }: Directory, id: string, context: CallContext): Promise<void> {
  if (requireGroupManager(context.principal).role === 'ADMIN') return;
  const { isCovered } = await services.access.groups.isCovered.query({ id }, { context });
  if (isCovered) return;
  const message = 'Adding a member requires the access that the group has to each resource shared with it';
  throw new AppError('FORBIDDEN', { message });
}

/** Throws INVALID_REQUEST with each id that matches no user, or no user of the group's tenant. */
function rejectIneligible(
  group: GroupDocument,
  userIds: readonly string[],
  people: Map<string, Person>,
): void {
  const fieldErrors = userIds.flatMap((id, index): FieldError[] => {
    const person = people.get(id);
    const field = `userIds[${index}]`;
    if (!person) return [{ field, message: withName('names no user', id), code: 'reference' }];
    const tenantKey = 'tenantKey' in person ? person.tenantKey : null;
    const mayJoin = group.type === 'ORG_GROUP' || tenantKey === group.tenantKey;
    const message = withName("names no user of the group's tenant", id);
    return mayJoin ? [] : [{ field, message, code: 'reference' }];
  });
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
}

/** Throws INVALID_REQUEST with each id of a new member who is in as many groups as a user may be. */
async function rejectFull(
  { stores }: Directory,
  { organizationId, userIds }: { organizationId: string; userIds: readonly string[] },
  members: readonly Membership[],
): Promise<void> {
  const userKeys = members.map(({ userKey }) => userKey);
  const full = await stores.groupMembers.listInGroups(organizationId, userKeys, USER_GROUPS_MAX);
  const fieldErrors = members.flatMap(({ userId, userKey }): FieldError[] => {
    const message = withName(`must name a user of fewer than ${USER_GROUPS_MAX} groups`, userId);
    const field = `userIds[${userIds.indexOf(userId)}]`;
    return full.includes(userKey) ? [{ field, message, code: 'length' }] : [];
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

/**
 * Removes users who were deleted before the write: the clean-up after their deletion may have missed this
 * group.
 */
async function removeDeleted(
  directory: Directory,
  { groupId, added }: { groupId: string; added: readonly Membership[] },
  origin: EventOrigin,
): Promise<void> {
  const { organizationId } = origin;
  const addedKeys = added.map((member) => member.userKey);
  const people = await findPeopleByKey(directory, organizationId, addedKeys);
  const userKeys = addedKeys.filter((key) => !people.has(key));
  if (userKeys.length > 0) await ensureUsersRemoved(directory, { organizationId, groupId, userKeys }, origin);
}

async function removeSelected(
  directory: Directory,
  { id, selector }: { id: string; selector: MemberSelector },
  context: CallContext,
): Promise<Membership[]> {
  const { organizationId } = requireGroupManager(context.principal);
  const { groupMembers } = directory.stores;
  const { now } = context;
  return retryOnConflict(async () => {
    const { group, members } = await groupMembers.getSelected(organizationId, id, selector);
    requireVersion(context, group.version);
    if (members.length === 0) return members;
    const data = membersState(id, members);
    const events = [
      createEvent('management.group_member.removed.v1', id, { origin: callOrigin(context), data }),
    ];
    await groupMembers.remove(organizationId, group, { members, events, now });
    return members;
  });
}

export async function removeGroupMembers(
  directory: Directory,
  { id, userIds }: Input<'groups', 'removeMembers'>,
  context: CallContext,
): Promise<Output<'groups', 'removeMembers'>> {
  const removed = await removeSelected(directory, { id, selector: { userIds } }, context);
  const removedMembers = await presentMembers(directory, context.principal.organizationId, removed);
  return { message: 'The members were removed', removedMembers };
}

export async function removeGroupMember(
  directory: Directory,
  { id, memberId }: Input<'groups', 'removeMember'>,
  context: CallContext,
): Promise<Output<'groups', 'removeMember'>> {
  const removed = await removeSelected(directory, { id, selector: { memberOrUserId: memberId } }, context);
  const [removedMember] = await presentMembers(directory, context.principal.organizationId, removed);
  if (!removedMember) throw new AppError('NOT_FOUND');
  return { message: 'The member was removed', removedMember };
}

/** Removes deleted users from a group. Does nothing when they are not members or the group does not exist. */
export async function ensureUsersRemoved(
  { stores }: Directory,
  {
    organizationId,
    groupId,
    userKeys,
  }: { organizationId: string; groupId: string; userKeys: readonly string[] },
  origin: EventOrigin,
): Promise<void> {
  await retryOnConflict(async () => {
    const found = await stores.groupMembers.findSelected(organizationId, groupId, { userKeys });
    if (!found || found.members.length === 0) return;
    const { group, members } = found;
    const data = membersState(groupId, members);
    const events = [createEvent('management.group_member.removed.v1', groupId, { origin, data })];
    await stores.groupMembers.remove(organizationId, group, { members, events, now: origin.now });
  });
}
