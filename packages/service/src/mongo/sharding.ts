import type { Db } from 'mongodb';

/** The databases that routers distribute over shards. */
const sharded = new WeakSet<Db>();

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
