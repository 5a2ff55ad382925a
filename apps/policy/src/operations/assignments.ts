import { AppError, type LintWarning } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  type EventOrigin,
  newId,
  requireVersion,
  untilWritten,
} from '@gatehouse/service';
import type { Answer, Input, Policy } from '../policy.js';
import type { AssignmentDocument, DefinitionDocument } from '../store/documents.js';
import { getActorKey } from './actors.js';
import { actorNameOf } from './assignmentActors.js';
import { findParamFaults } from './definitionChecks.js';
import { keepParamSecrets } from './keptSecrets.js';
import { lintAssignment } from './lint.js';
import { callOrigin } from './origins.js';
import { assignmentState, toAssignmentItem, toDefinition } from './records.js';
import {
  NO_DEFINITION,
  refuseDuplicates,
  refuseFaults,
  requireProjectAdmin,
  unknownReference,
} from './refusals.js';
import { sealParams } from './sealing.js';

export const ASSIGNED = {
  field: 'definitionId',
  message: 'The definition is assigned to this actor already',
};

export async function listAssignments(
  policy: Policy,
  { projectId }: Input<'assignments', 'list'>,
  context: CallContext,
): Answer<'assignments', 'list'> {
  await requireProjectAdmin(policy, projectId, context);
  const assignments = await policy.stores.assignments.list(projectId);
  return { ok: true, data: await presentAssignments(policy, assignments, context) };
}

/** Assignments with their definitions, connections and actors, in a few calls however many they are. */
async function presentAssignments(policy: Policy, assignments: AssignmentDocument[], context: CallContext) {
  const { stores, connections, actors } = policy;
  const [first] = assignments;
  if (!first) return [];
  const definitionIds = [...new Set(assignments.map(({ definitionId }) => definitionId))];
  const [definitions, known, people] = await Promise.all([
    stores.definitions.listByIds(first.projectId, definitionIds),
    connections.names(
      context,
      assignments.map(({ connectionId }) => connectionId),
    ),
    actors.lookUp(
      context,
      assignments.map(({ scopeType: kind, actorId: id }) => ({ kind, id })),
    ),
  ]);
  const shown = new Map(definitions.map((definition) => [definition._id, toDefinition(definition)]));
  return assignments.flatMap((assignment) => {
    const definition = shown.get(assignment.definitionId);
    // Its definition was deleted a moment ago, and so is it.
    if (!definition) return [];
    return [
      toAssignmentItem(assignment, {
        definition,
        connection: known.get(assignment.connectionId),
        actors: people,
      }),
    ];
  });
}

/** One assignment as lists show it. Throws NOT_FOUND when its definition was deleted meanwhile. */
async function presentAssignment(policy: Policy, assignment: AssignmentDocument, context: CallContext) {
  const [item] = await presentAssignments(policy, [assignment], context);
  if (!item) throw unknownReference('definitionId', NO_DEFINITION);
  return item;
}

export async function getAssignment(
  policy: Policy,
  { projectId, assignmentId }: Input<'assignments', 'get'>,
  context: CallContext,
): Answer<'assignments', 'get'> {
  await requireProjectAdmin(policy, projectId, context);
  const assignment = await policy.stores.assignments.get(projectId, assignmentId);
  return { ok: true, data: await presentAssignment(policy, assignment, context) };
}

type NewAssignment = Omit<Input<'assignments', 'create'>, 'projectId'>;

/**
 * What a new assignment, stored or drafted, is made of. Throws NOT_FOUND when its definition does not exist and
 * INVALID_REQUEST when its actor does not, naming the field below `path`.
 */
export async function checkNewAssignment(
  policy: Policy,
  { assignment, path = '' }: { assignment: NewAssignment; path?: string },
  context: CallContext,
) {
  const { definitionId, params = {} } = assignment;
  const { projectId } = context.principal;
  const name = actorNameOf(assignment);
  const faults = findParamFaults(params, `${path}params`);
  refuseFaults([...faults, ...keepParamSecrets(params, {}, `${path}params`).faults]);
  const [definition, actorKey] = await Promise.all([
    policy.stores.definitions.find(projectId, definitionId),
    getActorKey(policy, { name, path }, context),
  ]);
  if (!definition) throw unknownReference(`${path}definitionId`, NO_DEFINITION);
  return { definition, params, scopeType: name.kind, actorId: name.id, actorKey };
}

/**
 * Stores an assignment. A definition is deleted only once it has no assignments, so whoever stores one counts a write of
 * the definition afterwards: either the deletion sees the assignment, or it has to look again, or the definition is gone
 * and the assignment is taken back.
 */
export async function createAssignment(
  policy: Policy,
  { projectId, ...assignment }: Input<'assignments', 'create'>,
  context: CallContext,
): Answer<'assignments', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(policy, projectId, context);
  const { definition, params, ...actor } = await checkNewAssignment(policy, { assignment }, context);
  const id = newId('policyAssignment', context.operation);
  const draft = {
    _id: id,
    organizationId,
    definitionId: definition._id,
    connectionId: definition.connectionId,
    ...actor,
    params:
      assignment.params === undefined
        ? null
        : sealParams(policy.sealer, { collection: 'assignments', projectId, id }, params),
    createdBy: userId,
  };
  const data = assignmentState({ ...draft, projectId });
  const events = [
    createEvent('management.policy_assignment.created.v1', id, { origin: callOrigin(context), data }),
  ];
  const document = await refuseDuplicates(ASSIGNED, () =>
    policy.stores.assignments.insert(projectId, draft, { events, now: context.now }),
  );
  if (!(await policy.stores.definitions.touch(projectId, definition._id))) {
    await dropAssignment(policy, document, callOrigin(context));
    throw unknownReference('definitionId', NO_DEFINITION);
  }
  return answer(policy, { document, definition }, context);
}

/** A written assignment with what lint says of its definition. */
export async function answer(
  policy: Policy,
  { document, definition }: { document: AssignmentDocument; definition: DefinitionDocument },
  context: CallContext,
) {
  const [item, warnings] = await Promise.all([
    presentAssignment(policy, document, context),
    warningsFor(policy, document, { definition, context }),
  ]);
  return { ok: true as const, data: { ...item, warnings } };
}

/** The assignment is written by now, so warnings that cannot be had at the moment are left out: `lint` gives them later. */
async function warningsFor(
  policy: Policy,
  assignment: AssignmentDocument,
  { definition, context }: { definition: DefinitionDocument; context: CallContext },
): Promise<LintWarning[]> {
  try {
    const described = await policy.connections.find(context, assignment.connectionId);
    return described ? await lintAssignment(policy, { described, definition, assignment }) : [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') return [];
    throw error;
  }
}

export async function deleteAssignment(
  policy: Policy,
  { projectId, assignmentId }: Input<'assignments', 'delete'>,
  context: CallContext,
): Answer<'assignments', 'delete'> {
  await requireProjectAdmin(policy, projectId, context);
  await untilWritten(async () => {
    const current = await policy.stores.assignments.get(projectId, assignmentId);
    requireVersion(context, current.version);
    return (await dropAssignment(policy, current, callOrigin(context))) || null;
  });
  return { ok: true, data: { id: assignmentId } };
}

/** Deletes an assignment as it was read; false when it has changed since. */
export async function dropAssignment(
  { stores }: Pick<Policy, 'stores'>,
  current: AssignmentDocument,
  origin: EventOrigin,
): Promise<boolean> {
  const { projectId, _id: id } = current;
  const data = assignmentState(current);
  const events = [createEvent('management.policy_assignment.deleted.v1', id, { origin, data })];
  return stores.assignments.delete(projectId, current, { events, now: origin.now });
}
