import {
  AppError,
  invalidField,
  type Catalog,
  type CatalogChange,
  type CatalogInput,
} from '@gatehouse/contract';
import { type CallContext, untilWritten } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import { introspect, type IntrospectionReason, type IntrospectionRequest } from '../introspection/index.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';
import {
  catalogEvent,
  checkCatalog,
  checkGivenCatalog,
  isPresent,
  readCatalog,
  withNewVersion,
  type CheckedCatalog,
} from './catalogs.js';
import { openPassword } from './connectionConfigs.js';
import { toConnection } from './records.js';
import { requireAdmin } from './refusals.js';

/** Reads the catalog of the real database, or takes that of a static connection. One that differs is a new version. */
export async function introspectConnection(
  semantics: Semantics,
  { id, catalog: input }: Input<'connections', 'introspect'>,
  context: CallContext,
): Answer<'connections', 'introspect'> {
  const { projectId } = requireAdmin(context.principal);
  const connection = await semantics.stores.connections.get(projectId, id);
  const checked = await findCatalog(semantics, { connection, input }, context);
  const { written, changes } = await saveCatalog(semantics, { connection, checked }, context);
  return { connection: toConnection(written, await readCatalog(semantics, written)), changes };
}

async function findCatalog(
  semantics: Semantics,
  { connection, input }: { connection: ConnectionDocument; input: CatalogInput | undefined },
  context: CallContext,
): Promise<CheckedCatalog> {
  if (connection.type === 'static') {
    const checked = checkGivenCatalog(connection.type, input);
    return checked ?? refuse('catalog', 'is required for a static connection');
  }
  checkGivenCatalog(connection.type, input);
  return checkCatalog(await readFromDatabase(semantics, connection, context), 'config');
}

type LiveConnection = Exclude<ConnectionDocument, { type: 'static' }>;

function requestFor(semantics: Semantics, connection: LiveConnection): IntrospectionRequest {
  if (connection.type === 'sqlite') return { type: connection.type, config: connection.config };
  const { type, config } = connection;
  const password = openPassword(semantics, connection);
  return { type, config: { ...config, ...(password !== undefined && { password }) } };
}

async function readFromDatabase(
  semantics: Semantics,
  connection: LiveConnection,
  context: CallContext,
): Promise<Catalog> {
  const { CONNECTION_HOSTS, SQLITE_DIR, INTROSPECTION_TIMEOUT_MS } = semantics.config;
  const limits = {
    organizationId: connection.organizationId,
    timeoutMs: INTROSPECTION_TIMEOUT_MS,
    allowedHosts: CONNECTION_HOSTS,
    sqliteDir: SQLITE_DIR,
  };
  const outcome = await introspect(requestFor(semantics, connection), limits);
  if (outcome.ok) return outcome.catalog;
  const { reason, message, cause } = outcome;
  context.log.warn({ err: cause, reason, connectionId: connection._id }, 'introspection failed');
  throw refusalOf(connection, { reason, message });
}

/** The field of a configuration that each reason is about; null where the request is right and the database is not there. */
const FIELD_OF_REASON: Record<IntrospectionReason, 'host' | 'user' | 'database' | 'tls' | null> = {
  notAllowed: 'host',
  untrusted: 'tls',
  unreadable: 'host',
  refused: 'user',
  tooLarge: 'database',
  unreachable: null,
  timeout: null,
  busy: null,
};
const RETRY_AFTER_SECONDS = 5;

function refusalOf(
  { type }: LiveConnection,
  { reason, message }: { reason: IntrospectionReason; message: string },
): AppError {
  const field = FIELD_OF_REASON[reason];
  // A file that is not there does not come by itself.
  if (type === 'sqlite' && reason !== 'timeout' && reason !== 'busy')
    return invalidField('config.file', message);
  if (field !== null) return invalidField(`config.${field}`, message);
  return new AppError('UNAVAILABLE', { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function refuse(field: string, message: string): never {
  throw invalidField(field, message);
}

/** Makes a catalog the connection's, unless it is that already or was read from elsewhere than the connection now leads to. */
async function saveCatalog(
  semantics: Semantics,
  { connection, checked }: { connection: ConnectionDocument; checked: CheckedCatalog },
  context: CallContext,
): Promise<{ written: ConnectionDocument; changes: CatalogChange[] }> {
  const { connections } = semantics.stores;
  const { projectId } = connection;
  const { now } = context;
  let changes: CatalogChange[] = [];
  const written = await untilWritten(async () => {
    const current = await connections.get(projectId, connection._id);
    if (!isDeepStrictEqual(current.config, connection.config)) {
      throw new AppError('CONFLICT', { message: 'The connection was changed while its catalog was read' });
    }
    changes = [];
    if (isPresent(current, checked)) return connections.noteCatalogRead(projectId, current, now);
    return withNewVersion(semantics, { owner: current, checked, now }, (version) => {
      ({ changes } = version);
      const events = [catalogEvent(current, version, context)];
      return connections.moveCatalog(projectId, current, { catalogs: version.catalogs, events, now });
    });
  });
  return { written, changes };
}
