import { AppError, invalidField, type DraftAssignment, withName } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { AssignmentFacts, DefinitionFacts } from './logic/facts.js';
import type { Dependencies } from '../dependencies.js';
import { checkNewAssignment, DUPLICATE_ACTOR } from '../assignments/createAssignment.js';
import { actorKeyOrNull, type DefinitionDrafts } from './readCandidates.js';
import { changeConfigs, type ConfigChange } from '../definitions/changeConfigs.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { configsOf, definitionFacts } from '../secrets/sealing.js';
import { NO_DEFINITION, unknownReference } from '../admission/refusals.js';

/**
 * A draft of an assignment, checked as a new one.
 * @param path prefix of the field names in errors
 * @throws NOT_FOUND, INVALID_REQUEST or CONFLICT
 */
export async function draftAssignmentFacts(
  deps: Dependencies,
  {
    draft,
    path,
    connectionId,
    drafts,
  }: {
    draft: DraftAssignment;
    path: string;
    connectionId: string;
    drafts: DefinitionDrafts;
  },
  context: CallContext,
): Promise<AssignmentFacts> {
  const checked = await checkNewAssignment(deps, { assignment: draft, path }, context);
  const { definition, actorKey, scopeType, params } = checked;
  const field = `${path}definitionId`;
  if (definition.connectionId !== connectionId)
    throw invalidField(field, withName('is of another connection', draft.definitionId), 'reference');
  const { projectId, _id: id } = definition;
  if (await deps.stores.assignments.findOfActor(projectId, id, actorKey)) {
    throw new AppError('CONFLICT', {
      message: DUPLICATE_ACTOR.message,
      fieldErrors: [{ field, message: 'is taken', code: 'duplicate' }],
    });
  }
  const facts = drafts.get(id) ?? definitionFacts(deps, definition);
  return {
    id: null,
    definition: facts,
    scopeType,
    actorKey: actorKeyOrNull(actorKey),
    params,
    source: 'draft',
  };
}

/** A definition with a draft of an update, checked as an update. */
export async function draftDefinitionFacts(
  deps: Dependencies,
  {
    draft,
    path,
    described,
  }: {
    draft: ConfigChange & { definitionId: string };
    path: string;
    described: DescribedConnection;
  },
  context: CallContext,
): Promise<DefinitionFacts> {
  const { definitionId, ...change } = draft;
  const { projectId } = context.principal;
  const document = await deps.stores.definitions.find(projectId, definitionId);
  const field = `${path}definitionId`;
  if (!document) throw unknownReference(field, NO_DEFINITION, definitionId);
  if (document.connectionId !== described.connection.id)
    throw invalidField(field, withName('is of another connection', definitionId), 'reference');
  const current = configsOf(deps, document);
  return {
    id: definitionId,
    name: document.name,
    ...(await changeConfigs(deps, { current, change, path }, described)),
  };
}
