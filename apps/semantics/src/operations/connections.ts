import { createEvent, newId, requireVersion, type CallContext } from '@gatehouse/service';
import { AppError, type BlockingRecord, type CatalogInput } from '@gatehouse/contract';
import { catalogFrom } from '../logic/catalogForm.js';
import { fold } from '../logic/fold.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';
import type { Draft } from '../store/recordStore.js';
import { checkCatalog, readCatalog, refuseCatalog, withNewVersion, type CheckedCatalog } from './catalogs.js';
import { parseConfig, sealPassword } from './connectionConfigs.js';
import { callOrigin, stateOf, toConnection, toConnectionSummary } from './records.js';
import { refuseTakenName, requireAdmin, requireAuthor, requireRoom } from './refusals.js';
import { untilWritten } from './untilWritten.js';

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

/** A catalog that came with a connection; undefined when none did. Throws INVALID_REQUEST where it is no static one. */
export function checkGivenCatalog(
  type: ConnectionDocument['type'],
  input: CatalogInput | undefined,
): CheckedCatalog | undefined {
  if (input === undefined) return undefined;
  if (type !== 'static') refuseCatalog();
  return checkCatalog(catalogFrom(input), 'catalog');
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
  const events = [createEvent('management.connection.created.v1', id, { origin, data })];
  const insert = (whole: Draft<ConnectionDocument>) =>
    refuseTakenName(NOUN, () => connections.insert(projectId, whole, { events, now }));
  if (!checked) return { connection: toConnection(await insert(draft), null) };
  const owner = { _id: id, projectId, catalogs: [] };
  const connection = await withNewVersion(semantics, { owner, checked, now }, ({ catalogs }) =>
    insert({ ...draft, catalogs, catalogReadAt: now }),
  );
  if (connection === null) throw new AppError('INTERNAL_ERROR');
  return { connection: toConnection(connection, checked.catalog) };
}

/** The most records that a refusal names. */
const NAMED_MAX = 10;

/** The data models, domains and policy definitions that refer to a connection, ten at most. */
async function findReferences(
  { stores, services }: Semantics,
  { projectId, _id: connectionId }: ConnectionDocument,
  context: CallContext,
): Promise<BlockingRecord[]> {
  const [datamodels, domains, { definitions }] = await Promise.all([
    stores.datamodels.listByConnection(projectId, connectionId, NAMED_MAX),
    stores.domains.listByConnection(projectId, connectionId, NAMED_MAX),
    services.policy.usage.ofConnection(context, { connectionId }),
  ]);
  const stored = [...datamodels, ...domains].map(({ _id: id, name }) => ({ id, title: name }));
  return [...stored, ...definitions.map(({ id, name }) => ({ id, title: name }))].slice(0, NAMED_MAX);
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
    if (blockedBy.length > 0) {
      throw new AppError('CONFLICT', { message: 'Other records still refer to the connection', blockedBy });
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
