import { groups } from './groups.js';
import { idempotency } from './idempotency.js';
import { organizations, projects, tenants } from './projects.js';
import { sessions } from './sessions.js';
import { subjects } from './subjects.js';
import { principals, tokens } from './tokens.js';
import { orgUsers, tenantUsers, unifiedUsers } from './users.js';

export const directory = {
  name: 'directory' as const,
  procedures: {
    tokens,
    sessions,
    principals,
    organizations,
    projects,
    tenants,
    orgUsers,
    tenantUsers,
    unifiedUsers,
    groups,
    subjects,
    idempotency,
  },
};

export { MappedPerson, SignInRejection } from './sessions.js';
export type { TokenRequest } from './tokens.js';
