import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { createAssignmentProcedures } from './assignments/procedures.js';
import { createDefinitionProcedures } from './definitions/procedures.js';
import type { Dependencies } from './dependencies.js';
import { createTestProcedures } from './policyTests/procedures.js';
import { createPreviewProcedures } from './preview/procedures.js';
import { createStatementProcedures } from './statements/procedures.js';

/** The handler of each procedure. */
export function createHandlers(deps: Dependencies): Handlers<typeof contract.procedures> {
  return {
    ...createDefinitionProcedures(deps),
    ...createAssignmentProcedures(deps),
    ...createPreviewProcedures(deps),
    ...createStatementProcedures(deps),
    ...createTestProcedures(deps),
  };
}
