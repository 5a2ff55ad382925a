import { AppError, invalidField, type DraftAssignment } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { AssignmentFacts, DefinitionFacts } from '../logic/model.js';
import type { Policy } from '../policy.js';
import { ASSIGNED, checkNewAssignment } from './assignments.js';
import { factsKey, type DefinitionDrafts } from './candidates.js';
import { changeConfigs, type ConfigChange } from './configChanges.js';
import type { DescribedConnection } from './connections.js';
import { configsOf, definitionFacts } from './storedFacts.js';
import { NO_DEFINITION, unknownReference } from './refusals.js';

/**
 * An assignment that is not saved, checked as one that is created: NOT_FOUND, INVALID_REQUEST and CONFLICT name the fields
 * below `path`.
 */
export async function draftAssignmentFacts(
  policy: Policy,
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
  const checked = await checkNewAssignment(policy, { assignment: draft, path }, context);
  const { definition, actorKey, scopeType, params } = checked;
  const field = `${path}definitionId`;
  if (definition.connectionId !== connectionId) throw invalidField(field, 'is of another connection');
  const { projectId, _id: id } = definition;
  if (await policy.stores.assignments.findOfActor(projectId, id, actorKey)) {
    throw new AppError('CONFLICT', {
      message: ASSIGNED.message,
      fieldErrors: [{ field, message: 'is taken' }],
    });
  }
  const facts = drafts.get(id) ?? definitionFacts(policy, definition);
  return { id: null, definition: facts, scopeType, actorKey: factsKey(actorKey), params, source: 'draft' };
}

/** A definition as it would be after a change that is not saved, checked as an update. */
export async function draftDefinitionFacts(
  policy: Policy,
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
  const document = await policy.stores.definitions.find(projectId, definitionId);
  const field = `${path}definitionId`;
  if (!document) throw unknownReference(field, NO_DEFINITION);
  if (document.connectionId !== described.connection.id)
    throw invalidField(field, 'is of another connection');
  const current = configsOf(policy, document);
  return {
    id: definitionId,
    name: document.name,
    ...(await changeConfigs(policy, { current, change, path }, described)),
  };
}
