import type { CallContext } from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { presentAssignment, presentAssignments } from './presentAssignments.js';

export async function listAssignments(
  deps: Dependencies,
  { projectId }: Input<'assignments', 'list'>,
  context: CallContext,
): Result<'assignments', 'list'> {
  await requireProjectAdmin(deps, projectId, context);
  const assignments = await deps.stores.assignments.list(projectId);
  return { ok: true, data: await presentAssignments(deps, assignments, context) };
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
