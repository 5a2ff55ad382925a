import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { batchAssignments } from './batchAssignments.js';
import { createAssignment } from './createAssignment.js';
import { deleteAssignment } from './deleteAssignment.js';
import { getAssignment, listAssignments } from './readAssignments.js';
import { updateAssignment } from './updateAssignment.js';

export function createAssignmentProcedures(
  deps: Dependencies,
): Pick<Handlers<typeof contract.procedures>, 'assignments'> {
  return {
    assignments: {
      list: (input, context) => listAssignments(deps, input, context),
      create: (input, context) => createAssignment(deps, input, context),
      get: (input, context) => getAssignment(deps, input, context),
      update: (input, context) => updateAssignment(deps, input, context),
      delete: (input, context) => deleteAssignment(deps, input, context),
      batch: (input, context) => batchAssignments(deps, input, context),
    },
  };
}
