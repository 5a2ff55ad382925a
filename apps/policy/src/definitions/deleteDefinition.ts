import { AppError } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  originOf,
  requireVersion,
  retryOnConflict,
} from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { DefinitionDocument } from '../store/documents.js';
import { definitionState } from './presentDefinition.js';

const BLOCKERS_MAX = 10;

export async function deleteDefinition(
  deps: Dependencies,
  { projectId, definitionId }: Input<'definitions', 'delete'>,
  context: CallContext,
): Result<'definitions', 'delete'> {
  await requireProjectAdmin(deps, projectId, context);
  const { definitions } = deps.stores;
  await retryOnConflict(async () => {
    const current = await definitions.get(projectId, definitionId);
    requireVersion(context, current.version);
    await refuseAssigned(deps, current);
    await dropDefinition(deps, current, originOf('policy', context));
  });
  return { ok: true, data: { id: definitionId } };
}

/**
 * Deletes a definition at the revision that was read. Its tests are deleted by the consumer of the event.
 * @throws WriteConflict if the definition has changed since
 */
export async function dropDefinition(
  { stores }: Pick<Dependencies, 'stores'>,
  current: DefinitionDocument,
  origin: EventOrigin,
): Promise<void> {
  const { projectId, _id: id } = current;
  const data = definitionState(current);
  const events = [createEvent('management.policy_definition.deleted.v1', id, { origin, data })];
  await stores.definitions.delete(projectId, current, { events, now: origin.now });
}

/** @throws CONFLICT with the assignments of the definition, if there are any */
async function refuseAssigned(
  { stores }: Dependencies,
  { projectId, _id: id }: DefinitionDocument,
): Promise<void> {
  const assigned = await stores.assignments.listOfDefinition(projectId, id, BLOCKERS_MAX);
  if (assigned.length === 0) return;
  const blockedBy = assigned.map(({ _id, scopeType, actorId }) => ({
    id: _id,
    title: actorId === null ? scopeType : `${scopeType} ${actorId}`,
  }));
  throw new AppError('CONFLICT', { message: 'The policy definition still has assignments', blockedBy });
}
