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

async function readDatabase(database: Database, leftOut: readonly string[]): Promise<Buffer[]> {
  const listed = await database.listCollections({}, { nameOnly: true }).toArray();
  const names = listed.map(({ name }) => name).filter((name) => !leftOut.includes(name));
  const [first, ...others] = names.toSorted();
  if (first === undefined) return [];
  const joined = others.map((coll) => ({ $unionWith: { coll, pipeline: told(coll) } }));
  const documents = database.collection(first).aggregate([...told(first), ...joined], { raw: true });
  return (await documents.toArray()) as unknown as Buffer[];
}

/**
 * Everything that the platform keeps but for some collections. Cheap, because it is asked for after every refusal: one
 * question to each database, and nothing is decoded.
 */
export async function readStoredBytes(
  databases: Databases,
  leftOut: readonly string[],
): Promise<StoredBytes> {
  const read = DATABASES.map(
    async (name) => [name, await readDatabase(databases.of(name), leftOut)] as const,
  );
  return new Map(await Promise.all(read));
}

/** One of them as an object. */
export function decodeStored(bytes: Buffer): { collection: string; document: Document } {
  return BSON.deserialize(bytes) as ReturnType<typeof decodeStored>;
}
