import type { SqlDialect } from '@gatehouse/contract';
import type { CatalogIndex } from '../logic/validation/catalogIndex.js';
import type { Renames } from '../logic/validation/renames.js';

/** One version of the catalog of a connection, made findable as a dialect folds its names. */
export interface CatalogVersion {
  connectionId: string;
  catalogVersion: number;
  dialect: SqlDialect;
  index: CatalogIndex;
  renames: Renames;
}

/** Remembers catalogs, so that a page neither fetches nor indexes what the page before it had. */
export interface CatalogCache {
  /** The versions that are remembered of the catalogs of a project. */
  known(projectId: string): CatalogVersion[];
  /** Remembers a version in the place of any other of its connection, and as the one that was used last. */
  keep(projectId: string, version: CatalogVersion): void;
}

const MAX_BYTES = 128 * 1024 * 1024;

/** A cache of at most `maxBytes`, reckoned roughly; the least recently used goes first. */
export function createCatalogCache(maxBytes = MAX_BYTES): CatalogCache {
  // A map keeps the order of insertion, which is made the order of use.
  const versions = new Map<string, CatalogVersion & { projectId: string }>();
  let bytes = 0;
  const forget = (id: string) => {
    bytes -= versions.get(id)?.index.bytes ?? 0;
    versions.delete(id);
  };
  return {
    known: (projectId) => [...versions.values()].filter((version) => version.projectId === projectId),
    keep(projectId, version) {
      forget(version.connectionId);
      if (version.index.bytes > maxBytes) return;
      versions.set(version.connectionId, { projectId, ...version });
      bytes += version.index.bytes;
      for (const oldest of versions.keys()) {
        if (bytes <= maxBytes) return;
        forget(oldest);
      }
    },
  };
}
