import type { Db } from 'mongodb';
import { GroupMemberStore } from './groupMembers.js';
import { GroupStore } from './groups.js';
import { IdempotencyStore } from './idempotency.js';
import { OrganizationStore } from './organizations.js';
import { ProjectStore } from './projects.js';
import { RevocationStore } from './revocations.js';
import { SigningKeyStore } from './signingKeys.js';
import { TenantStore } from './tenants.js';
import { OrgUserStore, TenantUserStore } from './users.js';

/** Everything that the directory keeps. */
export function createStores(database: Db) {
  return {
    organizations: new OrganizationStore(database),
    projects: new ProjectStore(database),
    tenants: new TenantStore(database),
    orgUsers: new OrgUserStore(database),
    tenantUsers: new TenantUserStore(database),
    groups: new GroupStore(database),
    groupMembers: new GroupMemberStore(database),
    revocations: new RevocationStore(database),
    signingKeys: new SigningKeyStore(database),
    idempotency: new IdempotencyStore(database),
  };
}
export type Stores = ReturnType<typeof createStores>;
