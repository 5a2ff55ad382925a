import type { policy as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { compileStatements } from './compileStatements.js';

export function createStatementProcedures(
  deps: Dependencies,
): Pick<Handlers<typeof contract.procedures>, 'statements'> {
  return { statements: { compile: (input, context) => compileStatements(deps, input, context) } };
}
