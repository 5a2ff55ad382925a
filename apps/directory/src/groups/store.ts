import { GROUP_MEMBERS_MAX, type GroupType } from '@gatehouse/contract';
import {
  containing,
  type Current,
  CursorTime,
  decodeCursor,
  type LimitsOf,
  orNotFound,
  type Page,
  type ReadLimits,
  type Slice,
  sliceOf,
  type Written,
} from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import { z } from 'zod';
import type { GroupDocument, Membership } from '../records/documents.js';
import { groupTerms, TERM_SOURCES } from '../records/terms.js';
import type { Found } from '../records/totals.js';
import { ListedStore } from '../records/store/listedStore.js';
import { OrganizationRecordStore } from '../records/store/recordStore.js';

/** Selects the groups of a list. */
export interface GroupFilter {
  searchFolded?: string | undefined;
  type?: GroupType | undefined;
  tenantId?: string | undefined;
  /** The only tenant whose groups the caller may see; null for all groups. */
  withinTenantKey: string | null;
}

export interface GroupPage extends Page {
  sort: 'name' | 'created' | 'members';
  order: 'asc' | 'desc';
}

const SORTS = {
  name: { by: 'nameFolded', hint: 'byName' },
  created: { by: 'createdAt', hint: 'byCreation' },
  members: { by: 'memberCount', hint: 'byMemberCount' },
} as const;

/** Groups without their members, which `GroupMemberStore` reads and writes. */
export class GroupStore extends ListedStore<GroupDocument> {
  constructor(database: Db, limitsOf: LimitsOf, readLimits?: ReadLimits) {
    const kind = {
      collection: 'groups',
      quota: 'groups',
      omitted: ['members'],
      sources: TERM_SOURCES.group,
      termsOf: groupTerms,
      readLimits,
    } as const;
    super(database, limitsOf, kind);
  }

  async get(organizationId: string, id: string): Promise<GroupDocument> {
    return this.getByKey(organizationId, id);
  }

  page(
    organizationId: string,
    filter: GroupFilter,
    { sort, order, ...page }: GroupPage,
  ): Promise<Found<GroupDocument>> {
    const { searchFolded, type, tenantId, withinTenantKey } = filter;
    const tenantKey = withinTenantKey ?? undefined;
    const fields = { type, tenantId, tenantKey };
    const conditions = {
      ...(searchFolded === undefined ? {} : { nameFolded: containing(searchFolded) }),
      ...(type === undefined ? {} : { type }),
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(tenantKey === undefined ? {} : { tenantKey }),
    };
    const { by, hint } = SORTS[sort];
    const listed = {
      part: { condition: {}, hint },
      countHint: SORTS.name.hint,
      conditions,
      terms: { fields, search: searchFolded },
    };
    const direction = order === 'asc' ? 1 : -1;
    return this.findListed(organizationId, listed, { ...page, by, direction });
  }

  /** The groups of a tenant. */
  listOf(organizationId: string, tenantKey: string): Promise<GroupDocument[]> {
    return this.findMany(organizationId, { tenantKey });
  }

  /** The ids of all members of a group as it was read, for the event of its deletion. */
  async listUserIds(organizationId: string, current: Current): Promise<string[]> {
    const found = await this.findOne(organizationId, { _id: current._id }, { 'members.userId': 1 });
    return (found?.members ?? []).map((member) => member.userId);
  }
}

/** A group with the selected memberships, from a single read. */
export interface GroupWithMembers {
  group: GroupDocument;
  members: Membership[];
}

/** Selects memberships of a group. */
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

/** The members of a group after a cursor. */
function membersAfter(groupId: string, cursor: string): Document {
  const parts = z.tuple([z.literal('members'), z.literal(groupId), CursorTime, z.string()]);
  const [, , addedAt, id] = decodeCursor(cursor, parts);
  const isLater = { $gt: ['$$this.addedAt', addedAt] };
  const isBeside = { $and: [{ $eq: ['$$this.addedAt', addedAt] }, { $gt: ['$$this.id', { $literal: id }] }] };
  return { $filter: { input: '$members', cond: { $or: [isLater, isBeside] } } };
}

/** A state of a group. Every change of its members changes the revision. */
export type GroupState = Pick<GroupDocument, '_id' | 'revision' | 'updatedAt'>;

/** A state of a group, and the number of its members. */
export type GroupSize = GroupState & Pick<GroupDocument, 'memberCount'>;

/** The members of one group, in one order. Lists of texts are read faster than a document for each member. */
export interface MemberNames extends GroupState {
  keys: string[];
  ids: string[];
}

/** The memberships of groups, oldest first. They are stored in the groups' documents. */
export class GroupMemberStore extends OrganizationRecordStore<GroupDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'groups',
      quota: 'group memberships',
      omitted: ['members', 'terms'],
    });
  }

  /**
   * A group and one page of its members.
   * @throws INVALID_REQUEST, naming `cursor`, for a cursor of another list
   */
  async getPage(
    organizationId: string,
    groupId: string,
    { skip, limit, cursor }: Page,
  ): Promise<{ group: GroupDocument } & Slice<Membership>> {
    const input = cursor === undefined ? '$members' : membersAfter(groupId, cursor);
    const sorted = { $sortArray: { input, sortBy: { addedAt: 1, id: 1 } } };
    const members = { $slice: [sorted, Math.min(skip, GROUP_MEMBERS_MAX), limit + 1] };
    const found = orNotFound(await this.#findWith(organizationId, groupId, members));
    const endOf = ({ addedAt, id }: Membership) => ['members', groupId, addedAt.getTime(), id];
    return { group: found.group, ...sliceOf(found.members, limit, endOf) };
  }

  /** A group and its selected members; null when the group does not exist. */
  async findSelected(
    organizationId: string,
    groupId: string,
    selector: MemberSelector,
  ): Promise<GroupWithMembers | null> {
    const members = { $filter: { input: '$members', cond: memberCondition(selector) } };
    return this.#findWith(organizationId, groupId, members);
  }

  /** Like `findSelected`, but throws NOT_FOUND when the group does not exist. */
  async getSelected(
    organizationId: string,
    groupId: string,
    selector: MemberSelector,
  ): Promise<GroupWithMembers> {
    return orNotFound(await this.findSelected(organizationId, groupId, selector));
  }

  /** All members of several groups, by group id. */
  async listAll(organizationId: string, groupIds: readonly string[]): Promise<Map<string, Membership[]>> {
    const projection = { members: 1 };
    const groups = await this.findMany(organizationId, { _id: { $in: groupIds } }, { projection });
    return new Map(groups.map((group) => [group._id, group.members ?? []]));
  }

  /** The states of several groups. */
  listStates(organizationId: string, groupIds: readonly string[]): Promise<GroupSize[]> {
    const projection = { revision: 1, updatedAt: 1, memberCount: 1 };
    return this.findMany(organizationId, { _id: { $in: groupIds } }, { projection });
  }

  /** The keys and ids of the members of several groups. */
  listNames(organizationId: string, groupIds: readonly string[]): Promise<MemberNames[]> {
    const names = { keys: '$members.userKey', ids: '$members.userId' };
    const stages = [{ $project: { revision: 1, updatedAt: 1, ...names } }];
    return this.aggregate<MemberNames>(organizationId, { _id: { $in: groupIds } }, { stages });
  }

  /**
   * The ids of a user's groups, or of those among some. The index covers the query, so no group document is
   * read.
   */
  async listGroupIds(organizationId: string, userKey: string, among?: readonly string[]): Promise<string[]> {
    if (among?.length === 0) return [];
    const isAmong = among === undefined ? {} : { _id: { $in: among } };
    const condition = { 'members.userKey': userKey, ...isAmong };
    // One list of texts: a user may be in thousands of groups.
    const stages = [{ $sort: { _id: 1 } }, { $group: { _id: null, ids: { $push: '$_id' } } }];
    const options = { stages, excludesTombstones: true, hint: 'byMember' };
    const [found] = await this.aggregate<{ ids: string[] }>(organizationId, condition, options);
    return found?.ids ?? [];
  }

  /** The ids of the groups of several users, by user key. */
  async listGroupIdsOf(organizationId: string, userKeys: readonly string[]): Promise<Map<string, string[]>> {
    const members = { $filter: { input: '$members', cond: memberCondition({ userKeys }) } };
    const condition = { 'members.userKey': { $in: userKeys } };
    const options = { projection: { members }, sort: { _id: 1 } };
    const groups = await this.findMany(organizationId, condition, options);
    const byUser = new Map(userKeys.map((key): [string, string[]] => [key, []]));
    for (const group of groups) {
      for (const member of group.members ?? []) byUser.get(member.userKey)?.push(group._id);
    }
    return byUser;
  }

  /** Adds members to a group as it was read. Throws WriteConflict when it has changed since. */
  add(
    organizationId: string,
    current: Current,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument> {
    const update = { $push: { members: { $each: members } }, $inc: { memberCount: members.length } };
    return this.withinQuota(organizationId, members.length, () =>
      this.change(organizationId, current, { update, events, now }),
    );
  }

  /** Removes members from a group as it was read. Throws WriteConflict when it has changed since. */
  remove(
    organizationId: string,
    current: Current,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument> {
    const ids = members.map((member) => member.id);
    const update = { $pull: { members: { id: { $in: ids } } }, $inc: { memberCount: -members.length } };
    return this.withinQuota(organizationId, -members.length, () =>
      this.change(organizationId, current, { update, events, now }),
    );
  }

  /** Runs the deletion of a group as it was read, whose members no longer count. */
  whileDeleting<R>(
    organizationId: string,
    { memberCount }: Pick<GroupDocument, 'memberCount'>,
    deletion: () => Promise<R>,
  ): Promise<R> {
    return this.withinQuota(organizationId, -memberCount, deletion);
  }

  protected override async countUsage(organizationId: string): Promise<{ records: number; bytes: number }> {
    const [found] = await this.aggregate<{ members: number }>(
      organizationId,
      { memberCount: { $gte: 0 } },
      {
        stages: [{ $group: { _id: null, members: { $sum: '$memberCount' } } }],
        hint: 'byMemberCount',
        excludesTombstones: true,
      },
    );
    return { records: found?.members ?? 0, bytes: 0 };
  }

  async #findWith(
    organizationId: string,
    groupId: string,
    members: Document,
  ): Promise<GroupWithMembers | null> {
    const stages = [{ $set: { members } }, { $unset: ['outbox', 'terms'] }];
    const [found] = await this.aggregate<GroupDocument>(organizationId, { _id: groupId }, { stages });
    if (!found) return null;
    const { members: selected = [], ...group } = found;
    return { group, members: selected };
  }
}
