import { AppError } from '@gatehouse/contract';
import {
  CallBatcher,
  currentDryRun,
  duplicateKeysOf,
  ScopedCollection,
  startClocks,
  WriteConflict,
} from '@gatehouse/service';
import type { Db } from 'mongodb';
import { bucketOf, BUCKETS, type Marks } from '../logic/userBuckets.js';

/** The marks of an organization: `b0` to `b255`, the time of the last mark of each bucket. */
interface MarksDocument {
  /** The id of the organization. */
  _id: string;
  [bucket: `b${number}`]: Date;
}

/** A write that ends later than this is marked again. */
const LATE_MS = 20_000;

/** True for the error of a write that has changed nothing. */
function hasChangedNothing(error: unknown): boolean {
  return error instanceof WriteConflict || error instanceof AppError || duplicateKeysOf(error) !== null;
}

/**
 * The marks of tenant users by organization and bucket: see `UserCounts`. A mark is a promise that writes to
 * the bucket may follow for a minute, and none later without another mark.
 *
 * Each write is preceded by a mark. It is followed by another one, before it is confirmed, if it ends more
 * than 20 seconds after the first was sent, or fails with an unknown outcome: the engine may then make it
 * after the minute has passed, or has done so. The other 40 seconds are for clocks of servers that differ.
 */
export class UserMarks {
  readonly #marks: ScopedCollection<MarksDocument>;
  readonly #lateMs: number;
  /** Concurrent marks of an organization share an update. */
  readonly #updates = new CallBatcher<string, number, void>(
    (organizationId) => organizationId,
    (organizationId, buckets) => this.#update(organizationId, buckets),
  );

  constructor(database: Db, lateMs = LATE_MS) {
    this.#marks = new ScopedCollection(database, { collection: 'tenantUserMarks', scope: '_id' });
    this.#lateMs = lateMs;
  }

  /** Runs a write that inserts or deletes the tenant user of a key, with the marks that it needs. */
  async around<R>(organizationId: string, key: string, write: () => Promise<R>): Promise<R> {
    if (currentDryRun()) return write();
    const bucket = bucketOf(key);
    const elapsedMs = startClocks();
    await this.#updates.load(organizationId, [bucket]);
    try {
      const result = await write();
      if (elapsedMs() > this.#lateMs) await this.#updates.load(organizationId, [bucket]);
      return result;
    } catch (error) {
      if (!hasChangedNothing(error)) await this.#updates.load(organizationId, [bucket]).catch(() => {});
      throw error;
    }
  }

  /** The marks of an organization. */
  async read(organizationId: string): Promise<Marks> {
    type Read = MarksDocument & { now: Date };
    const stages = [{ $set: { now: '$$NOW' } }];
    const [read] = await this.#marks.aggregate<Read>(organizationId, {}, { stages });
    const at = Array.from({ length: BUCKETS }, (_, bucket) => read?.[`b${bucket}`]?.getTime());
    // Without a document there is no mark to compare the time with.
    return { at, now: read?.now.getTime() ?? 0 };
  }

  async #update(organizationId: string, buckets: readonly number[]): Promise<void> {
    const $currentDate = Object.fromEntries(buckets.map((bucket) => [`b${bucket}`, true as const]));
    await this.#marks.updateOne(organizationId, {}, { update: { $currentDate }, upsert: true });
  }
}
