import type { Databases } from '@gatehouse/service';
import { BSON } from 'mongodb';
import { isCounted, writesTo } from './countedWrites.js';

type Database = ReturnType<Databases['of']>;
type Documents = Record<string, object[]>;

/** What a snapshot contains. */
export interface SnapshotOptions {
  /** The collections of a snapshot, by default all. */
  collections?: readonly string[];
  /** The fields that a snapshot leaves out. */
  hiddenFields?: readonly string[];
}

/** A read that has begun, with the number of writes before it. */
interface Read<T> {
  writes: number;
  result: Promise<T>;
}

/** Reads again only if there was a write since the last read began. */
function renew<T>(last: Read<T> | undefined, writes: number, read: () => Promise<T>): Read<T> {
  return last?.writes === writes ? last : { writes, result: read() };
}

/**
 * Returns a function that reads all stored documents without tombstones, in a fixed order. It reads again
 * only the collections that were written since, by any client of this process: a test of many rejections
 * compares the database before and after each of them, and would spend most of its time there.
 */
export function createSnapshots(database: Database, options: SnapshotOptions): () => Promise<Documents> {
  const { collections, hiddenFields = ['outbox'] } = options;
  const name = database.databaseName;
  const projection = Object.fromEntries(hiddenFields.map((field) => [field, 0]));
  const live = { deletedAt: { $exists: false } };
  /** The documents of the last read of each collection, by their bytes. */
  const known = new Map<string, Map<string, object>>();

  /** Documents that did not change are the same objects as before, which makes a comparison fast. */
  async function readCollection(collection: string): Promise<object[]> {
    const found = database.collection(collection).find(live, { projection, sort: { _id: 1 }, raw: true });
    const last = known.get(collection);
    const documents = new Map<string, object>();
    for (const bytes of (await found.toArray()) as unknown as Buffer[]) {
      const key = bytes.toString('latin1');
      documents.set(key, last?.get(key) ?? BSON.deserialize(bytes));
    }
    known.set(collection, documents);
    return [...documents.values()];
  }
  const reads = new Map<string, Read<object[]>>();
  let last: Read<Documents> | undefined;

  async function readAll(): Promise<Documents> {
    const found = collections ?? (await database.listCollections().toArray()).map((each) => each.name);
    const contents = found.toSorted().map(async (collection) => {
      const writes = writesTo(name, collection);
      const read = renew(reads.get(collection), writes, () => readCollection(collection));
      reads.set(collection, read);
      return [collection, await read.result] as const;
    });
    return Object.fromEntries(await Promise.all(contents));
  }

  return () => {
    if (!isCounted(database.client)) throw new Error('Open the databases with startTestMongo');
    last = renew(last, writesTo(name), readAll);
    return last.result;
  };
}
