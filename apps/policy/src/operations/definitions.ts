import { AppError, type LintWarning, type PolicyConnection } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  newId,
  requireVersion,
  untilWritten,
} from '@gatehouse/service';
import { fold } from '../logic/fold.js';
import type { Answer, Input, Policy } from '../policy.js';
import type { DefinitionDocument } from '../store/documents.js';
import { toPolicyConnection } from './connections.js';
import { findConfigFaults } from './definitionChecks.js';
import { keepConfigSecrets } from './keptSecrets.js';
import { lintDefinition } from './lint.js';
import { callOrigin } from './origins.js';
import { definitionState, toDefinitionItem } from './records.js';
import { refuseDuplicates, refuseFaults, requireProjectAdmin } from './refusals.js';
import { sealConfigs } from './sealing.js';

export const TAKEN = { field: 'name', message: 'The connection has a policy definition of this name' };
const BLOCKERS_MAX = 10;

export async function listDefinitions(
  policy: Policy,
  { projectId }: Input<'definitions', 'list'>,
  context: CallContext,
): Answer<'definitions', 'list'> {
  await requireProjectAdmin(policy, projectId, context);
  const { stores, connections } = policy;
  const [definitions, counts] = await Promise.all([
    stores.definitions.list(projectId),
    stores.assignments.countByDefinition(projectId),
  ]);
  const known = await connections.names(
    context,
    definitions.map(({ connectionId }) => connectionId),
  );
  const data = definitions.map((each) =>
    toDefinitionItem(each, known.get(each.connectionId), counts.get(each._id) ?? 0),
  );
  return { ok: true, data };
}

/** A definition with its connection and the number of its assignments. */
export async function presentDefinition(
  { stores, connections }: Policy,
  document: DefinitionDocument,
  context: CallContext,
) {
  const { projectId, connectionId, _id: id } = document;
  const [known, count] = await Promise.all([
    connections.names(context, [connectionId]),
    stores.assignments.countOfDefinition(projectId, id),
  ]);
  return toDefinitionItem(document, known.get(connectionId), count);
}

export async function getDefinition(
  policy: Policy,
  { projectId, definitionId }: Input<'definitions', 'get'>,
  context: CallContext,
): Answer<'definitions', 'get'> {
  await requireProjectAdmin(policy, projectId, context);
  const definition = await policy.stores.definitions.get(projectId, definitionId);
  return { ok: true, data: await presentDefinition(policy, definition, context) };
}

/**
 * Stores a definition of a connection. A connection is deleted only once no definition refers to it, so whoever stores one
 * looks again afterwards: either the deletion sees the definition and is refused, or the connection is found gone here and
 * the definition is taken back. What a process leaves that dies in between is tidied on the event of the deletion; until
 * then it grants nothing, because nothing resolves on a connection that is gone, and ids are never given again.
 */
export async function createDefinition(
  policy: Policy,
  { projectId, connectionId, name, ...configs }: Input<'definitions', 'create'>,
  context: CallContext,
): Answer<'definitions', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(policy, projectId, context);
  const described = await policy.connections.get(context, connectionId);
  const given = {
    clsConfig: configs.clsConfig ?? null,
    slsConfig: configs.slsConfig ?? null,
    rlsConfig: configs.rlsConfig ?? null,
  };
  const { kept, faults } = keepConfigSecrets(given, null);
  refuseFaults([...(await findConfigFaults(policy, kept, described.connection.dialect)), ...faults]);
  const id = newId('policyDefinition', context.operation);
  const warnings = await lintDefinition(policy, { projectId, described, definition: { id, name, ...kept } });
  const draft = {
    _id: id,
    organizationId,
    connectionId,
    name,
    nameFolded: fold(name),
    configs: sealConfigs(policy.sealer, { collection: 'definitions', projectId, id }, kept),
    createdBy: userId,
  };
  const data = definitionState({ ...draft, projectId });
  const events = [
    createEvent('management.policy_definition.created.v1', id, { origin: callOrigin(context), data }),
  ];
  const document = await refuseDuplicates(TAKEN, () =>
    policy.stores.definitions.insert(projectId, draft, { events, now: context.now }),
  );
  await takeBackWithoutConnection(policy, document, context);
  const connection = toPolicyConnection(described.connection);
  return createdAnswer(document, connection, warnings);
}

function createdAnswer(document: DefinitionDocument, connection: PolicyConnection, warnings: LintWarning[]) {
  return { ok: true as const, data: { ...toDefinitionItem(document, connection, 0), warnings } };
}

/** Deletes a definition that was just stored when its connection is gone; then throws INVALID_REQUEST. */
async function takeBackWithoutConnection(
  policy: Policy,
  { projectId, connectionId, _id: id }: DefinitionDocument,
  context: CallContext,
): Promise<void> {
  try {
    await policy.connections.get(context, connectionId);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST') throw error;
    await untilWritten(async () => {
      const current = await policy.stores.definitions.find(projectId, id);
      return current === null || (await dropDefinition(policy, current, callOrigin(context))) || null;
    });
    throw error;
  }
}

export async function deleteDefinition(
  policy: Policy,
  { projectId, definitionId }: Input<'definitions', 'delete'>,
  context: CallContext,
): Answer<'definitions', 'delete'> {
  await requireProjectAdmin(policy, projectId, context);
  const { definitions } = policy.stores;
  await untilWritten(async () => {
    const current = await definitions.get(projectId, definitionId);
    requireVersion(context, current.version);
    await refuseAssigned(policy, current);
    return (await dropDefinition(policy, current, callOrigin(context))) || null;
  });
  return { ok: true, data: { id: definitionId } };
}

/** Deletes a definition as it was read; false when it has changed since. Its tests go when the event arrives. */
export async function dropDefinition(
  { stores }: Pick<Policy, 'stores'>,
  current: DefinitionDocument,
  origin: EventOrigin,
): Promise<boolean> {
  const { projectId, _id: id } = current;
  const data = definitionState(current);
  const events = [createEvent('management.policy_definition.deleted.v1', id, { origin, data })];
  return stores.definitions.delete(projectId, current, { events, now: origin.now });
}

/** Throws CONFLICT with the assignments of a definition, when there are any. */
async function refuseAssigned({ stores }: Policy, { projectId, _id: id }: DefinitionDocument): Promise<void> {
  const assigned = await stores.assignments.listOfDefinition(projectId, id, BLOCKERS_MAX);
  if (assigned.length === 0) return;
  const blockedBy = assigned.map(({ _id, scopeType, actorId }) => ({
    id: _id,
    title: actorId === null ? scopeType : `${scopeType} ${actorId}`,
  }));
  throw new AppError('CONFLICT', { message: 'The policy definition still has assignments', blockedBy });
}
