import { GROUP_MEMBERS_MAX } from '@gatehouse/contract';
import type { Db, Document } from 'mongodb';
import type { GroupDocument, Membership } from './documents.js';
import { orNotFound, RecordStore, type Current, type Page, type Written } from './recordStore.js';

/** A group with those of its memberships that were asked for, read at one moment. */
export interface GroupWithMembers {
  group: GroupDocument;
  members: Membership[];
}

/** Which memberships of a group. */
export type MemberSelector =
  | { userKeys: readonly string[] }
  | { userIds: readonly string[] }
  | { memberOrUserId: string };

function memberCondition(selector: MemberSelector): Document {
  if ('userKeys' in selector) return { $in: ['$$this.userKey', selector.userKeys] };
  if ('userIds' in selector) return { $in: ['$$this.userId', selector.userIds] };
  const { memberOrUserId } = selector;
  return { $or: [{ $eq: ['$$this.id', memberOrUserId] }, { $eq: ['$$this.userId', memberOrUserId] }] };
}

/** The memberships of groups, which live in the groups' documents, oldest first. */
export class GroupMemberStore extends RecordStore<GroupDocument> {
  protected override readonly projection: Document = { outbox: 0, members: 0 };

  constructor(database: Db) {
    super(database, 'groups');
  }

  /** A group and one page of its members. */
  async getPage(organizationId: string, groupId: string, { skip, limit }: Page): Promise<GroupWithMembers> {
    const members = { $slice: ['$members', Math.min(skip, GROUP_MEMBERS_MAX), limit] };
    return orNotFound(await this.#findWith(organizationId, groupId, members));
  }

  /** A group and the members that a selector names; null when there is no such group. */
  async findSelected(
    organizationId: string,
    groupId: string,
    selector: MemberSelector,
  ): Promise<GroupWithMembers | null> {
    const members = { $filter: { input: '$members', cond: memberCondition(selector) } };
    return this.#findWith(organizationId, groupId, members);
  }

  /** As `findSelected`, for a group that has to be there. */
  async getSelected(
    organizationId: string,
    groupId: string,
    selector: MemberSelector,
  ): Promise<GroupWithMembers> {
    return orNotFound(await this.findSelected(organizationId, groupId, selector));
  }

  /** All members of several groups, by group id. */
  async listAll(organizationId: string, groupIds: readonly string[]): Promise<Map<string, Membership[]>> {
    const filter = this.filterOf(organizationId, { _id: { $in: groupIds } });
    const groups = await this.collection.find(filter, { projection: { members: 1 } }).toArray();
    return new Map(groups.map((group) => [group._id, group.members ?? []]));
  }

  /** The keys of everyone who is in at least one of the groups. */
  async listUserKeys(organizationId: string, groupIds: readonly string[]): Promise<string[]> {
    const filter = this.filterOf(organizationId, { _id: { $in: groupIds } });
    const groups = await this.collection.find(filter, { projection: { 'members.userKey': 1 } }).toArray();
    return [...new Set(groups.flatMap((group) => (group.members ?? []).map((member) => member.userKey)))];
  }

  /** The ids of the groups that a user is in. Served by the index alone: the groups are not looked at. */
  async listGroupIds(organizationId: string, userKey: string): Promise<string[]> {
    const filter = { organizationId, 'members.userKey': userKey };
    const groups = await this.collection.find(filter, { projection: { _id: 1 }, sort: { _id: 1 } }).toArray();
    return groups.map((group) => group._id);
  }

  /** The ids of the groups that each of several users is in, by user key. */
  async listGroupIdsOf(organizationId: string, userKeys: readonly string[]): Promise<Map<string, string[]>> {
    const members = { $filter: { input: '$members', cond: memberCondition({ userKeys }) } };
    const filter = this.filterOf(organizationId, { 'members.userKey': { $in: userKeys } });
    const groups = await this.collection
      .find(filter, { projection: { members }, sort: { _id: 1 } })
      .toArray();
    const byUser = new Map(userKeys.map((key): [string, string[]] => [key, []]));
    for (const group of groups) {
      for (const member of group.members ?? []) byUser.get(member.userKey)?.push(group._id);
    }
    return byUser;
  }

  /** Adds members to a group as it was read; null when it has changed since. */
  add(
    organizationId: string,
    current: Current,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument | null> {
    const update = { $push: { members: { $each: members } }, $inc: { memberCount: members.length } };
    return this.write(organizationId, current, { update, events, now });
  }

  /** Removes members from a group as it was read; null when it has changed since. */
  remove(
    organizationId: string,
    current: Current,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument | null> {
    const ids = members.map((member) => member.id);
    const update = { $pull: { members: { id: { $in: ids } } }, $inc: { memberCount: -members.length } };
    return this.write(organizationId, current, { update, events, now });
  }

  async #findWith(
    organizationId: string,
    groupId: string,
    members: Document,
  ): Promise<GroupWithMembers | null> {
    const match = this.filterOf(organizationId, { _id: groupId });
    const stages = [{ $match: match }, { $set: { members } }, { $unset: 'outbox' }];
    const [found] = await this.collection.aggregate<GroupDocument>(stages).toArray();
    if (!found) return null;
    const { members: selected = [], ...group } = found;
    return { group, members: selected };
  }
}
