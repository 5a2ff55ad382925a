import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  invalidField,
  type Catalog,
  type CatalogChange,
  type CatalogInput,
} from '@gatehouse/contract';
import { retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireAdmin } from '../authorization/logic/roles.js';
import { checkCatalog, checkGivenCatalog, type CheckedCatalog } from '../catalogs/checkCatalog.js';
import { catalogAfter, catalogEvent, isLatest, withNewVersion } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { introspectDatabase } from '../introspection/introspectDatabase.js';
import type { IntrospectionReason, IntrospectionRequest } from '../introspection/logic/outcome.js';
import { toConnection } from './readConnections.js';
import { openPassword } from './sealPassword.js';
import type { ConnectionDocument } from './store.js';

/**
 * Reads the catalog from the database, or takes the given one for a static connection. Stores a new version
 * when it differs.
 */
export async function introspectConnection(
  dependencies: Dependencies,
  { id, catalog: input }: Input<'connections', 'introspect'>,
  context: CallContext,
): Promise<Output<'connections', 'introspect'>> {
  const { projectId } = requireAdmin(context.principal);
  const connection = await dependencies.stores.connections.get(projectId, id);
  const startedMs = performance.now();
  const checked = await findCatalog(dependencies, { connection, input }, context);
  const durationMs = connection.type === 'static' ? undefined : Math.round(performance.now() - startedMs);
  const found = { connection, checked, durationMs };
  const { written, catalog, changes } = await saveCatalog(dependencies, found, context);
  return { connection: toConnection(written, catalog), changes };
}

async function findCatalog(
  dependencies: Dependencies,
  { connection, input }: { connection: ConnectionDocument; input: CatalogInput | undefined },
  context: CallContext,
): Promise<CheckedCatalog> {
  if (connection.type === 'static') {
    const checked = checkGivenCatalog(connection.type, input);
    if (checked === undefined)
      throw invalidField('catalog', 'is required for a static connection', 'required');
    return checked;
  }
  checkGivenCatalog(connection.type, input);
  return checkCatalog(await readFromDatabase(dependencies, connection, context), 'config');
}

type LiveConnection = Exclude<ConnectionDocument, { type: 'static' }>;

function requestFor(dependencies: Dependencies, connection: LiveConnection): IntrospectionRequest {
  if (connection.type === 'sqlite') return { type: connection.type, config: connection.config };
  const { type, config } = connection;
  const password = openPassword(dependencies, connection);
  return { type, config: { ...config, ...(password !== undefined && { password }) } };
}

async function readFromDatabase(
  dependencies: Dependencies,
  connection: LiveConnection,
  context: CallContext,
): Promise<Catalog> {
  const { CONNECTION_HOSTS, SQLITE_DIR, INTROSPECTION_TIMEOUT_MS } = dependencies.config;
  const limits = {
    organizationId: connection.organizationId,
    timeoutMs: INTROSPECTION_TIMEOUT_MS,
    allowedHosts: CONNECTION_HOSTS,
    sqliteDir: SQLITE_DIR,
  };
  const outcome = await introspectDatabase(requestFor(dependencies, connection), limits);
  if (outcome.ok) return outcome.catalog;
  const { reason, message, cause } = outcome;
  context.log.warn({ err: cause, reason, connectionId: connection._id }, 'introspection failed');
  throw errorOf(connection, { reason, message });
}

/** The field of the configuration that each reason points to; null where only the database is at fault. */
const FIELD_OF_REASON: Record<IntrospectionReason, 'host' | 'user' | 'database' | 'tls' | null> = {
  notAllowed: 'host',
  untrusted: 'tls',
  unreadable: 'host',
  refused: 'user',
  tooLarge: 'database',
  unreachable: null,
  timeout: null,
};
const RETRY_AFTER_SECONDS = 5;

function errorOf(
  { type }: LiveConnection,
  { reason, message }: { reason: IntrospectionReason; message: string },
): AppError {
  const field = FIELD_OF_REASON[reason];
  // A retry does not make a missing file appear.
  if (type === 'sqlite' && reason !== 'timeout') return invalidField('config.file', message);
  if (field !== null) return invalidField(`config.${field}`, message);
  return new AppError('UNAVAILABLE', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

interface FoundCatalog {
  connection: ConnectionDocument;
  checked: CheckedCatalog;
  /** How long the reading took; undefined for a given catalog. */
  durationMs: number | undefined;
}

/** The connection with a catalog, and what changed in it. */
interface SavedCatalog {
  written: ConnectionDocument;
  catalog: Catalog | null;
  changes: CatalogChange[];
}

/**
 * Stores a catalog as the latest version, unless it is that already. Throws CONFLICT when the configuration
 * has changed since the catalog was read.
 */
async function saveCatalog(
  dependencies: Dependencies,
  { connection, checked, durationMs }: FoundCatalog,
  context: CallContext,
): Promise<SavedCatalog> {
  const { connections } = dependencies.stores;
  const { projectId } = connection;
  const { now } = context;
  return retryOnConflict(async () => {
    const current = await connections.get(projectId, connection._id);
    if (!isDeepStrictEqual(current.config, connection.config)) {
      throw new AppError('CONFLICT', { message: 'The connection was changed while its catalog was read' });
    }
    // Read before the write: the connection may be deleted right after it.
    const catalog = await catalogAfter(dependencies, current, checked);
    let changes: CatalogChange[] = [];
    if (isLatest(current, checked)) {
      const written = await connections.noteCatalogRead(projectId, current, { now, durationMs });
      return { written, catalog, changes };
    }
    const written = await withNewVersion(dependencies, { owner: current, checked, now }, (version) => {
      ({ changes } = version);
      const { catalogs } = version;
      const events = [catalogEvent(current, version, context)];
      return connections.moveCatalog(projectId, current, { catalogs, events, now, durationMs });
    });
    return { written, catalog, changes };
  });
}
