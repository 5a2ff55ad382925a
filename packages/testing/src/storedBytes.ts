import { services } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';
import { BSON, type Document } from 'mongodb';

/** Every document of each database at one moment, as its bytes: its collection, and what it holds. */
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

/** The collections when they were first asked for: the platform makes all of them as it starts. */
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
 * Everything that the platform keeps but for some collections. Cheap, because it is asked for after every refusal: one
 * question to each database, and nothing is decoded. `findNewCollections` tells at the end whether there was more to read.
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

/** The collections that were made since the first reading, but for those that are left out of it. */
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

/** One of them as an object. */
export function decodeStored(bytes: Buffer): { collection: string; document: Document } {
  return BSON.deserialize(bytes) as ReturnType<typeof decodeStored>;
}
