import type { Db } from 'mongodb';
import { EntryStore } from './entries.js';
import { HeadStore } from './hashChainHeads.js';

/** What the audit log keeps. */
export function createLogStores(database: Db) {
  return { entries: new EntryStore(database), heads: new HeadStore(database) };
}
export type LogStores = ReturnType<typeof createLogStores>;
