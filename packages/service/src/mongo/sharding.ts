import type { Db, MongoClient } from 'mongodb';

/** The databases that routers distribute over shards. */
const sharded = new WeakSet<Db>();

/** Whether the server is a router of a sharded cluster (the `msg` of its `hello`). */
export async function isRouter(client: MongoClient): Promise<boolean> {
  const { msg } = await client.db('admin').command({ hello: 1 });
  return msg === 'isdbgrid';
}

/** Records that a database is sharded. */
export function markSharded(database: Db): Db {
  sharded.add(database);
  return database;
}

/**
 * Whether a query needs the shard key of its collection, so that the router sends it to one shard. On any
 * other server the `_id` alone finds a document faster: the engine then plans no query.
 */
export const isSharded = (database: Db): boolean => sharded.has(database);
