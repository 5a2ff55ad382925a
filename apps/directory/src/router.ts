import type { directory as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Directory } from './directory.js';
import { createGroupProcedures } from './groups/procedures.js';
import { createIdempotencyProcedures } from './idempotency/procedures.js';
import { createOrganizationProcedures } from './organizations/procedures.js';
import { createPeopleProcedures } from './people/procedures.js';
import { createPrincipalProcedures } from './principals/procedures.js';
import { createProjectProcedures } from './projects/procedures.js';
import { createSessionProcedures } from './sessions/procedures.js';
import { createSubjectProcedures } from './subjects/procedures.js';
import { createTenantProcedures } from './tenants/procedures.js';
import { createTokenProcedures } from './tokens/procedures.js';

/** The handlers of all procedures of the directory. */
export function createHandlers(directory: Directory): Handlers<typeof contract.procedures> {
  return {
    ...createOrganizationProcedures(directory),
    ...createProjectProcedures(directory),
    ...createTenantProcedures(directory),
    ...createPeopleProcedures(directory),
    ...createGroupProcedures(directory),
    ...createSubjectProcedures(directory),
    ...createPrincipalProcedures(directory),
    ...createTokenProcedures(directory),
    ...createSessionProcedures(directory),
    ...createIdempotencyProcedures(directory),
  };
}
