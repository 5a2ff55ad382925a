import { seesEveryDomain, type OrgUserPrincipal, type Principal } from '@gatehouse/contract';
import { permissionsOf } from './rolePermissions.js';

/** The reason why a caller is denied access to a kind of record. */
export type Denial = 'dashboardToken' | 'noRole' | 'notAdmin' | 'notAuthor' | 'limitedDomains';

/** The scope in which a caller may read the directory. */
export interface Reader {
  organizationId: string;
  /** The only tenant that the caller may read; null for the whole organization. */
  tenantKey: string | null;
}

/**
 * Decides who may read tenants, groups and people. A dashboard token reaches only its dashboard. A tenant
 * user reads its own tenant. Org users and the service identity read the organization.
 */
export function authorizeReader(principal: Principal): Reader | Denial {
  if (principal.tokenType === 'dashboard' || principal.kind === 'anonymous') return 'dashboardToken';
  if (principal.kind === 'compiler') return 'noRole';
  const { organizationId } = principal;
  return { organizationId, tenantKey: principal.kind === 'tenantUser' ? principal.tenantKey : null };
}

/** Decides who may read tenant users: every reader, except org users without the ADMIN role. */
export function authorizeTenantUserReader(principal: Principal): Reader | Denial {
  if (principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role !== 'ADMIN')
    return 'notAdmin';
  return authorizeReader(principal);
}

/** Decides who may administer projects, tenants and people. */
export function authorizeAdmin(principal: Principal): OrgUserPrincipal | Denial {
  return authorizeOrgUser(principal, 'notAdmin');
}

/**
 * Decides who may receive the secret of a project: an ADMIN whose token hides no semantic domain. With the
 * secret, the bearer of another token could issue tokens without its limits.
 */
export function authorizeSecretKeeper(principal: Principal): OrgUserPrincipal | Denial {
  const decision = authorizeAdmin(principal);
  return decision !== principal || seesEveryDomain(principal) ? decision : 'limitedDomains';
}

/** Decides who may manage groups: org users with the AUTHOR or ADMIN role. */
export function authorizeGroupManager(principal: Principal): OrgUserPrincipal | Denial {
  return authorizeOrgUser(principal, 'notAuthor');
}

function authorizeOrgUser(principal: Principal, denial: 'notAdmin' | 'notAuthor'): OrgUserPrincipal | Denial {
  if (principal.tokenType === 'dashboard' || principal.kind === 'anonymous') return 'dashboardToken';
  if (principal.kind === 'service' || principal.kind === 'compiler') return 'noRole';
  if (principal.kind === 'tenantUser') return denial;
  const { canManageUsers, canManageGroups } = permissionsOf(principal.role);
  const isPermitted = denial === 'notAdmin' ? canManageUsers : canManageGroups;
  return isPermitted ? principal : denial;
}

/** Whether a reader may see the records of a tenant; `null` stands for records that belong to no tenant. */
export function canSeeTenant(reader: Reader, tenantKey: string | null): boolean {
  return reader.tenantKey === null || reader.tenantKey === tenantKey;
}

/**
 * Whether a filter by tenant excludes all that the caller may see. An index would search all of the own
 * tenant for users of another.
 */
export function isOfOtherTenant(principal: Principal, tenantId: string | undefined): boolean {
  return principal.kind === 'tenantUser' && tenantId !== undefined && tenantId !== principal.tenantId;
}

/** The caller's permissions on any group. */
export function groupPermissionsFor(principal: Principal) {
  const isManager = typeof authorizeGroupManager(principal) === 'object';
  return { canEdit: isManager, canDelete: isManager, canManageMembers: isManager };
}
