import type { FactConnection } from '@gatehouse/contract';
import { CatalogIndex } from '../logic/validation/catalogIndex.js';

/** One version of the catalog of a connection, made findable. */
export interface CatalogVersion {
  connectionId: string;
  catalogVersion: number;
  index: CatalogIndex;
}

/** Remembers catalogs, so that a page neither fetches nor indexes what the page before it had. */
export interface CatalogCache {
  /** The versions that are remembered of the catalogs of a project. */
  known(projectId: string): CatalogVersion[];
  /** The index of a connection's catalog: made of the catalog that was sent, or the one of the versions known when it was asked for. */
  resolve(
    projectId: string,
    connection: FactConnection,
    known: readonly CatalogVersion[],
  ): CatalogIndex | null;
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
  const keep = (projectId: string, version: CatalogVersion) => {
    forget(version.connectionId);
    if (version.index.bytes > maxBytes) return;
    versions.set(version.connectionId, { projectId, ...version });
    bytes += version.index.bytes;
    for (const oldest of versions.keys()) {
      if (bytes <= maxBytes) return;
      forget(oldest);
    }
  };
  return {
    known: (projectId) => [...versions.values()].filter((version) => version.projectId === projectId),
    resolve(projectId, { id, catalogVersion, catalog, dialect }, known) {
      if (catalog === null || catalogVersion === null) return null;
      const held = known.find((version) => version.connectionId === id);
      if (catalog === undefined && held?.catalogVersion !== catalogVersion)
        throw new Error(`The catalog of ${id} was neither sent nor known`);
      const index = catalog === undefined ? held?.index : new CatalogIndex(catalog, dialect);
      if (index === undefined) return null;
      keep(projectId, { connectionId: id, catalogVersion, index });
      return index;
    },
  };
}
