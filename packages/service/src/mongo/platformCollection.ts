import {
  BSON,
  type AggregateOptions,
  type Collection,
  type CountDocumentsOptions,
  type Db,
  type Document,
  type Filter,
  type FindOptions,
  type Hint,
  type IndexDescription,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
  type UpdateOptions,
} from 'mongodb';
import { currentDryRun } from '../dryRun/dryRun.js';
import type { Stored, WrittenDocuments } from '../dryRun/writtenDocuments.js';
import { areDuplicateKeys } from './databaseErrors.js';
import { groupedReadsOf } from './groupedReads.js';
import { groupedUpdatesOf, type Update } from './groupedUpdates.js';

export type { Stored };

/** A write to documents that meet a condition. */
export interface Change<T extends Stored> extends Pick<UpdateOptions, 'writeConcern'> {
  update: UpdateFilter<T> | Document[];
}

/** A write to one document, and how it is returned. */
export interface ReturnedChange<T extends Stored> extends Change<T> {
  projection?: Document;
  sort?: Document;
}

/** Options of a read of distinct values. */
export interface DistinctOptions {
  field: string;
  hint?: string;
}

/** The stages that an aggregation runs on the documents that meet its condition. */
export interface Stages extends Pick<AggregateOptions, 'hint'> {
  stages: readonly Document[];
}

type Condition = Document;

/** How a document is read by its id. */
interface ById {
  scopeId: string;
  /** The condition of the scope; empty to read by the id alone. */
  scope: Condition;
  projection: Document;
}

/** Creates the missing indexes of the collections. */
export async function createIndexes(
  database: Db,
  indexes: Readonly<Record<string, readonly IndexDescription[]>>,
): Promise<void> {
  const collections = Object.entries(indexes);
  await Promise.all(
    collections.map(([name, wanted]) => database.collection(name).createIndexes([...wanted])),
  );
}

/**
 * The driver copies all options of a query for each document that it decodes, so decoding the bytes here
 * takes half of the time. The documents are the same.
 */
const AS_BYTES = { raw: true } as const;
const decode = (bytes: Uint8Array): Document => BSON.deserialize(bytes);

/** By default the engine returns as many documents at once as 16 MiB hold, which take ten times that here. */
const SCAN_BATCH = 1000;

/**
 * The documents of one collection across all scopes. Only for work without a caller, such as sweeps, event
 * consumers and records of the platform itself, and for lookups that determine the scope of a caller. A
 * caller never chooses the condition and never receives the documents: a store that answers requests reads a
 * `ScopedCollection`.
 *
 * In a dry run nothing is stored: the call reads its own writes, and other calls do not. See `DryRun`.
 */
export class PlatformCollection<T extends Stored> {
  readonly #collection: Collection<T>;
  readonly #database: Db;

  constructor(database: Db, name: string) {
    this.#collection = database.collection<T>(name);
    this.#database = database;
  }

  async findOne<R = T>(condition: Condition, options: FindOptions = {}): Promise<R | null> {
    const dry = this.#dryRun();
    if (dry) return ((await dry.find(condition, { ...options, limit: 1 }))[0] ?? null) as R | null;
    return this.#collection.findOne<R>(condition as Filter<T>, options);
  }

  /**
   * Returns the document with an `_id` that meets the condition of its scope. Concurrent reads of the same
   * scope and fields may share a command.
   */
  async findById<R extends Document = T>(
    id: string,
    { scopeId, scope, projection }: ById,
  ): Promise<R | null> {
    if (this.#dryRun()) return this.findOne<R>({ ...scope, _id: id }, { projection });
    const collection = this.#collection as unknown as Collection;
    const place = { collection, scopeId, scope, projection };
    return (await groupedReadsOf(this.#database).findById(place, id)) as R | null;
  }

  async find<R extends Document = T>(condition: Condition, options: FindOptions = {}): Promise<R[]> {
    const dry = this.#dryRun();
    if (dry) return dry.find(condition, options) as Promise<R[]>;
    const found = this.#collection.find<Uint8Array>(condition as Filter<T>, { ...options, ...AS_BYTES });
    return (await found.toArray()).map(decode) as R[];
  }

  /**
   * Reads documents one by one, in batches of 1,000 unless the options have another number. A reader that
   * ends early closes the query.
   */
  async *scan<R extends Document = T>(condition: Condition, options: FindOptions = {}): AsyncGenerator<R> {
    const dry = this.#dryRun();
    if (dry) return yield* (await dry.find(condition, options)) as R[];
    const read = { batchSize: SCAN_BATCH, ...options, ...AS_BYTES };
    const cursor = this.#collection.find<Uint8Array>(condition as Filter<T>, read);
    try {
      for await (const bytes of cursor) yield decode(bytes) as R;
    } finally {
      await cursor.close();
    }
  }

  async count(condition: Condition, options: CountDocumentsOptions = {}): Promise<number> {
    const dry = this.#dryRun();
    if (dry?.isWritten) return dry.count(condition, options);
    return this.#collection.countDocuments(condition as Filter<T>, options);
  }

  async distinct<V>(condition: Condition, { field, hint }: DistinctOptions): Promise<V[]> {
    const dry = this.#dryRun();
    if (dry?.isWritten) {
      const stages = [{ $unwind: `$${field}` }, { $group: { _id: `$${field}` } }];
      return (await dry.aggregate(condition, stages)).map(({ _id }) => _id as V);
    }
    const options: { hint?: Hint } = hint === undefined ? {} : { hint };
    return this.#collection.distinct(field, condition as Filter<T>, options);
  }

  async aggregate<R extends Document>(condition: Condition, { stages, ...options }: Stages): Promise<R[]> {
    const dry = this.#dryRun();
    if (dry?.isWritten) return dry.aggregate(condition, stages) as Promise<R[]>;
    const found = this.#aggregate(condition, stages, options);
    return (await found.toArray()).map(decode) as R[];
  }

  /** As `aggregate`, one by one. A reader that ends early closes the query. */
  async *scanStages<R extends Document>(
    condition: Condition,
    { stages, ...options }: Stages,
  ): AsyncGenerator<R> {
    const dry = this.#dryRun();
    if (dry?.isWritten) return yield* (await dry.aggregate(condition, stages)) as R[];
    const cursor = this.#aggregate(condition, stages, options);
    try {
      for await (const bytes of cursor) yield decode(bytes) as R;
    } finally {
      await cursor.close();
    }
  }

  /**
   * Rejects with the error of the database if a unique index does: see `duplicateKeysOf`. `scope` is the
   * condition on the documents among which the id is unique.
   */
  async insertOne(document: T, scope: Condition = {}): Promise<void> {
    const dry = this.#dryRun();
    if (dry) return dry.insert(document, scope);
    await this.#collection.insertOne(document as OptionalUnlessRequiredId<T>);
  }

  /**
   * Inserts documents in their order, up to the first that a unique index rejects. Then rejects as
   * `insertOne`.
   */
  async insertMany(documents: readonly T[], scope: Condition = {}): Promise<void> {
    const dry = this.#dryRun();
    if (dry) {
      for (const document of documents) await dry.insert(document, scope);
      return;
    }
    await this.#collection.insertMany(documents as readonly OptionalUnlessRequiredId<T>[], { ordered: true });
  }

  /**
   * Inserts the documents whose `_id` is not stored, into a collection without other unique indexes. If it
   * rejects, some of the documents may be stored.
   */
  async insertMissing(documents: readonly T[], scope: Condition = {}): Promise<void> {
    if (documents.length === 0) return;
    const dry = this.#dryRun();
    if (dry) return dry.insertMissing(documents, scope);
    try {
      await this.#collection.insertMany(documents as readonly OptionalUnlessRequiredId<T>[], {
        ordered: false,
      });
    } catch (error) {
      if (!areDuplicateKeys(error)) throw error;
    }
  }

  /**
   * Returns true if a document met the condition. Concurrent updates with the same `scopeId` may share a
   * command.
   */
  async updateOne(
    condition: Condition,
    { update, scopeId, ...options }: Change<T> & Pick<UpdateOptions, 'upsert'> & { scopeId?: string },
  ): Promise<boolean> {
    const dry = this.#dryRun();
    if (dry) return (await dry.updateOne(condition, update)) !== null;
    if (scopeId !== undefined && Object.keys(options).length === 0) {
      const collection = this.#collection as unknown as Collection;
      const own = { condition, update: update as Update['update'] };
      return groupedUpdatesOf(this.#database).updateOne({ collection, scopeId }, own);
    }
    const { matchedCount } = await this.#collection.updateOne(condition as Filter<T>, update, options);
    return matchedCount > 0;
  }

  /** Returns the number of documents that met the condition. */
  async updateMany(condition: Condition, { update, ...options }: Change<T>): Promise<number> {
    const dry = this.#dryRun();
    if (dry) return dry.updateMany(condition, update);
    return (await this.#collection.updateMany(condition as Filter<T>, update, options)).matchedCount;
  }

  /** Returns the document after the update; null if none meets the condition. */
  async findOneAndUpdate<R = T>(
    condition: Condition,
    { update, ...options }: ReturnedChange<T>,
  ): Promise<R | null> {
    const dry = this.#dryRun();
    if (dry) return (await dry.findOneAndUpdate(condition, { update, ...options })) as R | null;
    const after = { returnDocument: 'after', ...options } as const;
    return (await this.#collection.findOneAndUpdate(condition as Filter<T>, update, after)) as R | null;
  }

  /** Returns true if a document met the condition. */
  async replaceOne(condition: Condition, document: T): Promise<boolean> {
    const dry = this.#dryRun();
    if (dry) return dry.replaceOne(condition, document);
    return (await this.#collection.replaceOne(condition as Filter<T>, document)).matchedCount > 0;
  }

  /** Returns the number of deleted documents. */
  async deleteMany(condition: Condition): Promise<number> {
    const dry = this.#dryRun();
    if (dry) return dry.deleteMany(condition);
    return (await this.#collection.deleteMany(condition as Filter<T>)).deletedCount;
  }

  #aggregate(condition: Condition, stages: readonly Document[], options: AggregateOptions) {
    const pipeline = [{ $match: condition }, ...stages];
    return this.#collection.aggregate<Uint8Array>(pipeline, { ...options, ...AS_BYTES });
  }

  /** The documents that the current dry run has written; null in a real call. */
  #dryRun(): WrittenDocuments | null {
    return currentDryRun()?.writtenTo(this.#collection as unknown as Collection<Stored>) ?? null;
  }
}
