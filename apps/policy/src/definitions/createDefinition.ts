import {
  type CallContext,
  createEvent,
  findAppError,
  newId,
  originOf,
  retryOnConflict,
} from '@gatehouse/service';
import { refuseDuplicates, refuseFaults, requireProjectAdmin } from '../admission/refusals.js';
import { toPolicyConnection } from '../connections/findConnections.js';
import { lintDefinition } from '../lint/collectWarnings.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { restoreConfigSecrets } from '../secrets/restoreSecrets.js';
import { sealConfigs } from '../secrets/sealing.js';
import { nameFields, type DefinitionDocument } from '../store/documents.js';
import { findConfigFaults } from './checkConfigs.js';
import { dropDefinition } from './deleteDefinition.js';
import { definitionState, toDefinitionItem } from './presentDefinition.js';

export const DUPLICATE_NAME = {
  field: 'name',
  message: 'The connection has a policy definition of this name',
};

/**
 * Stores a definition of a connection. A connection is deleted only when no definition refers to it. After
 * the insert, the connection is therefore read again: either its deletion found the definition and was
 * rejected, or the connection is deleted, and then the definition is deleted too. If the process dies in
 * between, the consumer of the deletion event removes the definition. Until then it grants nothing: policies
 * of a missing connection do not resolve, and ids are never reused.
 */
export async function createDefinition(
  deps: Dependencies,
  { projectId, connectionId, name, ...configs }: Input<'definitions', 'create'>,
  context: CallContext,
): Result<'definitions', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(deps, projectId, context);
  const described = await deps.connections.get(context, connectionId);
  const given = {
    clsConfig: configs.clsConfig ?? null,
    slsConfig: configs.slsConfig ?? null,
    rlsConfig: configs.rlsConfig ?? null,
  };
  const { kept, faults } = restoreConfigSecrets(given, null);
  refuseFaults([...(await findConfigFaults(deps, kept, described)), ...faults]);
  const id = newId('policyDefinition', context.operation);
  const warnings = await lintDefinition(deps, { projectId, described, definition: { id, name, ...kept } });
  const draft = {
    _id: id,
    organizationId,
    connectionId,
    ...nameFields(name),
    configs: sealConfigs(deps.sealer, { collection: 'definitions', projectId, id }, kept),
    createdBy: userId,
  };
  const data = definitionState({ ...draft, projectId });
  const origin = originOf('policy', context);
  const events = [createEvent('management.policy_definition.created.v1', id, { origin, data })];
  const document = await refuseDuplicates(DUPLICATE_NAME, () =>
    deps.stores.definitions.insert(projectId, draft, { events, now: context.now }),
  );
  await dropWithoutConnection(deps, document, context);
  const item = toDefinitionItem(document, toPolicyConnection(described.connection), 0);
  return { ok: true, data: { ...item, warnings } };
}

/**
 * Deletes a new definition if its connection is deleted.
 * @throws INVALID_REQUEST if the connection is deleted
 */
async function dropWithoutConnection(
  deps: Dependencies,
  { projectId, connectionId, _id: id }: DefinitionDocument,
  context: CallContext,
): Promise<void> {
  try {
    await deps.connections.get(context, connectionId);
  } catch (error) {
    if (findAppError(error)?.code !== 'INVALID_REQUEST') throw error;
    await retryOnConflict(async () => {
      const current = await deps.stores.definitions.find(projectId, id);
      if (current !== null) await dropDefinition(deps, current, originOf('policy', context));
    });
    throw error;
  }
}
