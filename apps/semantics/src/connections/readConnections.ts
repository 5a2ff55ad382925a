import type { Catalog, Connection, ConnectionSummary } from '@gatehouse/contract';
import { retryOnConflict, type CallContext } from '@gatehouse/service';
import { requireAuthor, requireReader } from '../authorization/logic/roles.js';
import { readCatalog } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { publicFields } from '../records/logic/fields.js';
import { dialectOf, publicConfig } from './logic/config.js';
import type { ConnectionDocument } from './store.js';

function toSummary(connection: ConnectionDocument): ConnectionSummary {
  const { type, rowBarrier, unassignedActors, catalogs, catalogReadAt, sealedPassword } = connection;
  const { catalogReadDurationMs } = connection;
  return {
    ...publicFields(connection),
    type,
    dialect: dialectOf(connection),
    config: publicConfig(connection, sealedPassword !== null),
    rowBarrier,
    unassignedActors,
    catalogVersion: catalogs.at(-1)?.version ?? null,
    catalogReadAt: catalogReadAt?.toISOString() ?? null,
    ...(catalogReadDurationMs !== undefined && { catalogReadDurationMs }),
  };
}

export function toConnection(connection: ConnectionDocument, catalog: Catalog | null): Connection {
  return { ...toSummary(connection), catalog };
}

export function toConnectionName(connection: ConnectionDocument) {
  const { _id: id, name, type } = connection;
  return { id, name, type, dialect: dialectOf(connection) };
}

export async function listConnections(
  { stores }: Dependencies,
  input: Input<'connections', 'list'>,
  context: CallContext,
): Promise<Output<'connections', 'list'>> {
  const { projectId } = requireAuthor(context.principal);
  const { records, nextCursor } = await stores.connections.listPart(projectId, input);
  return { connections: records.map(toSummary), nextCursor };
}

export async function getConnection(
  dependencies: Dependencies,
  { id }: Input<'connections', 'get'>,
  context: CallContext,
): Promise<Output<'connections', 'get'>> {
  const { projectId } = requireAuthor(context.principal);
  return retryOnConflict(async () => {
    const connection = await dependencies.stores.connections.get(projectId, id);
    return { connection: toConnection(connection, await readCatalog(dependencies, connection)) };
  });
}

/** One connection with its catalog, for other services on behalf of their caller. */
export async function describeConnection(
  dependencies: Dependencies,
  { connectionId, knownCatalogVersion }: Input<'connections', 'describe'>,
  context: CallContext,
): Promise<Output<'connections', 'describe'>> {
  const { projectId } = requireReader(context.principal);
  return retryOnConflict(async () => {
    const connection = await dependencies.stores.connections.find(projectId, connectionId);
    if (connection === null) return { connection: null };
    const summary = toSummary(connection);
    const isKnown = summary.catalogVersion !== null && summary.catalogVersion === knownCatalogVersion;
    if (isKnown) return { connection: summary };
    return { connection: summary, catalog: await readCatalog(dependencies, connection) };
  });
}

/** The names of several connections, for other services on behalf of their caller. */
export async function listConnectionNames(
  { stores }: Dependencies,
  { ids }: Input<'connections', 'names'>,
  context: CallContext,
): Promise<Output<'connections', 'names'>> {
  const { projectId } = requireReader(context.principal);
  const connections = await stores.connections.listByIds(projectId, ids);
  return { connections: connections.map(toConnectionName) };
}
