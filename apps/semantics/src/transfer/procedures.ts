import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { readCopySource, readCopyStates, readCopyTargets } from './readCopies.js';
import { createDataModelCopy, createDomainCopy, removeCopy } from './writeCopies.js';

export function createCopyProcedures(
  dependencies: Dependencies,
): Handlers<typeof contract.procedures>['copies'] {
  return {
    source: (input, context) => readCopySource(dependencies, input, context),
    targets: (input, context) => readCopyTargets(dependencies, input, context),
    states: (input) => readCopyStates(dependencies, input),
    createDomain: (input, context) => createDomainCopy(dependencies, input, context),
    createDatamodel: (input, context) => createDataModelCopy(dependencies, input, context),
    remove: (input, context) => removeCopy(dependencies, input, context),
  };
}
