import { AppError, type BlockingRecord } from '@gatehouse/contract';
import { requireVersion, retryOnConflict, type CallContext } from '@gatehouse/service';
import { seesDomain } from '../authorization/logic/domainAccess.js';
import { requireAdmin } from '../authorization/logic/roles.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { eventFields } from '../records/logic/fields.js';
import { createRecordEvent } from '../records/writeRecord.js';
import type { ConnectionDocument } from './store.js';

/** The most records that an error names. */
const NAMED_MAX = 10;

/**
 * The data models, domains and policy definitions that refer to a connection, up to ten of each; null when
 * there are none. A domain that the token does not see counts but is not named.
 */
async function findReferences(
  { stores, services }: Dependencies,
  { projectId, _id: connectionId }: ConnectionDocument,
  context: CallContext,
): Promise<BlockingRecord[] | null> {
  const [datamodels, domains, { definitions }] = await Promise.all([
    stores.datamodels.listByConnection(projectId, connectionId, NAMED_MAX),
    stores.domains.listByConnection(projectId, connectionId, NAMED_MAX),
    services.policy.usage.ofConnection.query({ connectionId }, { context }),
  ]);
  if (datamodels.length + domains.length + definitions.length === 0) return null;
  const { semanticDomainAccess: access } = context.principal;
  const visible = domains.filter((domain) => seesDomain(access, domain));
  const stored = [...datamodels, ...visible].map(({ _id: id, name }) => ({ id, title: name }));
  return [...stored, ...definitions.map(({ id, name }) => ({ id, title: name }))];
}

/** Deletes a connection without references. A write of a new reference touches the connection afterwards. */
export async function deleteConnection(
  dependencies: Dependencies,
  { id }: Input<'connections', 'delete'>,
  context: CallContext,
): Promise<Output<'connections', 'delete'>> {
  const { projectId } = requireAdmin(context.principal);
  const { connections, catalogs } = dependencies.stores;
  const { now } = context;
  const deleted = await retryOnConflict(async () => {
    const current = await connections.get(projectId, id);
    requireVersion(context, current.version);
    const blockedBy = await findReferences(dependencies, current, context);
    if (blockedBy !== null) {
      const message = 'Other records still refer to the connection';
      throw new AppError('CONFLICT', { message, blockedBy: blockedBy.slice(0, NAMED_MAX) });
    }
    const data = { ...eventFields(current), type: current.type };
    const events = [createRecordEvent('management.connection.deleted.v1', data, context)];
    await connections.delete(projectId, current, { events, now });
    return current;
  });
  await catalogs.delete(
    projectId,
    deleted.catalogs.map(({ key }) => key),
  );
  return { message: 'The connection was deleted', deletedConnection: { id, name: deleted.name } };
}
