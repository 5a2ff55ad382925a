import type { CountDocumentsOptions, Db, Document, FindOptions, UpdateOptions } from 'mongodb';
import {
  PlatformCollection,
  type Change,
  type DistinctOptions,
  type ReturnedChange,
  type Stages,
  type Stored,
} from './platformCollection.js';
import { isSharded } from './sharding.js';

/** A collection, and the field that holds the scope of each of its documents. */
export interface CollectionScope<T extends Stored> {
  collection: string;
  /** For example `projectId`; `_id` if a scope has one document, which has the id of the scope. */
  scope: keyof T & string;
}

/** What a read by id returns. */
export interface ReadById {
  /** A field that live documents have, and tombstones do not. */
  live: string;
  /** The fields to read, the live field and the scope among them, or the fields to omit. */
  projection: Document;
}

/**
 * The documents of one collection, by scope: an organization, a project, or another owner of documents.
 *
 * The scope is in every filter by construction. Every function takes the id of the scope first, and none
 * finds or changes a document of another scope, whatever its condition is. Every store that answers requests
 * reads through this class, either directly or as a `RecordStore`.
 */
export class ScopedCollection<T extends Stored> {
  readonly #all: PlatformCollection<T>;
  readonly #scope: keyof T & string;
  readonly #isSharded: boolean;

  constructor(database: Db, { collection, scope }: CollectionScope<T>) {
    this.#isSharded = isSharded(database);
    this.#all = new PlatformCollection<T>(database, collection);
    this.#scope = scope;
  }

  findOne<R = T>(scopeId: string, condition: Document, options: FindOptions = {}): Promise<R | null> {
    return this.#all.findOne<R>(this.#filterOf(scopeId, condition), options);
  }

  /**
   * Returns a live document by its `_id`. Unless the database is sharded, the query has the `_id` alone, and
   * the scope is compared afterwards: the engine needs half of the time of a query with a further condition.
   * Concurrent reads of a scope may share a query.
   */
  async findById<R extends Document = T>(
    scopeId: string,
    id: string,
    { live, projection }: ReadById,
  ): Promise<R | null> {
    requireScope(scopeId);
    requireId(id);
    const scope = this.#isSharded ? this.#filterOf(scopeId, {}) : {};
    const found = await this.#all.findById<R>(id, { scopeId, scope, projection });
    return found === null || found[this.#scope] !== scopeId || found[live] === undefined ? null : found;
  }

  find<R extends Document = T>(
    scopeId: string,
    condition: Document,
    options: FindOptions = {},
  ): Promise<R[]> {
    return this.#all.find<R>(this.#filterOf(scopeId, condition), options);
  }

  /** See {@link PlatformCollection.scan}. */
  scan<R extends Document = T>(
    scopeId: string,
    condition: Document,
    options: FindOptions = {},
  ): AsyncGenerator<R> {
    return this.#all.scan<R>(this.#filterOf(scopeId, condition), options);
  }

  count(scopeId: string, condition: Document, options: CountDocumentsOptions = {}): Promise<number> {
    return this.#all.count(this.#filterOf(scopeId, condition), options);
  }

  distinct<V>(scopeId: string, condition: Document, options: DistinctOptions): Promise<V[]> {
    return this.#all.distinct<V>(this.#filterOf(scopeId, condition), options);
  }

  aggregate<R extends Document>(scopeId: string, condition: Document, options: Stages): Promise<R[]> {
    return this.#all.aggregate<R>(this.#filterOf(scopeId, condition), options);
  }

  /** See {@link PlatformCollection.scanStages}. */
  scanStages<R extends Document>(scopeId: string, condition: Document, options: Stages): AsyncGenerator<R> {
    return this.#all.scanStages<R>(this.#filterOf(scopeId, condition), options);
  }

  /** See {@link PlatformCollection.insertOne}. */
  insertOne(scopeId: string, document: T): Promise<void> {
    return this.#all.insertOne(this.#inScope(scopeId, document), this.#filterOf(scopeId, {}));
  }

  /** See {@link PlatformCollection.insertMany}. */
  insertMany(scopeId: string, documents: readonly T[]): Promise<void> {
    const scoped = documents.map((document) => this.#inScope(scopeId, document));
    return this.#all.insertMany(scoped, this.#filterOf(scopeId, {}));
  }

  /** See {@link PlatformCollection.insertMissing}. */
  insertMissing(scopeId: string, documents: readonly T[]): Promise<void> {
    const scoped = documents.map((document) => this.#inScope(scopeId, document));
    return this.#all.insertMissing(scoped, this.#filterOf(scopeId, {}));
  }

  /** Returns true if a document met the condition. */
  updateOne(
    scopeId: string,
    condition: Document,
    change: Change<T> & Pick<UpdateOptions, 'upsert'>,
  ): Promise<boolean> {
    return this.#all.updateOne(this.#filterOf(scopeId, condition), { ...change, scopeId });
  }

  /** Returns the number of documents that met the condition. */
  updateMany(scopeId: string, condition: Document, change: Change<T>): Promise<number> {
    return this.#all.updateMany(this.#filterOf(scopeId, condition), change);
  }

  /** Returns the document after the update; null if none meets the condition. */
  findOneAndUpdate<R = T>(
    scopeId: string,
    condition: Document,
    change: ReturnedChange<T>,
  ): Promise<R | null> {
    return this.#all.findOneAndUpdate<R>(this.#filterOf(scopeId, condition), change);
  }

  /** Returns true if a document met the condition. */
  replaceOne(scopeId: string, condition: Document, document: T): Promise<boolean> {
    return this.#all.replaceOne(this.#filterOf(scopeId, condition), this.#inScope(scopeId, document));
  }

  /** Returns the number of deleted documents. */
  deleteMany(scopeId: string, condition: Document): Promise<number> {
    return this.#all.deleteMany(this.#filterOf(scopeId, condition));
  }

  /** The scope comes last: no condition replaces it. */
  #filterOf(scopeId: string, condition: Document): Document {
    requireScope(scopeId);
    return { [this.#scope]: scopeId, ...condition, [this.#scope]: scopeId };
  }

  #inScope(scopeId: string, document: T): T {
    requireScope(scopeId);
    return { ...document, [this.#scope]: scopeId };
  }
}

/** The driver omits undefined conditions, so a missing scope would match the documents of all scopes. */
function requireScope(scopeId: unknown): void {
  if (typeof scopeId !== 'string') throw new TypeError('The id of a scope must be a string');
}

/** A missing id would match any document, and an object could be an operator. */
function requireId(id: unknown): void {
  if (typeof id !== 'string') throw new TypeError('The id of a document must be a string');
}
