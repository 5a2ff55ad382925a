import type { CloudEvent } from '@gatehouse/contract';
import type { Db, Document, UpdateFilter } from 'mongodb';
import type { Slice } from '../cursor.js';
import type { LimitsOf } from '../quotas/limits.js';
import { Quota } from '../quotas/quota.js';
import { countStored } from '../quotas/storedUsage.js';
import { WriteConflict } from '../retryOnConflict.js';
import { CallBatcher } from '../callBatcher.js';
import { afterCursor, sortOf, takeSlice, type SliceOptions } from './listSlice.js';
import { outboxOf, tombstone, withEvents } from './outbox.js';
import { PlatformCollection } from './platformCollection.js';
import { ScopedCollection } from './scopedCollection.js';
import {
  bytesOf,
  orNotFound,
  type Current,
  type Draft,
  type PipelineOptions,
  type ReadOptions,
  type RecordKind,
  type ScopeField,
  type StoredRecord,
  type Written,
} from './storedRecord.js';
import { undoneMark } from './undoneRecords.js';

/** The fields of a record that its last events need, and those of every shard key. */
const TOMBSTONE_FIELDS = ['organizationId', 'projectId'];

/** Every record has a version, and no tombstone has. */
const LIVE_FIELD = 'version';

/**
 * The records of one collection, by scope: an organization or a project.
 *
 * Reads and writes go through a {@link ScopedCollection}: a subclass cannot read or write the record of
 * another scope, except through {@link RecordStore.readUnscoped}. Every write names the revision that it was
 * decided on, carries its events, and throws WriteConflict if the record has changed: see `retryOnConflict`.
 */
export abstract class RecordStore<T extends StoredRecord, S extends ScopeField> {
  /** The projection of reads. */
  protected readonly projection: Document;

  readonly #records: ScopedCollection<T>;
  /** The records of every scope. */
  readonly #platform: PlatformCollection<T>;
  /** The records of an organization, for its quota. */
  readonly #ofOrganization: ScopedCollection<T>;
  readonly #kind: RecordKind<T, S>;
  readonly #quota: Quota;
  readonly #byKeys = new CallBatcher(
    (scopeId: string) => scopeId,
    (scopeId, keys: string[]) => this.findMany(scopeId, { _id: { $in: [...new Set(keys)] } }),
  );

  constructor(database: Db, limitsOf: LimitsOf, kind: RecordKind<T, S>) {
    const { collection, scope, quota, longFields, omitted = [] } = kind;
    this.#records = new ScopedCollection<T>(database, { collection, scope: scope as keyof T & string });
    this.#platform = new PlatformCollection<T>(database, collection);
    this.#ofOrganization = new ScopedCollection<T>(database, { collection, scope: 'organizationId' });
    this.#kind = kind;
    this.projection = Object.fromEntries(['outbox', ...omitted].map((field) => [field, 0]));
    const limits = limitsOf(quota);
    this.#quota = new Quota({
      name: quota,
      limits: longFields === undefined ? { ...limits, bytes: 0 } : limits,
      count: ({ organizationId }) => this.countUsage(organizationId),
    });
  }

  /** Returns the record with this `_id`, or null. */
  findByKey(scopeId: string, key: string): Promise<T | null> {
    return this.#records.findById(scopeId, key, { live: LIVE_FIELD, projection: this.projection });
  }

  /** Returns the record with this `_id`. Throws NOT_FOUND. */
  async getByKey(scopeId: string, key: string): Promise<T> {
    return orNotFound(await this.findByKey(scopeId, key));
  }

  /** Returns the records with these `_id`s, in no particular order. Concurrent calls share one query. */
  async listByKeys(scopeId: string, keys: readonly string[]): Promise<T[]> {
    if (keys.length === 0) return [];
    const wanted = new Set(keys);
    const found = await this.#byKeys.load(scopeId, keys);
    return found.filter((record) => wanted.has(record._id));
  }

  /**
   * Inserts a record and returns it as it is stored, also if an earlier run of the same operation inserted
   * it.
   * @throws QUOTA_EXCEEDED, and the error of the database if a unique index rejects it: see `duplicateKeysOf`
   */
  async insert(scopeId: string, draft: Draft<T, S>, { events, now }: Written): Promise<T> {
    const scope = { [this.#kind.scope]: scopeId };
    const made = { ...scope, version: 1, createdAt: now, updatedAt: now, ...outboxOf(events) };
    const unsized = { ...draft, ...made } as unknown as T;
    const bytes = bytesOf(this.#kind, unsized);
    const document = bytes === null ? unsized : { ...unsized, quotaBytes: bytes };
    const earlier = await this.#quota.insert(document, bytes ?? 0, {
      insert: () => this.#records.insertOne(scopeId, document),
      findEarlier: () => this.findEarlier(scopeId, document),
    });
    return earlier ?? document;
  }

  /** Returns the record that an earlier run of the same operation inserted: that with the same `_id`. */
  protected findEarlier(scopeId: string, document: T): Promise<T | null> {
    return this.findByKey(scopeId, document._id);
  }

  /** Sets fields of a record, as `change` does. Throws as `change` and `insert` do. */
  update(
    scopeId: string,
    current: Current & Partial<T>,
    { set, events, now }: Written & { set: Partial<T> },
  ): Promise<T> {
    const before = current.quotaBytes;
    const isResized = this.#kind.longFields?.some((field) => field in set) ?? false;
    const after = isResized ? (bytesOf(this.#kind, { ...current, ...set }) ?? undefined) : before;
    const sized = after === before ? set : { ...set, quotaBytes: after };
    const growth = { records: 0, bytes: (after ?? 0) - (before ?? 0) };
    return this.#quota.change(current, growth, () =>
      this.change(scopeId, current, { update: { $set: sized }, events, now }),
    );
  }

  /**
   * Deletes a record as it was read. If `isUndo`, its id stays taken: see {@link undoneMark}.
   * Throws WriteConflict if the record has changed.
   */
  async delete(
    scopeId: string,
    current: Current,
    { events, now, isUndo = false }: Written & { isUndo?: boolean },
  ): Promise<void> {
    const update = isUndo
      ? undoneMark(events, now, [this.#kind.scope])
      : tombstone(events, now, TOMBSTONE_FIELDS);
    const isDeleted = await this.#records.updateOne(scopeId, this.#asRead(current), { update });
    if (!isDeleted) throw new WriteConflict();
    this.#quota.release(current, { records: 1, bytes: current.quotaBytes ?? 0 });
  }

  /**
   * Increments the revision of one record and nothing else, so that a concurrent operation that has read the
   * record must read it again. Returns the record, or null if none meets the condition.
   */
  protected async touchOne(
    scopeId: string,
    condition: Document,
    options: Pick<ReadOptions, 'sort' | 'projection'> = {},
  ): Promise<T | null> {
    const update = { $inc: { revision: 1 } } as unknown as UpdateFilter<T>;
    const change = { update, projection: this.projection, ...options };
    return this.#records.findOneAndUpdate(scopeId, this.#live(condition), change);
  }

  /** Touches all records with these keys. Returns false if one of them does not exist. */
  async touchAll(scopeId: string, keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return true;
    const update = { $inc: { revision: 1 } } as unknown as UpdateFilter<T>;
    const touched = await this.#records.updateMany(scopeId, this.#live({ _id: { $in: keys } }), { update });
    return touched === keys.length;
  }

  /**
   * Sets fields that are not part of the public record, such as the health of a remote. The revision stays,
   * so no operation that has read the record has to read it again. Does nothing if the record does not meet
   * the condition.
   */
  protected async note(scopeId: string, condition: Document, set: Partial<T>): Promise<void> {
    const update = { $set: set } as unknown as UpdateFilter<T>;
    await this.#records.updateOne(scopeId, this.#live(condition), { update });
  }

  /** Counts the records that meet a condition, up to `limit`. */
  protected countMatching(
    scopeId: string,
    condition: Document,
    options: { limit?: number; hint?: string } = {},
  ): Promise<number> {
    return this.#records.count(scopeId, this.#live(condition), options);
  }

  protected findOne(scopeId: string, condition: Document, projection = this.projection): Promise<T | null> {
    return this.#records.findOne(scopeId, this.#live(condition), { projection });
  }

  protected async findMany(
    scopeId: string,
    condition: Document,
    options: ReadOptions & PipelineOptions = {},
  ): Promise<T[]> {
    const { excludesTombstones = false, ...read } = options;
    const wanted = excludesTombstones ? condition : this.#live(condition);
    return this.#records.find(scopeId, wanted, { projection: this.projection, ...read });
  }

  /**
   * Returns the records after a cursor, in the order of a field and then of their `_id`s.
   * @throws INVALID_REQUEST, naming `cursor`, for a cursor of another list
   */
  protected async findSlice(
    scopeId: string,
    condition: Document,
    { cursor, limit, projection = this.projection, ...by }: SliceOptions,
  ): Promise<Slice<T>> {
    const order = { list: this.#kind.collection, ...by };
    const wanted = this.#live({ $and: [condition, afterCursor(order, cursor)] });
    const read = { projection, sort: sortOf(order), limit: limit + 1 };
    return takeSlice(order, limit, this.#records.scan(scopeId, wanted, read));
  }

  /** Runs aggregation stages on the records that meet a condition. */
  protected aggregate<R extends Document>(
    scopeId: string,
    condition: Document,
    { stages, excludesTombstones = false, ...options }: PipelineOptions & { stages: readonly Document[] },
  ): Promise<R[]> {
    const wanted = excludesTombstones ? condition : this.#live(condition);
    return this.#records.aggregate<R>(scopeId, wanted, { stages, ...options });
  }

  /** As `findMany`, one by one. A reader that ends early closes the query. */
  protected scanMany(scopeId: string, condition: Document, options: ReadOptions = {}): AsyncGenerator<T> {
    return this.#records.scan(scopeId, this.#live(condition), { projection: this.projection, ...options });
  }

  /** As `aggregate`, one by one. A reader that ends early closes the query. */
  protected scanStages<R extends Document>(
    scopeId: string,
    condition: Document,
    stages: readonly Document[],
  ): AsyncGenerator<R> {
    return this.#records.scanStages<R>(scopeId, this.#live(condition), { stages });
  }

  /** As `scanMany`, of an organization: in all of its projects. */
  protected scanInOrganization(organizationId: string, condition: Document): AsyncGenerator<T> {
    return this.#ofOrganization.scan(organizationId, this.#live(condition), { projection: this.projection });
  }

  /**
   * Reads records of every scope. Only for sweeps of the whole platform and for lookups that determine the
   * scope: a caller never chooses the condition. See {@link PlatformCollection}.
   */
  protected readUnscoped(condition: Document, options: ReadOptions = {}): Promise<T[]> {
    return this.#platform.find(this.#live(condition), { projection: this.projection, ...options });
  }

  /**
   * Applies an update to a record as it was read, and increments its version. Throws WriteConflict if it has
   * changed.
   */
  protected change(
    scopeId: string,
    current: Current,
    { update, events, now }: Written & { update: Document },
  ): Promise<T> {
    const $set = { ...(update['$set'] as Document | undefined), updatedAt: now };
    const $inc = { ...(update['$inc'] as Document | undefined), version: 1 };
    return this.write(scopeId, current, { update: { ...update, $set, $inc }, events });
  }

  /** Applies an update to a record as it was read. Throws WriteConflict if the record has changed. */
  protected async write(
    scopeId: string,
    current: Current,
    { update, events }: { update: Document; events: CloudEvent[] },
  ): Promise<T> {
    const change = { update: withEvents<T>(update, events), projection: this.projection };
    const written = await this.#records.findOneAndUpdate(scopeId, this.#asRead(current), change);
    if (written === null) throw new WriteConflict();
    return written;
  }

  /**
   * Runs a write that adds records to what the quota counts, or removes some. Throws QUOTA_EXCEEDED before
   * the write.
   */
  protected withinQuota<R>(organizationId: string, records: number, write: () => Promise<R>): Promise<R> {
    return this.#quota.change({ organizationId }, { records, bytes: 0 }, write);
  }

  /** Counts what the quota limits. */
  protected async countUsage(organizationId: string): Promise<{ records: number; bytes: number }> {
    if (this.#kind.longFields !== undefined) return countStored(this.#ofOrganization, { organizationId });
    return { records: await this.countMatching(organizationId, {}, { hint: 'byName' }), bytes: 0 };
  }

  #live(condition: Document): Document {
    return { ...this.#kind.live, ...condition };
  }

  #asRead({ _id, revision }: Current): Document {
    return this.#live({ _id, revision });
  }
}
