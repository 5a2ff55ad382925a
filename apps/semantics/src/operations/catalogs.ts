import { createHash } from 'node:crypto';
import {
  AppError,
  invalidField,
  type Catalog,
  type CatalogChange,
  type CatalogInput,
  type CloudEvent,
} from '@gatehouse/contract';
import { createEvent, newKey, type CallContext } from '@gatehouse/service';
import { diffCatalogs, isRename } from '../logic/catalogDiff.js';
import { canonicalText, catalogFrom, findCatalogFaults } from '../logic/catalogForm.js';
import type { Semantics } from '../semantics.js';
import type { CatalogEntry, ConnectionDocument } from '../store/documents.js';
import { callOrigin } from './records.js';
import { refuseFaults } from './refusals.js';

/** The largest catalog, in bytes of JSON: with its changes it fits into one document of the engine, which takes 16 MiB. */
export const CATALOG_MAX_BYTES = 12 * 1024 * 1024;
/** Changes of more bytes are not kept: they can be reckoned again from the catalogs. */
const CHANGES_MAX_BYTES = 3 * 1024 * 1024;
/** The number of versions of a catalog that are kept. */
const VERSIONS_KEPT = 20;

/** A catalog that was checked, and what it is told from others by. */
export interface CheckedCatalog {
  catalog: Catalog;
  text: string;
  bytes: number;
  digest: string;
}

/** Checks a catalog. Throws INVALID_REQUEST; `field` is where the catalog, or what it was read from, is in the request. */
export function checkCatalog(catalog: Catalog, field: string): CheckedCatalog {
  refuseFaults(findCatalogFaults(catalog), `${field}.`);
  const text = JSON.stringify(catalog);
  const bytes = Buffer.byteLength(text);
  if (bytes > CATALOG_MAX_BYTES) {
    refuseFaults([
      { field, message: `a catalog has at most ${CATALOG_MAX_BYTES} bytes of JSON, this has ${bytes}` },
    ]);
  }
  const digest = createHash('sha256').update(canonicalText(catalog)).digest('base64url');
  return { catalog, text, bytes, digest };
}

/**
 * Checks a catalog that came in a request; undefined when none did. Throws INVALID_REQUEST where the connection reads its own
 * from a database.
 */
export function checkGivenCatalog(
  type: ConnectionDocument['type'],
  input: CatalogInput | undefined,
): CheckedCatalog | undefined {
  if (input === undefined) return undefined;
  if (type !== 'static') throw invalidField('catalog', 'goes with a static connection only');
  return checkCatalog(catalogFrom(input), 'catalog');
}

/** What a new version of a catalog is made for. */
type Owner = Pick<ConnectionDocument, '_id' | 'projectId' | 'catalogs'>;

/** A new version that is stored, but which its connection does not list yet. */
export interface StoredVersion {
  catalogs: CatalogEntry[];
  entry: CatalogEntry;
  changes: CatalogChange[];
}

/** The catalog of a connection as it is; null while there is none. */
export async function readCatalog(
  { stores }: Semantics,
  { projectId, catalogs }: Pick<Owner, 'projectId' | 'catalogs'>,
): Promise<Catalog | null> {
  const last = catalogs.at(-1);
  if (last === undefined) return null;
  return JSON.parse(await stores.catalogs.getText(projectId, last.key)) as Catalog;
}

/** Whether a catalog is the one that a connection has. */
export function isPresent({ catalogs }: Pick<Owner, 'catalogs'>, { digest }: CheckedCatalog): boolean {
  return catalogs.at(-1)?.digest === digest;
}

async function storeVersion(
  semantics: Semantics,
  owner: Owner,
  { checked, now }: { checked: CheckedCatalog; now: Date },
): Promise<StoredVersion> {
  const { _id: connectionId, projectId, catalogs } = owner;
  const { catalog, text, bytes, digest } = checked;
  const changes = diffCatalogs(await readCatalog(semantics, owner), catalog);
  const changesText = JSON.stringify(changes);
  const version = (catalogs.at(-1)?.version ?? 0) + 1;
  const areChangesKept = Buffer.byteLength(changesText) <= CHANGES_MAX_BYTES;
  const entry = { version, key: newKey(), digest, bytes, areChangesKept, readAt: now };
  await semantics.stores.catalogs.insert(projectId, {
    _id: entry.key,
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
 * Stores a new version of a catalog and then runs the write by which its connection lists it. Versions that are not
 * listed then are deleted: former ones, or the new one when the write gives null, because the connection has changed since,
 * or refuses. When it fails otherwise, or this process dies,
 * nobody knows whether the version is listed: the sweep finds out.
 */
export async function withNewVersion<Written extends ConnectionDocument | null>(
  semantics: Semantics,
  { owner, checked, now }: { owner: Owner; checked: CheckedCatalog; now: Date },
  write: (version: StoredVersion) => Promise<Written>,
): Promise<Written> {
  const version = await storeVersion(semantics, owner, { checked, now });
  const drop = (keys: string[]) => semantics.stores.catalogs.delete(owner.projectId, keys);
  try {
    const written = await write(version);
    const listed = new Set((written ?? owner).catalogs.map(({ key }) => key));
    const known = [...owner.catalogs, version.entry].map(({ key }) => key);
    await drop(known.filter((key) => !listed.has(key)));
    return written;
  } catch (error) {
    if (error instanceof AppError) await drop([version.entry.key]);
    throw error;
  }
}

/** Tells of a new version of a catalog. */
export function catalogEvent(
  { _id: id, projectId, name, type }: Pick<ConnectionDocument, '_id' | 'projectId' | 'name' | 'type'>,
  { entry, changes }: StoredVersion,
  context: CallContext,
): CloudEvent {
  const counts = { catalogVersion: entry.version, changeCount: changes.length };
  const data = { id, projectId, name, type, ...counts };
  const origin = callOrigin(context);
  return createEvent('management.connection_catalog.updated.v1', id, { origin, data });
}
