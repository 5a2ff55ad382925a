import type { Db } from 'mongodb';
import { EntryStore } from './entries.js';
import { HeadStore } from './heads.js';

/** The stores of the audit log. */
export function createLogStores(database: Db) {
  return { entries: new EntryStore(database), heads: new HeadStore(database) };
}
export type LogStores = ReturnType<typeof createLogStores>;
