import { GROUP_MEMBERS_MAX } from '@gatehouse/contract';
import {
  type LimitsOf,
  orNotFound,
  type Page,
  retryOnConflict,
  type Slice,
  sliceOf,
  WriteConflict,
} from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { GroupDocument, Membership } from '../../records/documents.js';
import { OrganizationRecordStore } from '../../records/store/recordStore.js';
import { MemberParts, type FoundPart } from './memberParts.js';
import {
  isBehind,
  memberCondition,
  membersAfter,
  partSelection,
  placeAt,
  type MemberPlace,
  type MemberSelector,
} from './selectMembers.js';

/** A group with the selected memberships, from one state of the group. */
export interface GroupWithMembers {
  group: GroupDocument;
  members: Membership[];
}

/** A state of a group. Every change of its members changes the revision. */
export type GroupState = Pick<GroupDocument, '_id' | 'revision' | 'updatedAt'>;

/** A state of a group, and the number of its members. */
export type GroupSize = GroupState & Pick<GroupDocument, 'memberCount'>;

/** The members of one group, in no particular order. Lists of texts are read faster than documents. */
export interface MemberNames extends GroupState {
  keys: string[];
  ids: string[];
}

/**
 * Reads the memberships of groups, oldest first. They are stored in the groups' documents. A very large group
 * has its older members in parts, which its document lists: see {@link MemberParts}.
 */
export abstract class GroupMemberReads extends OrganizationRecordStore<GroupDocument> {
  protected readonly parts: MemberParts;

  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'groups',
      quota: 'group memberships',
      omitted: ['members', 'terms'],
    });
    this.parts = new MemberParts(database);
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
    const after = cursor === undefined ? undefined : placeAt(groupId, cursor);
    const input = after === undefined ? '$members' : membersAfter(after);
    const sorted = { $sortArray: { input, sortBy: { addedAt: 1, id: 1 } } };
    const skipped = Math.min(skip, GROUP_MEMBERS_MAX);
    // The members of the parts come first.
    const skippedHere = { $max: [0, { $subtract: [skipped, { $sum: '$parts.count' }] }] };
    const members = { $slice: [sorted, after === undefined ? skippedHere : 0, limit + 1] };
    const endOf = ({ addedAt, id }: Membership) => ['members', groupId, addedAt.getTime(), id];
    return retryOnConflict(async () => {
      const { group, members: newer } = orNotFound(await this.#findWith(organizationId, groupId, members));
      const place = { after, skip: after === undefined ? skipped : 0, count: limit + 1 };
      const older = await this.#readParts(organizationId, group, place);
      return { group, ...sliceOf([...older, ...newer].slice(0, limit + 1), limit, endOf) };
    });
  }

  /** The first `count` members of the parts after a place, or after `skip` members. */
  async #readParts(
    organizationId: string,
    { parts = [] }: GroupDocument,
    { after, skip, count }: { after: MemberPlace | undefined; skip: number; count: number },
  ): Promise<Membership[]> {
    const read: Membership[] = [];
    let left = skip;
    for (const part of parts) {
      if (read.length >= count) break;
      if (after !== undefined && part.last < after.addedAt) continue;
      if (left >= part.count) left -= part.count;
      else {
        const { members } = await this.parts.get(organizationId, part.id);
        const wanted = after === undefined ? members : members.filter((member) => isBehind(member, after));
        read.push(...wanted.slice(left));
        left = 0;
      }
    }
    return read.slice(0, count);
  }

  /** A group and its selected members; null when the group does not exist. */
  async findSelected(
    organizationId: string,
    groupId: string,
    selector: MemberSelector,
  ): Promise<GroupWithMembers | null> {
    const members = { $filter: { input: '$members', cond: memberCondition(selector) } };
    return retryOnConflict(async () => {
      const found = await this.#findWith(organizationId, groupId, members);
      const listed = new Set((found?.group.parts ?? []).map((part) => part.id));
      if (found === null || listed.size === 0) return found;
      const { lookups, isSelected } = partSelection(selector);
      const older = new Map<string, Membership>();
      for (const lookup of lookups)
        for await (const { _id, members: all } of this.parts.scan(organizationId, groupId, lookup)) {
          const selected = listed.has(_id) ? all.filter(isSelected) : [];
          for (const member of selected) older.set(member.id, member);
        }
      // A part that was replaced meanwhile may be missing.
      const [state] = await this.listStates(organizationId, [groupId]);
      if (state?.revision !== found.group.revision) throw new WriteConflict();
      return { group: found.group, members: [...older.values(), ...found.members] };
    });
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
    const projection = { members: 1, parts: 1 };
    return retryOnConflict(async () => {
      const groups = await this.findMany(organizationId, { _id: { $in: groupIds } }, { projection });
      const byGroup = new Map<string, Membership[]>();
      for (const group of groups) {
        const place = { after: undefined, skip: 0, count: Infinity };
        const older = await this.#readParts(organizationId, group, place);
        byGroup.set(group._id, [...older, ...(group.members ?? [])]);
      }
      return byGroup;
    });
  }

  /** The states of several groups. */
  listStates(organizationId: string, groupIds: readonly string[]): Promise<GroupSize[]> {
    const projection = { revision: 1, updatedAt: 1, memberCount: 1 };
    return this.findMany(organizationId, { _id: { $in: groupIds } }, { projection });
  }

  /** The keys and ids of the members of several groups. */
  async listNames(organizationId: string, groupIds: readonly string[]): Promise<MemberNames[]> {
    const names = { keys: '$members.userKey', ids: '$members.userId', parts: '$parts.id' };
    const stages = [{ $project: { revision: 1, updatedAt: 1, ...names } }];
    return retryOnConflict(async () => {
      type Read = MemberNames & { parts?: string[] };
      const groups = await this.aggregate<Read>(organizationId, { _id: { $in: groupIds } }, { stages });
      for (const { parts, keys, ids } of groups) {
        if (parts === undefined) continue;
        for (const part of await this.parts.listNames(organizationId, parts)) {
          keys.push(...part.keys);
          ids.push(...part.ids);
        }
      }
      return groups.map(({ _id, revision, updatedAt, keys, ids }) => ({
        _id,
        revision,
        updatedAt,
        keys,
        ids,
      }));
    });
  }

  /**
   * The ids of a user's groups, or of those among some. Indexes cover the queries, so no group document is
   * read.
   */
  async listGroupIds(organizationId: string, userKey: string, among?: readonly string[]): Promise<string[]> {
    if (among?.length === 0) return [];
    const isAmong = among === undefined ? {} : { _id: { $in: among } };
    const condition = { 'members.userKey': userKey, ...isAmong };
    // One list of texts: a user may be in thousands of groups.
    const stages = [{ $sort: { _id: 1 } }, { $group: { _id: null, ids: { $push: '$_id' } } }];
    const options = { stages, excludesTombstones: true, hint: 'byMember' };
    const [ids, inParts] = await this.#withParts(organizationId, { userKeys: [userKey], among }, async () => {
      const [found] = await this.aggregate<{ ids: string[] }>(organizationId, condition, options);
      return found?.ids ?? [];
    });
    if (inParts.length === 0) return ids;
    return [...new Set([...ids, ...inParts.map(({ groupId }) => groupId)])].toSorted();
  }

  /** The keys of the users who are in at least `count` groups. Reads the indexes alone. */
  async listInGroups(organizationId: string, userKeys: readonly string[], count: number): Promise<string[]> {
    const stages = [{ $limit: count }, { $group: { _id: null, groups: { $sum: 1 } } }];
    const options = { stages, excludesTombstones: true, hint: 'byMember' };
    const inParts = (await this.parts.findOf(organizationId, userKeys)).flatMap((part) => part.userKeys);
    const counts = new Map<string, number>();
    for (const key of inParts) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const key of userKeys) {
      const condition = { 'members.userKey': key };
      const [found] = await this.aggregate<{ groups: number }>(organizationId, condition, options);
      counts.set(key, (counts.get(key) ?? 0) + (found?.groups ?? 0));
    }
    return userKeys.filter((key) => (counts.get(key) ?? 0) >= count);
  }

  /** The ids of the groups of several users, by user key. */
  async listGroupIdsOf(organizationId: string, userKeys: readonly string[]): Promise<Map<string, string[]>> {
    const members = { $filter: { input: '$members', cond: memberCondition({ userKeys }) } };
    const condition = { 'members.userKey': { $in: userKeys } };
    const options = { projection: { members }, sort: { _id: 1 } };
    const [groups, inParts] = await this.#withParts(organizationId, { userKeys }, () =>
      this.findMany(organizationId, condition, options),
    );
    const byUser = new Map(userKeys.map((key) => [key, new Set<string>()]));
    for (const group of groups) {
      for (const member of group.members ?? []) byUser.get(member.userKey)?.add(group._id);
    }
    for (const part of inParts) for (const key of part.userKeys) byUser.get(key)?.add(part.groupId);
    return new Map([...byUser].map(([key, ids]) => [key, [...ids].toSorted()]));
  }

  /**
   * Reads something of the groups of users, and then the parts that these users are in.
   *
   * Members only move from the document of a group to a part, or from one part to another, so none is missed
   * in this order unless a part was replaced between the two reads. It is then found without its group
   * listing it, and everything is read again. What the same state of a group did not list before is no
   * replaced part, but one that a crash has left.
   */
  async #withParts<R>(
    organizationId: string,
    { userKeys, among }: { userKeys: readonly string[]; among?: readonly string[] | undefined },
    read: () => Promise<R>,
  ): Promise<[R, FoundPart[]]> {
    /** The parts that were found unlisted, with the revision of their group. */
    const unlisted = new Map<string, number | undefined>();
    return retryOnConflict(async () => {
      const result = await read();
      const found = await this.parts.findOf(organizationId, userKeys, among);
      if (found.length === 0) return [result, []];
      const { listed, revisions } = await this.#listedAmong(organizationId, found);
      const isSettled = ({ _id, groupId }: FoundPart) =>
        unlisted.has(_id) && unlisted.get(_id) === revisions.get(groupId);
      const others = found.filter(({ _id }) => !listed.has(_id));
      if (others.every(isSettled)) return [result, found.filter(({ _id }) => listed.has(_id))];
      for (const { _id, groupId } of others) unlisted.set(_id, revisions.get(groupId));
      throw new WriteConflict();
    });
  }

  /** The ids of the parts that their groups list, and the revisions of the groups. */
  async #listedAmong(organizationId: string, found: readonly FoundPart[]) {
    const [groupIds, ids] = [found.map(({ groupId }) => groupId), found.map(({ _id }) => _id)];
    const parts = { $filter: { input: '$parts', cond: { $in: ['$$this.id', ids] } } };
    const condition = { _id: { $in: [...new Set(groupIds)] } };
    const groups = await this.findMany(organizationId, condition, { projection: { parts, revision: 1 } });
    return {
      listed: new Set(groups.flatMap((group) => (group.parts ?? []).map(({ id }) => id))),
      revisions: new Map(groups.map(({ _id, revision }) => [_id, revision])),
    };
  }

  /** A group, and the members that an expression on its document returns. */
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
