import type { Collection, Db } from 'mongodb';

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

/** Returns a database that reports the writes made through it. */
export function watchWrites(database: Db): WatchedDatabase {
  const listeners: ((collection: string) => void)[] = [];
  const watchCollection = (collection: Collection) => {
    const notify = () => listeners.forEach((listener) => listener(collection.collectionName));
    return withMethods(collection, (name, own) =>
      WRITES.has(name) ? (...args) => (own(...args) as Promise<unknown>).finally(notify) : own,
    );
  };
  return {
    database: withMethods(database, (name, own) =>
      name === 'collection' ? (...args) => watchCollection(own(...args) as Collection) : own,
    ),
    onWrite: (listener) => void listeners.push(listener),
  };
}
