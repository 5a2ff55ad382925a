import { type CallContext, createEvent, newId, originOf } from '@gatehouse/service';
import { getActorKey } from '../actors/findActors.js';
import {
  NO_DEFINITION,
  refuseDuplicates,
  refuseFaults,
  requireProjectAdmin,
  unknownReference,
} from '../admission/refusals.js';
import { findParamFaults } from '../definitions/checkConfigs.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { restoreParamSecrets } from '../secrets/restoreSecrets.js';
import { sealParams } from '../secrets/sealing.js';
import { actorNameOf } from './changeActor.js';
import { dropAssignment } from './deleteAssignment.js';
import { assignmentState, presentWritten } from './presentAssignments.js';

export const DUPLICATE_ACTOR = {
  field: 'definitionId',
  message: 'The definition is assigned to this actor already',
};

type NewAssignment = Omit<Input<'assignments', 'create'>, 'projectId'>;

/**
 * Checks a new assignment, stored or drafted.
 * @param path prefix of the field names in errors
 * @throws NOT_FOUND if its definition does not exist
 * @throws INVALID_REQUEST if its actor does not exist or a value is invalid
 */
export async function checkNewAssignment(
  deps: Dependencies,
  { assignment, path = '' }: { assignment: NewAssignment; path?: string },
  context: CallContext,
) {
  const { definitionId, params = {} } = assignment;
  const { projectId } = context.principal;
  const name = actorNameOf(assignment);
  const faults = findParamFaults(params, `${path}params`);
  refuseFaults([...faults, ...restoreParamSecrets(params, {}, `${path}params`).faults]);
  const [definition, actorKey] = await Promise.all([
    deps.stores.definitions.find(projectId, definitionId),
    getActorKey(deps, { name, path }, context),
  ]);
  if (!definition) throw unknownReference(`${path}definitionId`, NO_DEFINITION, definitionId);
  return { definition, params, scopeType: name.kind, actorId: name.id, actorKey };
}

/**
 * Stores an assignment. A definition is deleted only when it has no assignments. After the insert, the
 * revision of the definition is therefore incremented: either its deletion finds the assignment, or the
 * deletion has to be decided again, or the definition is deleted, and then the assignment is deleted too.
 */
export async function createAssignment(
  deps: Dependencies,
  { projectId, ...assignment }: Input<'assignments', 'create'>,
  context: CallContext,
): Result<'assignments', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(deps, projectId, context);
  const { definition, params, ...actor } = await checkNewAssignment(deps, { assignment }, context);
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
        : sealParams(deps.sealer, { collection: 'assignments', projectId, id }, params),
    createdBy: userId,
  };
  const data = assignmentState({ ...draft, projectId });
  const origin = originOf('policy', context);
  const events = [createEvent('management.policy_assignment.created.v1', id, { origin, data })];
  const document = await refuseDuplicates(DUPLICATE_ACTOR, () =>
    deps.stores.assignments.insert(projectId, draft, { events, now: context.now }),
  );
  if (!(await deps.stores.definitions.touch(projectId, definition._id))) {
    await dropAssignment(deps, document, origin);
    throw unknownReference('definitionId', NO_DEFINITION, definition._id);
  }
  return presentWritten(deps, { document, definition }, context);
}
