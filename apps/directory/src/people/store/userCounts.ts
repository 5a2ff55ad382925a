import { CallBatcher, countLookup, currentDryRun } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { isWholeCheaper, planBuckets, rangeOf, type BucketCount } from '../logic/userBuckets.js';
import type { UserMarks } from './userMarks.js';

/** The tenant users of an organization, or those of one of its tenants. */
export interface UserPart {
  organizationId: string;
  tenantId: string | undefined;
}

/** A large part: its number of users when it was counted as a whole, and the counts of its buckets. */
interface LargePart {
  size: number;
  counted: (BucketCount | undefined)[];
}

/** Counts the tenant users of a part: all of them, or those whose keys meet a condition. */
type CountStored = (part: UserPart, keys?: { $gte: string; $lt?: string }) => Promise<number>;

/** The limits by which tenant users are counted. */
export interface CountLimits {
  /** A part with fewer users is always counted as a whole. */
  least: number;
  /** See `isWholeCheaper`. */
  bucketCost: number;
  /** How long after a mark the count of a bucket may change. */
  settleMs: number;
  /** How long counts are kept: for so long the writes of a former release, which sets no marks, may lack. */
  keptMs: number;
}

/** The first counts of all buckets of a part of 50,000 users take as long as sixteen counts of the whole. */
const LIMITS: CountLimits = { least: 50_000, bucketCost: 3000, settleMs: 60_000, keptMs: 600_000 };
/** Each part takes about 12 KB. */
const PARTS_MAX = 1000;
/** Of one part: an organization may list sixteen at once, which leaves half of the connections to others. */
const COUNTS_AT_ONCE = 2;

const nameOf = ({ organizationId, tenantId }: UserPart) => JSON.stringify([organizationId, tenantId]);

/**
 * Counts tenant users exactly, and large parts by buckets of their keys, whose counts are cached.
 *
 * A count is kept with the mark that its bucket had before it, if a minute had passed since that mark, and is
 * current as long as the bucket has that mark. The totals are exact:
 *
 * - A write whose mark is the mark of the count, or an earlier one, was made within the minute, and is
 *   counted. If its process ended between the mark and the write, there is nothing to count.
 * - Every other write has set another mark before it was made, in whichever process. A count from before that
 *   mark is not current any more, even if it contains the write.
 * - A write that is not confirmed may or may not be counted. A slow write is marked again before it is
 *   confirmed, which ends the counts that were made without it.
 *
 * One case remains: a write that reaches the engine a minute late, from a process that has ended, or cannot
 * set the second mark. Its total is wrong until the counts expire.
 */
export class UserCounts {
  readonly #marks: UserMarks;
  readonly #countStored: CountStored;
  readonly #limits: CountLimits;
  readonly #parts: LRUCache<string, LargePart>;
  readonly #totals = new CallBatcher<UserPart, never, number>(nameOf, (part) => this.#count(part));

  constructor(marks: UserMarks, countStored: CountStored, limits = LIMITS) {
    this.#marks = marks;
    this.#countStored = countStored;
    this.#limits = limits;
    this.#parts = new LRUCache({ max: PARTS_MAX, ttl: limits.keptMs });
  }

  /** Returns the exact number of tenant users of a part. Concurrent calls share a count. */
  count(part: UserPart): Promise<number> {
    return currentDryRun() ? this.#countStored(part) : this.#totals.load(part, []);
  }

  async #count(part: UserPart): Promise<number> {
    const large = this.#parts.get(nameOf(part));
    if (large !== undefined) return this.#countBuckets(part, large);
    const size = await this.#countStored(part);
    if (size >= this.#limits.least) this.#parts.set(nameOf(part), { size, counted: [] });
    return size;
  }

  async #countBuckets(part: UserPart, { size, counted }: LargePart): Promise<number> {
    const { settleMs, bucketCost } = this.#limits;
    const marks = await this.#marks.read(part.organizationId);
    const { known, settled, unsettled } = planBuckets(marks, counted, settleMs);
    countLookup('user_counts', settled.length + unsettled.length === 0);
    if (isWholeCheaper(size, unsettled.length, bucketCost)) return this.#countStored(part);
    const atOnce = pLimit(COUNTS_AT_ONCE);
    const countNow = (bucket: number) => atOnce(() => this.#countStored(part, rangeOf(bucket)));
    const counts = settled.map(async (bucket) => {
      const count = await countNow(bucket);
      counted[bucket] = { mark: marks.at[bucket], count };
      return count;
    });
    const all = await Promise.all([...counts, ...unsettled.map(countNow)]);
    return all.reduce((sum, count) => sum + count, known);
  }
}
