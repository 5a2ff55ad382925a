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
    for (const name of await listCollections(database, place.first ?? [])) {
      const collection = database.collection(name);
      yield {
        kind: 'collection',
        collection: { database: place.name, name, indexes: await listIndexes(collection) },
      };
      const order = place.orders?.[name] ?? { _id: 1 };
      // By an index, so that documents that move on disk are neither skipped nor read twice.
      const found = collection.find({}, { ...AS_STORED, sort: order, hint: order as Document });
      for await (const document of found) yield { kind: 'document', document: BSON.serialize(document) };
    }
  }
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
