import { aggregate, find, Query, updateOne } from 'mingo';
import {
  BSON,
  MongoServerError,
  type Collection,
  type CountDocumentsOptions,
  type Document,
  type FindOptions,
} from 'mongodb';
import { duplicateKeysOf } from '../mongo/databaseErrors.js';

/** Documents of a store. Their ids are texts. */
export type Stored = Document & { _id: string };

type Update = Parameters<typeof updateOne>[2];

/** The value as the database returns it: a copy, without undefined fields. */
function asStored<V>(value: V): V {
  return BSON.deserialize(BSON.serialize({ value }, { ignoreUndefined: true }))['value'] as V;
}

/** The error of the database for a document that a unique index rejects. */
function duplicateKey(keyPattern: Document): MongoServerError {
  return new MongoServerError({ message: 'E11000 duplicate key', code: 11_000, keyPattern });
}

/** Returns true if a document meets a condition. */
function matches(condition: Document, document: Stored): boolean {
  return new Query<Stored>(asStored(condition)).test(document);
}

const valueAt = (document: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Document | undefined)?.[name], document);

/** A unique index of a collection. */
interface UniqueIndex {
  key: Document;
  /** The condition of the documents that it contains. */
  indexed: Document;
}

/** What no other document may meet. */
interface Rule {
  key: Document;
  condition: Document;
}

/** What a document prevents by its place in a unique index. */
function ruleOf({ key, indexed }: UniqueIndex, document: Stored): Rule {
  const same = Object.keys(key).map((path) => ({ [path]: valueAt(document, path) ?? null }));
  return { key, condition: { $and: [indexed, ...same, { _id: { $ne: document._id } }] } };
}

/** The place of a document in a unique index. */
interface Place {
  index: UniqueIndex;
  /** As text, with the fields of the index. */
  place: string;
}

function placeOf({ key }: UniqueIndex, document: Stored): string {
  const paths = Object.keys(key);
  return BSON.EJSON.stringify([paths, paths.map((path) => valueAt(document, path) ?? null)]);
}

async function uniqueIndexesOf(collection: Collection<Stored>): Promise<UniqueIndex[]> {
  const indexes = (await collection.indexes()).filter(({ unique }) => unique === true);
  return indexes.map(({ key, partialFilterExpression: indexed = {} }) => ({ key, indexed }));
}

/**
 * The documents of one collection as they are after the writes of a dry run. Unwritten ones are read from the
 * database; the others are evaluated here, with the operators of MongoDB.
 */
export class WrittenDocuments {
  readonly #collection: Collection<Stored>;
  /** By `_id`; null for a deleted document. */
  readonly #written = new Map<string, Stored | null>();
  /** The `_id`s of written documents, by their places in unique indexes. */
  readonly #places = new Map<string, string>();
  #indexes: Promise<UniqueIndex[]> | undefined;

  constructor(collection: Collection<Stored>) {
    this.#collection = collection;
  }

  get isWritten(): boolean {
    return this.#written.size > 0;
  }

  /** As `find` of the driver. */
  async find(condition: Document, options: FindOptions = {}): Promise<Document[]> {
    const { projection = {}, sort = {}, skip = 0, limit = 0, ...others } = options;
    if (this.#written.size === 0) return this.#collection.find(condition, options).toArray();
    const read = { sort, limit: limit === 0 ? 0 : skip + limit + this.#written.size, ...others };
    const unwritten = (await this.#collection.find(condition, read).toArray()).filter(
      ({ _id }) => !this.#written.has(_id),
    );
    const written = this.#writtenThat(condition);
    const found = find<Document>([...unwritten, ...written] as Document[], {}, asStored(projection));
    // oxlint-disable-next-line unicorn/no-array-sort -- a cursor of mingo
    const sorted = Object.keys(sort).length === 0 ? found : found.sort(sort as Record<string, 1 | -1>);
    const rest = sorted.skip(skip);
    return asStored((limit === 0 ? rest : rest.limit(limit)).all());
  }

  /** As `countDocuments` of the driver: the database counts what the call has not written. */
  async count(condition: Document, options: CountDocumentsOptions = {}): Promise<number> {
    const others = { $and: [condition, { _id: { $nin: [...this.#written.keys()] } }] };
    const counted = await this.#collection.countDocuments(others, options);
    return Math.min(counted + this.#writtenThat(condition).length, options.limit || Infinity);
  }

  /** As `aggregate` of the driver. */
  async aggregate(condition: Document, stages: readonly Document[]): Promise<Document[]> {
    return aggregate(await this.find(condition), asStored([...stages]));
  }

  /** Rejects as a unique index does. An id is compared with those of its `scope`. */
  async insert(document: Stored, scope: Document): Promise<void> {
    const stored = asStored(document);
    const free = { key: { _id: 1 }, condition: { ...scope, _id: stored._id } };
    await this.#write(stored, { held: [], rules: [free] });
  }

  /** Inserts the documents that no unique index rejects. */
  async insertMissing(documents: readonly Stored[], scope: Document): Promise<void> {
    for (const document of documents) {
      await this.insert(document, scope).catch((error: unknown) => {
        if (duplicateKeysOf(error) === null) throw error;
      });
    }
  }

  /** Returns the document after the update; null if none meets the condition. */
  async updateOne(
    condition: Document,
    update: Document | Document[],
    sort: FindOptions['sort'] = {},
  ): Promise<Stored | null> {
    const [found] = await this.find(condition, { sort, limit: 1 });
    return found === undefined ? null : this.#update(found, update);
  }

  /** Returns fields of the document after the update, by a projection; null if none meets the condition. */
  async findOneAndUpdate(
    condition: Document,
    { update, sort, projection = {} }: { update: Document | Document[] } & FindOptions,
  ): Promise<Document | null> {
    const updated = await this.updateOne(condition, update, sort);
    return updated === null ? null : (find<Document>([updated], {}, projection).next() ?? null);
  }

  /** Returns the number of documents that met the condition. */
  async updateMany(condition: Document, update: Document | Document[]): Promise<number> {
    const found = await this.find(condition);
    for (const document of found) await this.#update(document, update);
    return found.length;
  }

  /** Returns true if a document met the condition. */
  async replaceOne(condition: Document, document: Stored): Promise<boolean> {
    const [found] = await this.find(condition, { limit: 1 });
    if (found === undefined) return false;
    const held = await this.#placesOf(found as Stored);
    await this.#write(asStored({ ...document, _id: String(found['_id']) }), { held });
    return true;
  }

  /** Returns the number of deleted documents. */
  async deleteMany(condition: Document): Promise<number> {
    const found = await this.find(condition, { projection: { _id: 1 } });
    for (const { _id } of found) await this.#set(String(_id), null);
    return found.length;
  }

  /** The written documents that meet a condition. */
  #writtenThat(condition: Document): Stored[] {
    const query = new Query<Stored>(asStored(condition));
    return [...this.#written.values()].flatMap((document) =>
      document !== null && query.test(document) ? [document] : [],
    );
  }

  async #update(found: Document, update: Document | Document[]): Promise<Stored> {
    const held = await this.#placesOf(found as Stored);
    const documents = [found];
    updateOne(documents, {}, asStored(update) as Update, { cloneMode: 'deep' });
    const [changed] = documents as [Stored];
    await this.#write(changed, { held });
    return changed;
  }

  /**
   * Throws the error of the database if another document meets a rule, or that of a unique index. The places
   * that the document held before are its own.
   */
  async #write(
    document: Stored,
    { held, rules = [] }: { held: readonly Place[]; rules?: readonly Rule[] },
  ): Promise<void> {
    const own = new Set(held.map(({ place }) => place));
    const places = (await this.#placesOf(document)).filter(({ place }) => !own.has(place));
    const all = [...rules, ...places.map(({ index }) => ruleOf(index, document))];
    const ids = [document._id, ...places.map(({ place }) => this.#places.get(place))];
    const written = ids.flatMap((id) => (id === undefined ? [] : (this.#written.get(id) ?? [])));
    const others = [...(await this.#findUnwritten(all)), ...written];
    const broken = all.find(({ condition }) => others.some((other) => matches(condition, other)));
    if (broken !== undefined) throw duplicateKey(broken.key);
    await this.#set(document._id, document);
  }

  /** The documents of the database that meet one of the rules: one query, because a batch has many writes. */
  async #findUnwritten(rules: readonly Rule[]): Promise<Stored[]> {
    if (rules.length === 0) return [];
    const found = this.#collection.find({ $or: rules.map(({ condition }) => condition) });
    return (await found.toArray()).filter(({ _id }) => !this.#written.has(_id));
  }

  async #set(id: string, document: Stored | null): Promise<void> {
    const before = this.#written.get(id) ?? null;
    const [left, taken] = [await this.#placesOf(before), await this.#placesOf(document)];
    for (const { place } of left) this.#places.delete(place);
    for (const { place } of taken) this.#places.set(place, id);
    this.#written.set(id, document);
  }

  /** The places of a document in the unique indexes. */
  async #placesOf(document: Stored | null): Promise<Place[]> {
    if (document === null) return [];
    this.#indexes ??= uniqueIndexesOf(this.#collection);
    const indexes = (await this.#indexes).filter(({ indexed }) => matches(indexed, document));
    return indexes.map((index) => ({ index, place: placeOf(index, document) }));
  }
}
