import type { AnyClientBulkWriteModel, Collection, Db, Document, MongoClient } from 'mongodb';
import { isSharded, markSharded } from './sharding.js';

/** A database that reports the writes made through it. */
export interface WatchedDatabase {
  database: Db;
  /**
   * Registers a function that is called with the name of the collection after each write. A failed write may
   * have been stored, so it is reported too.
   */
  onWrite(listener: (collection: string) => void): void;
}

const WRITES: ReadonlySet<string | symbol> = new Set([
  'bulkWrite',
  'deleteMany',
  'deleteOne',
  'findOneAndDelete',
  'findOneAndReplace',
  'findOneAndUpdate',
  'insertMany',
  'insertOne',
  'replaceOne',
  'updateMany',
  'updateOne',
] satisfies (keyof Collection)[]);

type Method = (...args: unknown[]) => unknown;

/** Returns a proxy that replaces some methods of an object. */
function withMethods<T extends object>(
  object: T,
  replace: (name: string | symbol, own: Method) => Method,
): T {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? replace(name, value.bind(target) as Method) : value;
    },
  });
}

/** Returns the collections of a database that a bulk write changes. */
function collectionsOf(database: Db, writes: readonly AnyClientBulkWriteModel<Document>[]): string[] {
  const prefix = `${database.databaseName}.`;
  const own = writes.map(({ namespace }) => namespace).filter((namespace) => namespace.startsWith(prefix));
  return [...new Set(own)].map((namespace) => namespace.slice(prefix.length));
}

/** Returns a database that reports the writes made through it, or through its client. */
export function watchWrites(database: Db): WatchedDatabase {
  const listeners: ((collection: string) => void)[] = [];
  const notify = (collection: string) => listeners.forEach((listener) => listener(collection));
  const watchCollection = (collection: Collection) =>
    withMethods(collection, (name, own) =>
      WRITES.has(name)
        ? (...args) => (own(...args) as Promise<unknown>).finally(() => notify(collection.collectionName))
        : own,
    );
  const bulkWrite = async (...args: Parameters<MongoClient['bulkWrite']>) => {
    try {
      return await database.client.bulkWrite(...args);
    } finally {
      collectionsOf(database, args[0]).forEach(notify);
    }
  };
  const client = withMethods(database.client, (name, own) =>
    name === 'bulkWrite' ? (bulkWrite as Method) : own,
  );
  const watched = withMethods(database, (name, own) =>
    name === 'collection' ? (...args) => watchCollection(own(...args) as Collection) : own,
  );
  const proxy = new Proxy(watched, {
    get: (target, name) => (name === 'client' ? client : (Reflect.get(target, name) as unknown)),
  });
  return {
    database: isSharded(database) ? markSharded(proxy) : proxy,
    onWrite: (listener) => void listeners.push(listener),
  };
}
