import { services } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';
import { BSON, type Document } from 'mongodb';

/** Every document of each database at one moment, as bytes, with its collection. */
export type StoredBytes = ReadonlyMap<string, readonly Buffer[]>;

type Database = ReturnType<Databases['of']>;

const DATABASES = [...Object.keys(services), 'events'];

const told = (collection: string) => [
  { $sort: { _id: 1 } },
  { $replaceWith: { collection, document: '$$ROOT' } },
];

type Collections = ReadonlyMap<string, readonly string[]>;

const listed = new WeakMap<Databases, Promise<Collections>>();

async function listCollections(databases: Databases): Promise<Collections> {
  const list = DATABASES.map(async (name) => {
    const found = await databases.of(name).listCollections({}, { nameOnly: true }).toArray();
    return [name, found.map((collection) => collection.name).toSorted()] as const;
  });
  return new Map(await Promise.all(list));
}

/** The collections at the first request: the platform creates all of them when it starts. */
function collectionsOf(databases: Databases): Promise<Collections> {
  const known = listed.get(databases) ?? listCollections(databases);
  listed.set(databases, known);
  return known;
}

async function readDatabase(database: Database, names: readonly string[]): Promise<Buffer[]> {
  const [first, ...others] = names;
  if (first === undefined) return [];
  const joined = others.map((coll) => ({ $unionWith: { coll, pipeline: told(coll) } }));
  const documents = database.collection(first).aggregate([...told(first), ...joined], { raw: true });
  return (await documents.toArray()) as unknown as Buffer[];
}

/**
 * Everything that the platform stores, except some collections. It is cheap, because it runs after every
 * rejected request: one query for each database, and nothing is decoded. `findNewCollections` reports at the
 * end whether there was more to read.
 */
export async function readStoredBytes(
  databases: Databases,
  leftOut: readonly string[],
): Promise<StoredBytes> {
  const collections = await collectionsOf(databases);
  const read = [...collections].map(async ([name, all]) => {
    const names = all.filter((each) => !leftOut.includes(each));
    return [name, await readDatabase(databases.of(name), names)] as const;
  });
  return new Map(await Promise.all(read));
}

/** The collections that were created since the first reading, except the excluded ones. */
export async function findNewCollections(
  databases: Databases,
  leftOut: readonly string[],
): Promise<string[]> {
  const [before, after] = [await collectionsOf(databases), await listCollections(databases)];
  return [...after].flatMap(([database, names]) =>
    names
      .filter((name) => before.get(database)?.includes(name) !== true && !leftOut.includes(name))
      .map((name) => `${database}.${name}`),
  );
}

/** One document as an object. */
export function decodeStored(bytes: Buffer): { collection: string; document: Document } {
  return BSON.deserialize(bytes) as ReturnType<typeof decodeStored>;
}
