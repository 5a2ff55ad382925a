import type { AssignmentItem, ListedAssignment } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { getActorFilter } from '../actors/actorFilter.js';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { presentAssignment, presentAssignments } from './presentAssignments.js';

export async function listAssignments(
  deps: Dependencies,
  input: Input<'assignments', 'list'>,
  context: CallContext,
): Result<'assignments', 'list'> {
  const { projectId, definitionId, connectionId, include, limit, cursor, ...actor } = input;
  await requireProjectAdmin(deps, projectId, context);
  const filter = { definitionId, connectionId, ...(await getActorFilter(deps, actor, context)) };
  const { records, nextCursor } = await deps.stores.assignments.list(projectId, filter, { limit, cursor });
  const items = await presentAssignments(deps, records, context);
  const data = include === undefined ? items.map(withDefinitionName) : items;
  return { ok: true, data, nextCursor };
}

/** Many assignments may have the same definition, which may be large. */
function withDefinitionName({ definition: { id, name }, ...item }: AssignmentItem): ListedAssignment {
  return { ...item, definition: { id, name } };
}

export async function getAssignment(
  deps: Dependencies,
  { projectId, assignmentId }: Input<'assignments', 'get'>,
  context: CallContext,
): Result<'assignments', 'get'> {
  await requireProjectAdmin(deps, projectId, context);
  const assignment = await deps.stores.assignments.get(projectId, assignmentId);
  return { ok: true, data: await presentAssignment(deps, assignment, context) };
}
