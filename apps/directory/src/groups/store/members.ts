import { type Current, type LimitsOf, newKey, WriteConflict, type Written } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { GroupDocument, Membership } from '../../records/documents.js';
import {
  compareMembers,
  countOutsideParts,
  describePart,
  splitMembers,
  type Partitioned,
} from '../logic/memberParts.js';
import { GroupMemberReads } from './memberReads.js';
import { removeFromParts, replaceParts } from './replaceParts.js';

/** How many members the document of a group has at most, and each part of the others. */
export interface PartSizes {
  document: number;
  part: number;
}

/**
 * With 10,000 members, the document has about 2 MB. Parts are small, because a removal replaces those of all
 * removed members, of whom there may be a hundred.
 */
const SIZES: PartSizes = { document: 10_000, part: 250 };

/** A mark is this old before the sweep looks at it: the change has ended then. */
const PENDING_MS = 60_000;
const PENDING_BATCH = 100;

/** Reads and writes the memberships of groups. */
export class GroupMemberStore extends GroupMemberReads {
  readonly #sizes: PartSizes;

  constructor(database: Db, limitsOf: LimitsOf, sizes = SIZES) {
    super(database, limitsOf);
    this.#sizes = sizes;
  }

  /**
   * Adds members to a group as it was read. Throws WriteConflict when it has changed since, or now changes
   * because those who joined first have to make room.
   */
  async add(
    organizationId: string,
    current: Current & Partitioned,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument> {
    if (countOutsideParts(current) + members.length > this.#sizes.document) {
      await this.#moveOldest(organizationId, current, now);
      throw new WriteConflict();
    }
    const update = { $push: { members: { $each: members } }, $inc: { memberCount: members.length } };
    return this.withinQuota(organizationId, members.length, () =>
      this.change(organizationId, current, { update, events, now }),
    );
  }

  /** Moves the older half of the members in the document of a group to parts. */
  async #moveOldest(organizationId: string, current: Current, now: Date): Promise<void> {
    const asRead = { _id: current._id, revision: current.revision };
    const found = await this.findOne(organizationId, asRead, { members: 1 });
    if (found === null) throw new WriteConflict();
    const sorted = (found.members ?? []).toSorted(compareMembers);
    const kept = Math.floor(sorted.length / 2);
    const runs = splitMembers(sorted.slice(0, sorted.length - kept), this.#sizes.part);
    const added = runs.map((members) => ({ _id: newKey(), groupId: current._id, members }));
    const listed = added.map(({ _id, members }) => describePart(_id, members));
    const update = {
      $set: { members: sorted.slice(sorted.length - kept) },
      $push: { parts: { $each: listed } },
    };
    await replaceParts(this.parts, { organizationId, now, added, obsolete: [] }, () =>
      this.write(organizationId, current, { update, events: [] }),
    );
  }

  /** Removes members from a group as it was read. Throws WriteConflict when it has changed since. */
  async remove(
    organizationId: string,
    current: Current & Pick<GroupDocument, 'parts'>,
    { members, events, now }: Written & { members: Membership[] },
  ): Promise<GroupDocument> {
    const ids = members.map((member) => member.id);
    const $pull = { members: { id: { $in: ids } } };
    const $inc = { memberCount: -members.length };
    const { listed, ...replaced } = await removeFromParts(
      this.parts,
      { organizationId, groupId: current._id, parts: current.parts ?? [], size: this.#sizes.part },
      members,
    );
    const update = { $pull, $inc, ...(listed === null ? {} : { $set: { parts: listed } }) };
    return replaceParts(this.parts, { organizationId, now, ...replaced }, () =>
      this.withinQuota(organizationId, -members.length, () =>
        this.change(organizationId, current, { update, events, now }),
      ),
    );
  }

  /** Runs the deletion of a group as it was read, whose members no longer count. */
  async whileDeleting<R>(
    organizationId: string,
    { _id: groupId, memberCount }: Pick<GroupDocument, '_id' | 'memberCount'>,
    { now, deletion }: { now: Date; deletion: () => Promise<R> },
  ): Promise<R> {
    await this.parts.markPending(organizationId, { groupId }, now);
    const result = await this.withinQuota(organizationId, -memberCount, deletion);
    // What fails here is left to the sweep.
    await this.parts.delete(organizationId, { groupId }).catch(() => {});
    return result;
  }

  /**
   * For the sweep of all organizations: deletes the parts that changes left behind when they failed or were
   * interrupted. Touching the group ends every change that has read it, so none of them lists such a part
   * later.
   */
  async settleParts(now: Date): Promise<void> {
    const before = new Date(now.getTime() - PENDING_MS);
    const pending = await this.parts.findPending(before, PENDING_BATCH);
    for (const { _id, organizationId, groupId, pendingAt } of pending) {
      const group = await this.touch(organizationId, groupId);
      const isListed = group?.parts?.some(({ id }) => id === _id) ?? false;
      if (isListed) await this.parts.confirm(organizationId, [_id], pendingAt);
      else await this.parts.delete(organizationId, { ids: [_id] });
    }
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
}
