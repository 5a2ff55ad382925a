import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import { AppError, type BlockingRecord, type CloudEvent } from '@gatehouse/contract';
import { fold } from '../logic/fold.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';
import type { Draft } from '../store/recordStore.js';
import { catalogEvent, checkGivenCatalog, readCatalog, withNewVersion } from './catalogs.js';
import { parseConfig, sealPassword } from './connectionConfigs.js';
import { isVisible } from './domains.js';
import { callOrigin, stateOf, toConnection, toConnectionSummary } from './records.js';
import { refuseTakenName, requireAdmin, requireAuthor, requireRoom } from './refusals.js';

export const NOUN = 'connection';

export async function listConnections(
  { stores }: Semantics,
  _input: Input<'connections', 'list'>,
  context: CallContext,
): Answer<'connections', 'list'> {
  const { projectId } = requireAuthor(context.principal);
  return { connections: (await stores.connections.list(projectId)).map(toConnectionSummary) };
}

export async function getConnection(
  semantics: Semantics,
  { id }: Input<'connections', 'get'>,
  context: CallContext,
): Answer<'connections', 'get'> {
  const { projectId } = requireAuthor(context.principal);
  const connection = await semantics.stores.connections.get(projectId, id);
  return { connection: toConnection(connection, await readCatalog(semantics, connection)) };
}

export async function createConnection(
  semantics: Semantics,
  { name, type, config, catalog, rowBarrier, unassignedActors }: Input<'connections', 'create'>,
  context: CallContext,
): Answer<'connections', 'create'> {
  const { organizationId, projectId, userId } = requireAdmin(context.principal);
  const { connections } = semantics.stores;
  const { stored, password } = parseConfig(type, config);
  const checked = checkGivenCatalog(type, catalog);
  await requireRoom(connections, projectId, NOUN);
  const { now } = context;
  const id = newId('connection', context.operation);
  const sealedPassword = sealPassword(semantics, { _id: id, projectId }, password);
  const governance = { rowBarrier, unassignedActors, catalogs: [], catalogReadAt: null };
  const fields = { name, nameFolded: fold(name), sealedPassword, ...governance, createdBy: userId };
  const draft: Draft<ConnectionDocument> = { _id: id, organizationId, ...stored, ...fields };
  const origin = callOrigin(context);
  const data = { id, projectId, name, type };
  const created = createEvent('management.connection.created.v1', id, { origin, data });
  const insert = (whole: Draft<ConnectionDocument>, events: CloudEvent[]) =>
    refuseTakenName(NOUN, () => connections.insert(projectId, whole, { events, now }));
  if (!checked) return { connection: toConnection(await insert(draft, [created]), null) };
  const owner = { ...draft, projectId };
  const connection = await withNewVersion(semantics, { owner, checked, now }, (version) => {
    const whole = { ...draft, catalogs: version.catalogs, catalogReadAt: now };
    return insert(whole, [created, catalogEvent(owner, version, context)]);
  });
  return { connection: toConnection(connection, await readCatalog(semantics, connection)) };
}

/** The most records that a refusal names. */
const NAMED_MAX = 10;

/**
 * The data models, domains and policy definitions that refer to a connection, up to ten of each; null when none does. A
 * domain that the token does not see counts and is not named.
 */
async function findReferences(
  { stores, services }: Semantics,
  { projectId, _id: connectionId }: ConnectionDocument,
  context: CallContext,
): Promise<BlockingRecord[] | null> {
  const [datamodels, domains, { definitions }] = await Promise.all([
    stores.datamodels.listByConnection(projectId, connectionId, NAMED_MAX),
    stores.domains.listByConnection(projectId, connectionId, NAMED_MAX),
    services.policy.usage.ofConnection(context, { connectionId }),
  ]);
  if (datamodels.length + domains.length + definitions.length === 0) return null;
  const { semanticDomainAccess: access } = context.principal;
  const visible = domains.filter((domain) => isVisible(access, domain));
  const stored = [...datamodels, ...visible].map(({ _id: id, name }) => ({ id, title: name }));
  return [...stored, ...definitions.map(({ id, name }) => ({ id, title: name }))];
}

/** Deletes a connection that nothing refers to. Whoever stores a reference touches the connection after it. */
export async function deleteConnection(
  semantics: Semantics,
  { id }: Input<'connections', 'delete'>,
  context: CallContext,
): Answer<'connections', 'delete'> {
  const { projectId } = requireAdmin(context.principal);
  const { connections, catalogs } = semantics.stores;
  const { now } = context;
  const deleted = await untilWritten(async () => {
    const current = await connections.get(projectId, id);
    requireVersion(context, current.version);
    const blockedBy = await findReferences(semantics, current, context);
    if (blockedBy !== null) {
      const message = 'Other records still refer to the connection';
      throw new AppError('CONFLICT', { message, blockedBy: blockedBy.slice(0, NAMED_MAX) });
    }
    const origin = callOrigin(context);
    const data = { ...stateOf(current), type: current.type };
    const events = [createEvent('management.connection.deleted.v1', id, { origin, data })];
    return (await connections.delete(projectId, current, { events, now })) ? current : null;
  });
  await catalogs.delete(
    projectId,
    deleted.catalogs.map(({ key }) => key),
  );
  return { message: 'The connection was deleted', deletedConnection: { id, name: deleted.name } };
}
