import { AppError, type CloudEvent } from '@gatehouse/contract';
import { insertOnce, outboxOf, tombstone, withEvents, type Outboxed } from '@gatehouse/service';
import type { Collection, Db, Document, Filter, OptionalUnlessRequiredId, UpdateFilter } from 'mongodb';
import type { RecordDocument } from './documents.js';

/** The events of a write and its time. */
export interface Written {
  events: CloudEvent[];
  now: Date;
}

/** A new record without the fields that the store sets. */
export type Draft<T extends RecordDocument> = Omit<
  T,
  'organizationId' | 'version' | 'createdAt' | 'updatedAt' | keyof Outboxed
>;

/** A record as it was read: what a write is decided on. */
export type Current = Pick<RecordDocument, '_id' | 'revision'>;

export interface Page {
  skip: number;
  limit: number;
}

export interface Found<T> {
  records: T[];
  total: number;
}

/** Leaves tombstones out, and lets an index on the name serve a list and its count. */
const LIVE = { nameFolded: { $gte: '' } } as const;
/** The engine counts what it skips in 64 bits, and no organization has so many records. */
const SKIP_MAX = 2_147_483_647;

/** Matches texts that contain a folded text. A search text is data: whatever it holds stands for itself. */
export function containing(folded: string): Document {
  return { $regex: folded.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`) };
}

/**
 * Records of one collection. Every write names the revision that it was decided on, carries its events and is refused
 * when the record has changed meanwhile.
 */
export abstract class RecordStore<T extends RecordDocument> {
  protected readonly collection: Collection<T>;
  /** The fields that reading leaves out. */
  protected readonly projection: Document = { outbox: 0 };

  constructor(database: Db, name: string) {
    this.collection = database.collection<T>(name);
  }

  /** The record with this `_id`; null when there is none. */
  findByKey(organizationId: string, key: string): Promise<T | null> {
    return this.findLive(organizationId, { _id: key });
  }

  /** The records with these `_id`s, in no particular order. */
  listByKeys(organizationId: string, keys: readonly string[]): Promise<T[]> {
    return this.listLive(organizationId, { _id: { $in: keys } });
  }

  /**
   * Gives the record as it is stored, also when an earlier run of the same operation did it. Throws the engine's error when a
   * unique index refuses it: see `duplicateKeysOf`.
   */
  async insert(organizationId: string, draft: Draft<T>, { events, now }: Written): Promise<T> {
    const made = { organizationId, version: 1, createdAt: now, updatedAt: now, ...outboxOf(events) };
    const document = { ...draft, ...made } as unknown as T;
    const earlier = await insertOnce(
      () => this.collection.insertOne(document as OptionalUnlessRequiredId<T>),
      () => this.findByKey(organizationId, document._id),
    );
    return earlier ?? document;
  }

  /** Sets fields of a record as it was read; null when it has changed since. Throws as `insert` does. */
  update(organizationId: string, current: Current, change: Written & { set: Partial<T> }): Promise<T | null> {
    return this.write(organizationId, current, { ...change, update: { $set: change.set } });
  }

  /** Deletes a record as it was read; false when it has changed since. */
  async delete(organizationId: string, current: Current, { events, now }: Written): Promise<boolean> {
    const filter = this.filterOf(organizationId, { _id: current._id, revision: current.revision });
    const { matchedCount } = await this.collection.updateOne(
      filter,
      tombstone(events, now, ['organizationId']),
    );
    return matchedCount === 1;
  }

  /**
   * Counts a write of a live record without changing it, so that whoever is about to write it on the strength of an
   * earlier reading has to read it again. Gives the record; null when none meets the condition.
   */
  async touch(organizationId: string, key: string, condition: Document = {}): Promise<T | null> {
    const filter = this.filterOf(organizationId, { _id: key, ...condition });
    const update = { $inc: { revision: 1 } } as unknown as UpdateFilter<T>;
    const { projection } = this;
    return (await this.collection.findOneAndUpdate(filter, update, {
      returnDocument: 'after',
      projection,
    })) as T | null;
  }

  protected async write(
    organizationId: string,
    current: Current,
    { update, events, now }: Written & { update: Document },
  ): Promise<T | null> {
    const filter = this.filterOf(organizationId, { _id: current._id, revision: current.revision });
    const counted = {
      ...update,
      $set: { ...(update['$set'] as Document | undefined), updatedAt: now },
      $inc: { ...(update['$inc'] as Document | undefined), version: 1 },
    } as unknown as UpdateFilter<T>;
    const { projection } = this;
    const whole = withEvents<T>(counted, events);
    return (await this.collection.findOneAndUpdate(filter, whole, {
      returnDocument: 'after',
      projection,
    })) as T | null;
  }

  protected async findLive(organizationId: string, condition: Document): Promise<T | null> {
    const { projection } = this;
    return (await this.collection.findOne(this.filterOf(organizationId, condition), {
      projection,
    })) as T | null;
  }

  protected async listLive(organizationId: string, condition: Document, sort: Document = {}): Promise<T[]> {
    const { projection } = this;
    const found = this.collection.find(this.filterOf(organizationId, condition), { projection, sort });
    return (await found.toArray()) as T[];
  }

  /** One page and the count of all, by default sorted by name. */
  protected async pageLive(
    organizationId: string,
    condition: Document,
    { skip, limit, sort = { nameFolded: 1, _id: 1 } }: Page & { sort?: Document },
  ): Promise<Found<T>> {
    const filter = this.filterOf(organizationId, condition);
    const { projection } = this;
    const page = { projection, sort, skip: Math.min(skip, SKIP_MAX), limit };
    const [records, total] = await Promise.all([
      limit === 0 ? [] : this.collection.find(filter, page).toArray(),
      this.collection.countDocuments(filter),
    ]);
    return { records: records as T[], total };
  }

  protected filterOf(organizationId: string, condition: Document): Filter<T> {
    return { organizationId, ...LIVE, ...condition } as unknown as Filter<T>;
  }
}

/** Throws NOT_FOUND for a record that was not found. */
export function orNotFound<T>(record: T | null): T {
  if (record === null) throw new AppError('NOT_FOUND');
  return record;
}
