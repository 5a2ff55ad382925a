import { AppError, type CloudEvent } from '@gatehouse/contract';
import { insertOnce, outboxOf, tombstone, withEvents, type Outboxed } from '@gatehouse/service';
import type { Collection, Db, Document, Filter, OptionalUnlessRequiredId } from 'mongodb';
import type { RecordDocument } from './documents.js';

/** The events of a write and its time. */
export interface Written {
  events: CloudEvent[];
  now: Date;
}

/** A new record without the fields that the store sets. */
export type Draft<T extends RecordDocument> = T extends unknown
  ? Omit<T, 'projectId' | 'version' | 'createdAt' | 'updatedAt' | keyof Outboxed>
  : never;

/** A record as it was read: what a write is decided on. */
export type Current = Pick<RecordDocument, '_id' | 'revision'>;

/** Leaves tombstones out, and lets an index on the name serve lists. */
const LIVE = { nameFolded: { $gte: '' } } as const;
/** What a tombstone keeps. */
const KEPT = ['organizationId', 'projectId'];

/**
 * Records of one collection, each of a project. Every write names the revision that it was decided on, carries its events
 * and is refused when the record has changed meanwhile.
 */
export abstract class RecordStore<T extends RecordDocument, Listed extends RecordDocument = T> {
  protected readonly collection: Collection<T>;
  /** The fields that reading a record leaves out. */
  protected readonly projection: Document = { outbox: 0 };
  /** The fields that a list of records leaves out. */
  protected readonly listProjection: Document = { outbox: 0, template: 0 };

  constructor(database: Db, name: string) {
    this.collection = database.collection<T>(name);
  }

  find(projectId: string, id: string): Promise<T | null> {
    return this.findLive(projectId, { _id: id });
  }

  /** Throws NOT_FOUND. */
  async get(projectId: string, id: string): Promise<T> {
    return orNotFound(await this.find(projectId, id));
  }

  /** All records of the project, by name, without what lists leave out. */
  async list(projectId: string): Promise<Listed[]> {
    return (await this.listLive(projectId, {}, this.listProjection)) as RecordDocument[] as Listed[];
  }

  /** The number of records of the project, counted up to `limit`. */
  count(projectId: string, limit: number): Promise<number> {
    return this.collection.countDocuments(this.filterOf(projectId, {}), { limit });
  }

  /**
   * Gives the record as it is stored, also when an earlier run of the same operation did it. Throws the engine's error when a
   * unique index refuses it: see `duplicateKeysOf`.
   */
  async insert(projectId: string, draft: Draft<T>, { events, now }: Written): Promise<T> {
    const made = { projectId, version: 1, createdAt: now, updatedAt: now, ...outboxOf(events) };
    const document = { ...draft, ...made } as unknown as T;
    const earlier = await insertOnce(
      () => this.collection.insertOne(document as OptionalUnlessRequiredId<T>),
      () => this.find(projectId, document._id),
    );
    return earlier ?? document;
  }

  /** Sets fields of a record as it was read, and counts its version; null when it has changed since. Throws as `insert` does. */
  update(projectId: string, current: Current, { set, events, now }: Written & { set: Partial<T> }) {
    const update = { $set: { ...set, updatedAt: now }, $inc: { version: 1 } };
    return this.write(projectId, current, { update, events });
  }

  /** Deletes a record as it was read; false when it has changed since. */
  async delete(projectId: string, current: Current, { events, now }: Written): Promise<boolean> {
    const filter = this.filterOf(projectId, { _id: current._id, revision: current.revision });
    const { matchedCount } = await this.collection.updateOne(filter, tombstone(events, now, KEPT));
    return matchedCount === 1;
  }

  protected async write(
    projectId: string,
    current: Current,
    { update, events }: { update: Document; events: CloudEvent[] },
  ): Promise<T | null> {
    const filter = this.filterOf(projectId, { _id: current._id, revision: current.revision });
    const whole = withEvents<T>(update, events);
    const { projection } = this;
    return (await this.collection.findOneAndUpdate(filter, whole, {
      returnDocument: 'after',
      projection,
    })) as T | null;
  }

  protected async findLive(
    projectId: string,
    condition: Document,
    projection = this.projection,
  ): Promise<T | null> {
    return (await this.collection.findOne(this.filterOf(projectId, condition), { projection })) as T | null;
  }

  protected async listLive(
    projectId: string,
    condition: Document,
    projection = this.projection,
  ): Promise<T[]> {
    const sort = { nameFolded: 1, _id: 1 } as const;
    const found = this.collection.find(this.filterOf(projectId, condition), { projection, sort });
    return (await found.toArray()) as T[];
  }

  protected filterOf(projectId: string, condition: Document): Filter<T> {
    return { projectId, ...LIVE, ...condition } as unknown as Filter<T>;
  }
}

/** Throws NOT_FOUND for a record that was not found. */
export function orNotFound<T>(record: T | null): T {
  if (record === null) throw new AppError('NOT_FOUND');
  return record;
}
