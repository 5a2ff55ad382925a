import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { createPolicyTest } from './createTest.js';
import { deletePolicyTest } from './deleteTest.js';
import { getPolicyTest, listPolicyTests } from './readTests.js';
import { runPolicyTests } from './runTests.js';
import { updatePolicyTest } from './updateTest.js';

export function createTestProcedures(
  deps: Dependencies,
): Pick<Handlers<typeof contract.procedures>, 'tests'> {
  return {
    tests: {
      list: (input, context) => listPolicyTests(deps, input, context),
      create: (input, context) => createPolicyTest(deps, input, context),
      get: (input, context) => getPolicyTest(deps, input, context),
      update: (input, context) => updatePolicyTest(deps, input, context),
      delete: (input, context) => deletePolicyTest(deps, input, context),
      run: (input, context) => runPolicyTests(deps, input, context),
    },
  };
}
