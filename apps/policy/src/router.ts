import type { policy as contract } from '@gatehouse/contract';
import type { CallContext, Handlers } from '@gatehouse/service';
import * as assignments from './operations/assignments.js';
import { coverPolicies } from './operations/coverage.js';
import * as definitions from './operations/definitions.js';
import { lintProjectPolicies } from './operations/lint.js';
import { diffPolicyPreviews, previewPolicies } from './operations/previews.js';
import { runPolicyTests } from './operations/runTests.js';
import * as tests from './operations/tests.js';
import { updateAssignment } from './operations/updateAssignment.js';
import { updateDefinition } from './operations/updateDefinition.js';
import { findConnectionUsage } from './operations/usage.js';
import type { Policy } from './policy.js';

/** The operation that answers each procedure. */
export function createHandlers(policy: Policy): Handlers<typeof contract.procedures> {
  const by =
    <I, O>(operation: (policy: Policy, input: I, context: CallContext) => Promise<O>) =>
    (input: I, context: CallContext) =>
      operation(policy, input, context);
  return {
    definitions: {
      list: by(definitions.listDefinitions),
      create: by(definitions.createDefinition),
      get: by(definitions.getDefinition),
      update: by(updateDefinition),
      delete: by(definitions.deleteDefinition),
    },
    assignments: {
      list: by(assignments.listAssignments),
      create: by(assignments.createAssignment),
      get: by(assignments.getAssignment),
      update: by(updateAssignment),
      delete: by(assignments.deleteAssignment),
    },
    previews: {
      preview: by(previewPolicies),
      diff: by(diffPolicyPreviews),
      lint: by(lintProjectPolicies),
      coverage: by(coverPolicies),
    },
    tests: {
      list: by(tests.listPolicyTests),
      create: by(tests.createPolicyTest),
      update: by(tests.updatePolicyTest),
      delete: by(tests.deletePolicyTest),
      run: by(runPolicyTests),
    },
    usage: { ofConnection: by(findConnectionUsage) },
  };
}
