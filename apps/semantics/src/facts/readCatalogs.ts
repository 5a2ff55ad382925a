import { AppError } from '@gatehouse/contract';
import { WriteConflict } from '@gatehouse/service';
import type { CatalogEntry } from '../catalogs/logic/entry.js';
import type { CatalogPart, ConnectionDocument, Dependencies, Input } from '../dependencies.js';
import { takeWithin } from './logic/takeWithin.js';

/**
 * The most bytes of JSON of the catalogs in one response, with their renames. A larger catalog is returned
 * alone.
 */
const CATALOGS_BYTES_MAX = 32 * 1024 * 1024;
/** The most bytes of JSON that are read to find the changed tables. */
const CHANGES_BYTES_MAX = 64 * 1024 * 1024;

type LoadInput = Input<'facts', 'load'>;

/** The requested parts of the catalogs of a project. */
export interface CatalogParts {
  /** By the keys of their catalogs. */
  parts: ReadonlyMap<string, CatalogPart>;
  /** The connections whose latest catalogs the response includes, with all of their renames. */
  included: ReadonlySet<ConnectionDocument>;
  since: Date | undefined;
}

const keysOf = (entries: readonly CatalogEntry[]) => entries.map(({ key }) => key);
const latestOf = ({ catalogs }: ConnectionDocument) => catalogs.slice(-1);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The versions since a moment. */
export function versionsSince({ catalogs }: ConnectionDocument, since: Date | undefined): CatalogEntry[] {
  return since === undefined ? [] : catalogs.filter(({ readAt }) => readAt >= since);
}

/** Whether the changes since `since` are no longer kept, so that every table counts as changed. */
export function isForgotten({ catalogs }: ConnectionDocument, since: Date | undefined): boolean {
  const [oldest] = catalogs;
  if (oldest === undefined || since === undefined) return false;
  const isBeforeOldest = oldest.version > 1 && since < oldest.readAt;
  return isBeforeOldest || catalogs.some(({ readAt, areChangesKept }) => readAt >= since && !areChangesKept);
}

/** The connections whose latest catalog the caller does not have. */
function missingOf(connections: readonly ConnectionDocument[], known: LoadInput['known']) {
  const versions = new Map(known.map(({ connectionId, catalogVersion }) => [connectionId, catalogVersion]));
  return connections.filter(({ _id, catalogs }) => {
    const last = catalogs.at(-1);
    return last !== undefined && versions.get(_id) !== last.version;
  });
}

/**
 * Reads the catalogs that the caller does not have, up to a limit of bytes, and the changes since a moment.
 * The sizes of changes are read first. Throws INVALID_REQUEST when the changes have too many bytes, and
 * WriteConflict if a version was dropped since its connection was read.
 */
export async function readCatalogs(
  { catalogs: store }: Pick<Dependencies['stores'], 'catalogs'>,
  connections: readonly ConnectionDocument[],
  { projectId, known, changedSince }: LoadInput & { projectId: string },
): Promise<CatalogParts> {
  const since = changedSince === undefined ? undefined : new Date(changedSince);
  const missing = missingOf(connections, known);
  const forgotten = connections.filter((connection) => isForgotten(connection, since));
  const kept = connections.filter((connection) => !isForgotten(connection, since));
  const changed = kept.flatMap((connection) => versionsSince(connection, since));
  const versions = [...missing.flatMap(({ catalogs }) => catalogs), ...changed];
  const sizes = await store.listChangeSizes(projectId, [...new Set(keysOf(versions))]);
  const bytesOf = (key: string) => sizes.get(key)?.bytes ?? 0;
  const forgottenVersions = forgotten.flatMap(latestOf);
  const changedBytes = sum(keysOf(changed).map(bytesOf)) + sum(forgottenVersions.map(({ bytes }) => bytes));
  if (changedBytes > CHANGES_BYTES_MAX) throw changedTooEarly();
  const renamesOf = ({ catalogs }: ConnectionDocument) =>
    keysOf(catalogs).filter((key) => sizes.get(key)?.hasRenames === true);
  const taken = takeWithin(
    missing.map((connection) => ({
      connection,
      bytes: sum(latestOf(connection).map(({ bytes }) => bytes)) + sum(renamesOf(connection).map(bytesOf)),
    })),
    CATALOGS_BYTES_MAX,
  ).map(({ connection }) => connection);
  const wholeKeys = [...keysOf(taken.flatMap(latestOf)), ...keysOf(forgottenVersions)];
  const changesKeys = [...keysOf(changed), ...taken.flatMap(renamesOf)];
  const read = await store.listParts(projectId, { wholeKeys, changesKeys });
  const parts = new Map(read.map((part) => [part._id, part]));
  if ([...wholeKeys, ...changesKeys].some((key) => !parts.has(key))) throw new WriteConflict();
  return { parts, included: new Set(taken), since };
}

function changedTooEarly(): AppError {
  const message =
    'changedSince must be later: the catalogs that changed since then have more than ' +
    `${CHANGES_BYTES_MAX} bytes of JSON`;
  return new AppError('INVALID_REQUEST', { message });
}
