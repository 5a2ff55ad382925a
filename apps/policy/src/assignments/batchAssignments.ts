import { runBatch, type CallContext } from '@gatehouse/service';
import type { Dependencies, Input, Result } from '../dependencies.js';
import { paramsOf } from '../secrets/sealing.js';
import type { AssignmentDocument } from '../store/documents.js';
import { createAssignment } from './createAssignment.js';
import { deleteAssignment } from './deleteAssignment.js';
import { actorFieldsOf } from './presentAssignments.js';
import { updateAssignment } from './updateAssignment.js';

/** The update that restores an assignment, with its secret values. */
function formerOf(deps: Dependencies, before: AssignmentDocument) {
  const { projectId, _id: assignmentId, scopeType, params } = before;
  const actor = Object.entries(actorFieldsOf(before)).filter(([, id]) => id !== null);
  return {
    projectId,
    assignmentId,
    scopeType,
    ...Object.fromEntries(actor),
    params: params && paramsOf(deps, before),
  };
}

/** Runs the operations of a batch as single requests would. See {@link runBatch}. */
export async function batchAssignments(
  deps: Dependencies,
  { projectId, ...batch }: Input<'assignments', 'batch'>,
  context: CallContext,
): Result<'assignments', 'batch'> {
  const update = async (input: Input<'assignments', 'update'>, own: CallContext) =>
    (await updateAssignment(deps, input, own)).data;
  const remove = async (assignmentId: string, own: CallContext) =>
    (await deleteAssignment(deps, { projectId, assignmentId }, own)).data;
  const data = await runBatch(
    batch,
    {
      create: {
        success: 201,
        run: async (assignment, own) =>
          (await createAssignment(deps, { projectId, ...assignment }, own)).data,
        stateOf: ({ assignment }) => assignment,
        prepareUndo: async (_, own) => ({
          undo: ({ assignment: { id, version } }) => remove(id, { ...own, ifMatch: [version] }),
        }),
      },
      update: {
        success: 200,
        run: (change, own) => update({ projectId, ...change }, own),
        stateOf: ({ assignment }) => assignment,
        async prepareUndo({ assignmentId }, own) {
          const before = await deps.stores.assignments.get(projectId, assignmentId);
          const former = formerOf(deps, before);
          return {
            version: before.version,
            undo: ({ assignment: { version } }) => update(former, { ...own, ifMatch: [version] }),
          };
        },
      },
      delete: { success: 200, run: ({ assignmentId }, own) => remove(assignmentId, own) },
    },
    context,
  );
  return { ok: true, data };
}
