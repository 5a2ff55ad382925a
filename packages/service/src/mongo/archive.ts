import { BSON, type Collection, type Db, type Document, type IndexDescription, type Sort } from 'mongodb';
import type { Databases } from './database.js';

/**
 * Keeps the type of each value: a 64-bit integer stays one, and so does a whole number that is stored as a
 * double.
 */
const AS_STORED = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

const BATCH_DOCUMENTS_MAX = 1000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** The length prefix of every BSON document. */
const LENGTH_BYTES = 4;
const DOCUMENT_BYTES_MAX = 17 * 1024 * 1024;

/** The databases of a platform, in the order in which they are read. */
export interface ArchivedDatabase {
  name: string;
  /** The collections to read before the others. */
  first?: readonly string[];
  /** The order in which a collection is read. The default is by `_id`. */
  orders?: Readonly<Record<string, Sort>>;
  /** The collections whose documents list parts. */
  parted?: Readonly<Record<string, ArchivedParts>>;
}

/**
 * Parts that never change and count while a document lists them. A change inserts parts, writes the document,
 * and then deletes the parts that it no longer lists.
 */
export interface ArchivedParts {
  /** The collection of the parts. Only listed ones are read, together with their document. */
  collection: string;
  /** Returns the ids of the parts that a document lists. */
  listedBy: (document: Document) => readonly string[];
}

export interface ArchivedCollection {
  database: string;
  name: string;
  indexes: IndexDescription[];
}

/** One item of an archive. An archive file is a sequence of items as BSON. */
export type ArchiveItem =
  | { kind: 'header'; format: string; createdAt: Date }
  | { kind: 'collection'; collection: ArchivedCollection }
  | { kind: 'document'; document: Uint8Array }
  | { kind: 'repository'; path: string; head: string }
  | { kind: 'chunk'; bytes: Uint8Array }
  | { kind: 'end'; itemCount: number };

/** An archive that cannot be read, or a target that it may not be restored to. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Reads databases while the platform writes to them. Each document is read in the state after one write.
 * Documents that exist throughout are read. Documents that are written meanwhile may be.
 */
export async function* readDatabases(
  databases: Databases,
  archived: readonly ArchivedDatabase[],
): AsyncGenerator<ArchiveItem> {
  for (const place of archived) {
    const database = databases.of(place.name);
    const parted = place.parted ?? {};
    const partCollections = Object.values(parted).map(({ collection }) => collection);
    for (const name of await listCollections(database, place.first ?? [])) {
      const collection = database.collection(name);
      const indexes = await listIndexes(collection);
      yield { kind: 'collection', collection: { database: place.name, name, indexes } };
      if (partCollections.includes(name)) continue;
      const order = place.orders?.[name] ?? { _id: 1 };
      // By an index, so that documents that move on disk are neither skipped nor read twice.
      const found = collection.find({}, { ...AS_STORED, sort: order, hint: order as Document });
      yield* readDocuments({ databaseName: place.name, database, collection, parts: parted[name] }, found);
    }
  }
}

const documentItem = (document: Document): ArchiveItem => ({
  kind: 'document',
  document: BSON.serialize(document),
});

interface ArchivedPlace {
  databaseName: string;
  database: Db;
  collection: Collection;
  parts: ArchivedParts | undefined;
}

/** Reads documents, each after the parts that it lists. */
async function* readDocuments(place: ArchivedPlace, documents: AsyncIterable<Document>) {
  // The indexes are those of the first item of the collection.
  const opening = (name: string): ArchiveItem => ({
    kind: 'collection',
    collection: { database: place.databaseName, name, indexes: [] },
  });
  for await (const read of documents) {
    const { document, parts } = await readListed(place, read);
    if (place.parts !== undefined && parts.length > 0) {
      yield opening(place.parts.collection);
      yield* parts.map(documentItem);
      yield opening(place.collection.collectionName);
    }
    if (document !== null) yield documentItem(document);
  }
}

/**
 * Returns a document and the parts that it lists. A document whose parts were replaced since it was read is
 * read again; null if it was deleted.
 */
async function readListed(
  { database, collection, parts }: ArchivedPlace,
  read: Document,
): Promise<{ document: Document | null; parts: Document[] }> {
  const found = new Map<string, Document>();
  let document: Document | null = read;
  let missing: readonly string[] = [];
  while (document !== null) {
    const listed = parts?.listedBy(document) ?? [];
    if (parts === undefined || listed.length === 0) return { document, parts: [] };
    const unread: Document = { _id: { $in: listed.filter((id) => !found.has(id)) } };
    for await (const part of database.collection(parts.collection).find(unread, AS_STORED))
      found.set(String(part['_id']), part);
    const absent = listed.filter((id) => !found.has(id));
    // A part that the document still lists was not replaced, but is lost.
    if (absent.every((id) => missing.includes(id)))
      return { document, parts: listed.flatMap((id) => found.get(id) ?? []) };
    missing = absent;
    document = await collection.findOne({ _id: document['_id'] as never }, AS_STORED);
  }
  return { document, parts: [] };
}

async function listCollections(database: Db, first: readonly string[]): Promise<string[]> {
  const found = (await database.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .toSorted();
  return [...first.filter((name) => found.includes(name)), ...found.filter((name) => !first.includes(name))];
}

async function listIndexes(collection: Collection): Promise<IndexDescription[]> {
  const indexes = await collection.indexes();
  return indexes
    .filter(({ name }) => name !== '_id_')
    .map(({ v: _version, ns: _namespace, ...index }) => index as IndexDescription);
}

/** Throws ArchiveError unless all databases are empty. */
export async function requireEmpty(
  databases: Databases,
  archived: readonly ArchivedDatabase[],
): Promise<void> {
  for (const { name } of archived) {
    const database = databases.of(name);
    for (const collection of await listCollections(database, [])) {
      if ((await database.collection(collection).findOne({}, { projection: { _id: 1 } })) === null) continue;
      throw new ArchiveError(
        `${database.databaseName} is not empty; nothing was restored: set MONGODB_PREFIX to another value, or use another server`,
      );
    }
  }
}

/** Writes the documents of an archive. Ignores items other than collections and documents. */
export class DatabaseWriter {
  readonly #databases: Databases;
  #target: Collection | null = null;
  #batch: Document[] = [];
  #batchBytes = 0;

  constructor(databases: Databases) {
    this.#databases = databases;
  }

  async write(item: ArchiveItem): Promise<void> {
    if (item.kind === 'document') return this.#add(item.document);
    await this.flush();
    if (item.kind !== 'collection') return;
    const { database, name, indexes } = item.collection;
    this.#target = this.#databases.of(database).collection(name);
    if (indexes.length > 0) await this.#target.createIndexes(indexes);
  }

  async flush(): Promise<void> {
    if (this.#batch.length > 0) await this.#target?.insertMany(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
  }

  async #add(document: Uint8Array): Promise<void> {
    if (this.#target === null) throw new ArchiveError('the archive has a document without a collection');
    this.#batch.push(BSON.deserialize(document, AS_STORED));
    this.#batchBytes += document.length;
    if (this.#batch.length >= BATCH_DOCUMENTS_MAX || this.#batchBytes >= BATCH_BYTES_MAX) await this.flush();
  }
}

export function encodeItem(item: ArchiveItem): Uint8Array {
  return BSON.serialize(item);
}

/** Decodes the items of an archive. Throws ArchiveError if the last item is incomplete. */
export async function* decodeItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveItem> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let length = lengthOf(rest); length !== null && rest.length >= length; length = lengthOf(rest)) {
      yield decodeItem(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new ArchiveError('the archive is incomplete');
}

function lengthOf(bytes: Buffer): number | null {
  if (bytes.length < LENGTH_BYTES) return null;
  const length = bytes.readInt32LE(0);
  if (length < LENGTH_BYTES || length > DOCUMENT_BYTES_MAX) throw new ArchiveError('not an archive');
  return length;
}

function decodeItem(bytes: Uint8Array): ArchiveItem {
  const item = BSON.deserialize(bytes, { promoteBuffers: true });
  if (typeof item['kind'] !== 'string') throw new ArchiveError('not an archive');
  return item as ArchiveItem;
}
