import type { Collection, Db } from 'mongodb';

/** A database that tells of what is written through it. */
export interface WatchedDatabase {
  database: Db;
  /** Called with the name of a collection after each write to it, also after one that failed: it may have arrived. */
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

/** The object with some of its methods in other words; the others are its own. */
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

/** Watches what is written to a database through the one that it gives. */
export function watchWrites(database: Db): WatchedDatabase {
  const listeners: ((collection: string) => void)[] = [];
  const watchCollection = (collection: Collection) => {
    const tell = () => listeners.forEach((listener) => listener(collection.collectionName));
    return withMethods(collection, (name, own) =>
      WRITES.has(name) ? (...args) => (own(...args) as Promise<unknown>).finally(tell) : own,
    );
  };
  return {
    database: withMethods(database, (name, own) =>
      name === 'collection' ? (...args) => watchCollection(own(...args) as Collection) : own,
    ),
    onWrite: (listener) => void listeners.push(listener),
  };
}
