import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { createAssistantProfileProcedures } from './assistantProfiles/procedures.js';
import { createConnectionProcedures } from './connections/procedures.js';
import { createDataModelProcedures } from './dataModels/procedures.js';
import type { Dependencies } from './dependencies.js';
import { createDomainProcedures } from './domains/procedures.js';
import { createFactsLoader } from './facts/loadFacts.js';
import { createCopyProcedures } from './transfer/procedures.js';

/** The handler of each procedure. */
export function createRouter(dependencies: Dependencies): Handlers<typeof contract.procedures> {
  return {
    domains: createDomainProcedures(dependencies),
    connections: createConnectionProcedures(dependencies),
    datamodels: createDataModelProcedures(dependencies),
    assistantProfiles: createAssistantProfileProcedures(dependencies),
    facts: { load: createFactsLoader(dependencies) },
    copies: createCopyProcedures(dependencies),
  };
}
