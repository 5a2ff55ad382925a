import type { CallContext } from '@gatehouse/service';
import { dialectOf } from '../logic/connectionConfig.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import { readCatalog } from './catalogs.js';
import { toConnectionSummary } from './records.js';
import { requireReader } from './refusals.js';

/** What other services need of one connection on behalf of their caller. */
export async function describeConnection(
  semantics: Semantics,
  { connectionId, knownCatalogVersion }: Input<'connections', 'describe'>,
  context: CallContext,
): Answer<'connections', 'describe'> {
  const { projectId } = requireReader(context.principal);
  const connection = await semantics.stores.connections.find(projectId, connectionId);
  if (connection === null) return { connection: null };
  const summary = toConnectionSummary(connection);
  const isKnown = summary.catalogVersion !== null && summary.catalogVersion === knownCatalogVersion;
  if (isKnown) return { connection: summary };
  return { connection: summary, catalog: await readCatalog(semantics, connection) };
}

/** The names of several connections. */
export async function listConnectionNames(
  { stores }: Semantics,
  { ids }: Input<'connections', 'names'>,
  context: CallContext,
): Answer<'connections', 'names'> {
  const { projectId } = requireReader(context.principal);
  const connections = await stores.connections.listByIds(projectId, ids);
  return {
    connections: connections.map((connection) => {
      const { _id: id, name, type } = connection;
      return { id, name, type, dialect: dialectOf(connection) };
    }),
  };
}
