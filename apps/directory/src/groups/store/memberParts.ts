import { PlatformCollection, ScopedCollection, WriteConflict } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { Membership } from '../../records/documents.js';
import type { PartLookup } from './selectMembers.js';

/**
 * A part of the members of a very large group. Its members never change: a removal replaces the part. It
 * counts while its group lists it, so a group and its parts change with one write, that of the group.
 */
export interface PartDocument {
  _id: string;
  organizationId: string;
  groupId: string;
  /** In their order. */
  members: Membership[];
  /** When its group was about to list it or to omit it; absent once it is certain that the group lists it. */
  pendingAt?: Date;
}

/** A part that is marked, without its members. */
type MarkedPart = Omit<PartDocument, 'members'> & Required<Pick<PartDocument, 'pendingAt'>>;

/** The names of the members of some parts, in their order. */
interface PartNames {
  _id: string;
  keys: string[];
  ids: string[];
}

/** A part that users are in, whether or not its group lists it. */
export interface FoundPart {
  _id: string;
  groupId: string;
  userKeys: string[];
}

/** A part has about 45 KB. Twenty of them are parsed in some milliseconds. */
const BATCH = 20;

const inOrderOf = <P extends { _id: string }>(ids: readonly string[], parts: readonly P[]): P[] => {
  const byId = new Map(parts.map((part) => [part._id, part]));
  return ids.map((id) => {
    const part = byId.get(id);
    // Its group lists other parts since.
    if (part === undefined) throw new WriteConflict();
    return part;
  });
};

/** The parts of the members of very large groups, by organization. */
export class MemberParts {
  readonly #parts: ScopedCollection<PartDocument>;
  /** For the sweep of all organizations. */
  readonly #platform: PlatformCollection<PartDocument>;

  constructor(database: Db) {
    const collection = 'groupMemberParts';
    this.#parts = new ScopedCollection(database, { collection, scope: 'organizationId' });
    this.#platform = new PlatformCollection(database, collection);
  }

  /** Returns one part. Throws WriteConflict if it has been replaced. */
  async get(organizationId: string, id: string): Promise<PartDocument> {
    const found = await this.#parts.findOne(organizationId, { _id: id });
    if (found === null) throw new WriteConflict();
    return found;
  }

  /** Yields the parts of a group that a lookup finds, whether or not the group lists them. */
  scan(
    organizationId: string,
    groupId: string,
    { condition, hint }: PartLookup,
  ): AsyncGenerator<PartDocument> {
    return this.#parts.scan(organizationId, { ...condition, groupId }, { hint, batchSize: BATCH });
  }

  /** Returns the names of the members of parts. Throws WriteConflict if one has been replaced. */
  async listNames(organizationId: string, ids: readonly string[]): Promise<PartNames[]> {
    const stages = [{ $project: { keys: '$members.userKey', ids: '$members.userId' } }];
    const names: PartNames[] = [];
    for (let start = 0; start < ids.length; start += BATCH) {
      const some = ids.slice(start, start + BATCH);
      const found = await this.#parts.aggregate<PartNames>(
        organizationId,
        { _id: { $in: some } },
        { stages },
      );
      names.push(...inOrderOf(some, found));
    }
    return names;
  }

  /** Returns every part that has one of the users, or those of some groups. */
  findOf(
    organizationId: string,
    userKeys: readonly string[],
    among?: readonly string[],
  ): Promise<FoundPart[]> {
    const isAmong = among === undefined ? {} : { groupId: { $in: among } };
    const condition = { 'members.userKey': { $in: userKeys }, ...isAmong };
    // For one user the index covers the query.
    const found =
      userKeys.length === 1 ? { $literal: userKeys } : { $setIntersection: ['$members.userKey', userKeys] };
    const stages = [{ $project: { groupId: 1, userKeys: found } }];
    return this.#parts.aggregate<FoundPart>(organizationId, condition, { stages, hint: 'byMember' });
  }

  /** Inserts parts that no group lists yet. */
  async insert(
    organizationId: string,
    parts: readonly Omit<PartDocument, 'organizationId'>[],
  ): Promise<void> {
    if (parts.length === 0) return;
    await this.#parts.insertMany(
      organizationId,
      parts.map((part) => ({ ...part, organizationId })),
    );
  }

  /** Marks parts that a group may soon no longer list: those with these ids, or all of the group. */
  async markPending(organizationId: string, of: { ids: readonly string[] } | { groupId: string }, now: Date) {
    const condition = 'ids' in of ? { _id: { $in: of.ids } } : of;
    if ('ids' in of && of.ids.length === 0) return;
    await this.#parts.updateMany(organizationId, condition, { update: { $set: { pendingAt: now } } });
  }

  /** Removes a mark from parts that their group lists; not a later one. */
  async confirm(organizationId: string, ids: readonly string[], pendingAt: Date): Promise<void> {
    if (ids.length === 0) return;
    const update = { $unset: { pendingAt: true } } as const;
    await this.#parts.updateMany(organizationId, { _id: { $in: ids }, pendingAt }, { update });
  }

  /** Deletes parts that no group lists: those with these ids, or all of a deleted group. */
  async delete(organizationId: string, of: { ids: readonly string[] } | { groupId: string }): Promise<void> {
    if ('ids' in of && of.ids.length === 0) return;
    await this.#parts.deleteMany(organizationId, 'ids' in of ? { _id: { $in: of.ids } } : of);
  }

  /** Returns parts of all organizations that have been marked since before a time, the earliest first. */
  findPending(before: Date, limit: number): Promise<MarkedPart[]> {
    const options = { projection: { members: 0 }, hint: 'pending', sort: { pendingAt: 1 }, limit } as const;
    return this.#platform.find({ pendingAt: { $lte: before } }, options);
  }
}
