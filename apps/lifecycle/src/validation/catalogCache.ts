import type { SqlDialect } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import type { CatalogIndex } from './logic/catalogIndex.js';
import type { RenameIndex } from './logic/renames.js';

/** One version of a connection's catalog, indexed by the name rules of its dialect. */
export interface CatalogVersion {
  connectionId: string;
  catalogVersion: number;
  dialect: SqlDialect;
  index: CatalogIndex;
  renames: RenameIndex;
}

/** Caches catalogs, so that a page does not fetch and index those of the previous page again. */
export interface CatalogCache {
  /** The cached catalogs of a project. */
  list(projectId: string): CatalogVersion[];
  /** Stores a version as the most recently used one. It replaces other versions of its connection. */
  set(projectId: string, version: CatalogVersion): void;
}

const MAX_BYTES = 128 * 1024 * 1024;

/** Creates an LRU cache of at most `maxBytes`, by estimate. */
export function createCatalogCache(maxBytes = MAX_BYTES): CatalogCache {
  const versions = new LRUCache<string, CatalogVersion & { projectId: string }>({
    maxSize: maxBytes,
    // Sizes are positive, also that of a catalog without tables.
    sizeCalculation: ({ index }) => Math.max(index.bytes, 1),
  });
  return {
    list: (projectId) =>
      [...versions.rvalues()].flatMap((version) => (version?.projectId === projectId ? version : [])),
    set: (projectId, version) => void versions.set(version.connectionId, { projectId, ...version }),
  };
}
