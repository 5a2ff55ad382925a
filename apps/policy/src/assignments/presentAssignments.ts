import {
  type AssignmentItem,
  type EventData,
  type LintWarning,
  type PolicyAssignment,
  type PolicyConnection,
} from '@gatehouse/contract';
import { type CallContext, findAppError } from '@gatehouse/service';
import type { KnownActor, KnownActors } from '../actors/findActors.js';
import { NO_DEFINITION, unknownReference } from '../admission/refusals.js';
import { toDefinition } from '../definitions/presentDefinition.js';
import { lintAssignment } from '../lint/collectWarnings.js';
import type { Dependencies } from '../dependencies.js';
import { shownParams } from '../secrets/sealing.js';
import { versionFields, type AssignmentDocument, type DefinitionDocument } from '../store/documents.js';

/**
 * Assignments with their definitions, connections and actors. The number of calls does not grow with the
 * list.
 */
export async function presentAssignments(
  deps: Dependencies,
  assignments: AssignmentDocument[],
  context: CallContext,
): Promise<AssignmentItem[]> {
  const [first] = assignments;
  if (!first) return [];
  const definitions = await deps.stores.definitions.listByIds(first.projectId, definitionIdsOf(assignments));
  const shown = new Map(definitions.map((definition) => [definition._id, toDefinition(definition)]));
  return withRelated(deps, { assignments, definitions: shown }, context);
}

/** The definitions that assignments name, each once. */
export function definitionIdsOf(assignments: readonly AssignmentDocument[]): string[] {
  return [...new Set(assignments.map(({ definitionId }) => definitionId))];
}

/** Assignments with the definitions of a map, or parts of them, and with their connections and actors. */
export async function withRelated<D>(
  { connections, actors }: Pick<Dependencies, 'connections' | 'actors'>,
  {
    assignments,
    definitions,
  }: {
    assignments: readonly AssignmentDocument[];
    definitions: ReadonlyMap<string, D>;
  },
  context: CallContext,
): Promise<(Omit<AssignmentItem, 'definition'> & { definition: D })[]> {
  const [known, people] = await Promise.all([
    connections.names(
      context,
      assignments.map(({ connectionId }) => connectionId),
    ),
    actors.lookUp(
      context,
      assignments.map(({ scopeType: kind, actorId: id }) => ({ kind, id })),
    ),
  ]);
  return assignments.flatMap((assignment) => {
    const definition = definitions.get(assignment.definitionId);
    // The definition was deleted a moment ago, and the assignment with it.
    if (!definition) return [];
    const connection = known.get(assignment.connectionId);
    return [{ ...toItem(assignment, { connection, actors: people }), definition }];
  });
}

/** @throws NOT_FOUND if the definition of the assignment has been deleted meanwhile */
export async function presentAssignment(
  deps: Dependencies,
  assignment: AssignmentDocument,
  context: CallContext,
): Promise<AssignmentItem> {
  const [item] = await presentAssignments(deps, [assignment], context);
  if (!item) throw unknownReference('definitionId', NO_DEFINITION, assignment.definitionId);
  return item;
}

/** The response to a write: the assignment with the lint warnings of its definition. */
export async function presentWritten(
  deps: Dependencies,
  { document, definition }: { document: AssignmentDocument; definition: DefinitionDocument },
  context: CallContext,
) {
  const [item, warnings] = await Promise.all([
    presentAssignment(deps, document, context),
    warningsFor(deps, document, { definition, context }),
  ]);
  return { ok: true as const, data: { ...item, warnings } };
}

/** The assignment is already stored, so unavailable warnings are left out: `lint` returns them later. */
async function warningsFor(
  deps: Dependencies,
  assignment: AssignmentDocument,
  { definition, context }: { definition: DefinitionDocument; context: CallContext },
): Promise<LintWarning[]> {
  try {
    const described = await deps.connections.find(context, assignment.connectionId);
    return described ? await lintAssignment(deps, { described, definition, assignment }) : [];
  } catch (error) {
    if (findAppError(error)?.code === 'UNAVAILABLE') return [];
    throw error;
  }
}

/** The field of an assignment that names its actor; the others are null. */
export function actorFieldsOf({ scopeType, actorId }: Pick<AssignmentDocument, 'scopeType' | 'actorId'>) {
  return {
    orgUserId: scopeType === 'ORG_USER' ? actorId : null,
    tenantId: scopeType === 'TENANT' ? actorId : null,
    tenantUserId: scopeType === 'TENANT_USER' ? actorId : null,
  };
}

/** The public record, field by field, so that no stored field leaks. */
function toAssignment(document: AssignmentDocument): PolicyAssignment {
  const { _id: id, projectId, definitionId, scopeType, params, createdBy } = document;
  return {
    id,
    projectId,
    definitionId,
    scopeType,
    ...actorFieldsOf(document),
    params: shownParams(params),
    createdBy,
    ...versionFields(document),
  };
}

/** The records that an assignment is returned with. */
interface Related {
  connection: PolicyConnection | undefined;
  actors: KnownActors;
}

const toPerson = ({ id, name, email }: KnownActor) => ({ id, name, email: email ?? '' });

/** A deleted actor is null, also if its id has been given to another actor since. */
function toItem(
  document: AssignmentDocument,
  { connection, actors }: Related,
): Omit<AssignmentItem, 'definition'> {
  const { scopeType, actorId, actorKey } = document;
  const found = actors.find({ kind: scopeType, id: actorId });
  const actor = found?.key === actorKey ? found : undefined;
  return {
    assignment: toAssignment(document),
    connection: connection ?? null,
    orgUser: actor && scopeType === 'ORG_USER' ? toPerson(actor) : null,
    tenant: actor && scopeType === 'TENANT' ? { id: actor.id, name: actor.name } : null,
    tenantUser: actor && scopeType === 'TENANT_USER' ? toPerson(actor) : null,
  };
}

/** The state of an assignment in its events. */
export function assignmentState({
  _id: id,
  projectId,
  definitionId,
  scopeType,
  actorId,
  actorKey,
}: Pick<
  AssignmentDocument,
  '_id' | 'projectId' | 'definitionId' | 'scopeType' | 'actorId' | 'actorKey'
>): EventData<'management.policy_assignment.created.v1'> {
  return { id, projectId, definitionId, scopeType, actorId, actorKey: actorId === null ? null : actorKey };
}
