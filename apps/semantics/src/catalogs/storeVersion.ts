import {
  AppError,
  type Catalog,
  type CatalogChange,
  type CloudEvent,
  type ConnectionType,
} from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { createRecordEvent } from '../records/writeRecord.js';
import type { CheckedCatalog } from './checkCatalog.js';
import { diffCatalogs, isRename } from './logic/diff.js';
import type { CatalogEntry } from './logic/entry.js';

/** Larger changes are not kept: they can be computed again from the catalogs. */
const CHANGES_MAX_BYTES = 3 * 1024 * 1024;
/** The number of versions of a catalog that are kept. */
const VERSIONS_KEPT = 20;

/** The connection that a catalog belongs to. */
interface CatalogOwner {
  _id: string;
  organizationId: string;
  projectId: string;
  name: string;
  type: ConnectionType;
  catalogs: CatalogEntry[];
}

/** A new version that is stored, but not listed by its connection yet. */
export interface StoredVersion {
  catalogs: CatalogEntry[];
  entry: CatalogEntry;
  changes: CatalogChange[];
}

/**
 * One kept version of a connection's catalog, by default the latest; null when the connection does not list
 * it. Throws WriteConflict if the version was dropped since the connection was read.
 */
export async function readCatalog(
  { stores }: Dependencies,
  { projectId, catalogs }: Pick<CatalogOwner, 'projectId' | 'catalogs'>,
  version = catalogs.at(-1)?.version,
): Promise<Catalog | null> {
  const entry = catalogs.find((each) => each.version === version);
  if (entry === undefined) return null;
  return JSON.parse(await stores.catalogs.getText(projectId, entry.key)) as Catalog;
}

/** Whether a catalog equals the latest version of a connection. */
export function isLatest({ catalogs }: Pick<CatalogOwner, 'catalogs'>, { digest }: CheckedCatalog): boolean {
  return catalogs.at(-1)?.digest === digest;
}

/** The latest catalog of a connection as it was read, once a given one is stored. Throws as `readCatalog`. */
export async function catalogAfter(
  dependencies: Dependencies,
  owner: Pick<CatalogOwner, 'projectId' | 'catalogs'>,
  given: CheckedCatalog | undefined,
): Promise<Catalog | null> {
  return given === undefined || isLatest(owner, given) ? readCatalog(dependencies, owner) : given.catalog;
}

async function storeVersion(
  dependencies: Dependencies,
  owner: CatalogOwner,
  { checked, now }: { checked: CheckedCatalog; now: Date },
): Promise<StoredVersion> {
  const { _id: connectionId, organizationId, projectId, catalogs } = owner;
  const { catalog, text, bytes, digest } = checked;
  const changes = diffCatalogs(await readCatalog(dependencies, owner), catalog);
  const changesText = JSON.stringify(changes);
  const version = (catalogs.at(-1)?.version ?? 0) + 1;
  const areChangesKept = Buffer.byteLength(changesText) <= CHANGES_MAX_BYTES;
  const entry = { version, key: newKey(), digest, bytes, areChangesKept, readAt: now };
  await dependencies.stores.catalogs.insert(projectId, {
    _id: entry.key,
    organizationId,
    connectionId,
    version,
    catalog: text,
    changes: areChangesKept ? changesText : null,
    hasRenames: changes.some(isRename),
    readAt: now,
  });
  return { catalogs: [...catalogs, entry].slice(-VERSIONS_KEPT), entry, changes };
}

/**
 * Stores a new version of a catalog, then runs the write that makes its connection list it. Versions that are
 * not listed afterwards are deleted: former ones, or the new one when the write throws an AppError, such as
 * WriteConflict because the connection has changed since. When the write fails otherwise, or the process
 * dies, it is unknown whether the version is listed: the sweep finds out.
 */
export async function withNewVersion<Written extends Pick<CatalogOwner, 'catalogs'>>(
  dependencies: Dependencies,
  { owner, checked, now }: { owner: CatalogOwner; checked: CheckedCatalog; now: Date },
  write: (version: StoredVersion) => Promise<Written>,
): Promise<Written> {
  const version = await storeVersion(dependencies, owner, { checked, now });
  const drop = (keys: string[]) => dependencies.stores.catalogs.delete(owner.projectId, keys);
  try {
    const written = await write(version);
    const listed = new Set(written.catalogs.map(({ key }) => key));
    const known = [...owner.catalogs, version.entry].map(({ key }) => key);
    await drop(known.filter((key) => !listed.has(key)));
    return written;
  } catch (error) {
    if (error instanceof AppError) await drop([version.entry.key]);
    throw error;
  }
}

/** The event of a new version of a catalog. */
export function catalogEvent(
  { _id: id, projectId, name, type }: Pick<CatalogOwner, '_id' | 'projectId' | 'name' | 'type'>,
  { entry, changes }: StoredVersion,
  context: CallContext,
): CloudEvent {
  const counts = { catalogVersion: entry.version, changeCount: changes.length };
  const data = { id, projectId, name, type, ...counts };
  return createRecordEvent('management.connection_catalog.updated.v1', data, context);
}
