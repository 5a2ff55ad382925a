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
import type { AssignmentDocument } from '../store/documents.js';
import { assignmentState } from './presentAssignments.js';

export async function deleteAssignment(
  deps: Dependencies,
  { projectId, assignmentId }: Input<'assignments', 'delete'>,
  context: CallContext,
): Result<'assignments', 'delete'> {
  await requireProjectAdmin(deps, projectId, context);
  await retryOnConflict(async () => {
    const current = await deps.stores.assignments.get(projectId, assignmentId);
    requireVersion(context, current.version);
    await dropAssignment(deps, current, originOf('policy', context));
  });
  return { ok: true, data: { id: assignmentId } };
}

/**
 * Deletes an assignment at the revision that was read.
 * @throws WriteConflict if the assignment has changed since
 */
export async function dropAssignment(
  { stores }: Pick<Dependencies, 'stores'>,
  current: AssignmentDocument,
  origin: EventOrigin,
): Promise<void> {
  const { projectId, _id: id } = current;
  const data = assignmentState(current);
  const events = [createEvent('management.policy_assignment.deleted.v1', id, { origin, data })];
  await stores.assignments.delete(projectId, current, { events, now: origin.now });
}
