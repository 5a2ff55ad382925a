import type { OrgUserPrincipal, Principal } from '@gatehouse/contract';
import { permissionsOf } from './permissions.js';

/** Why a caller is refused, whatever it asks for by id. */
export type Refusal = 'dashboardToken' | 'noRole' | 'notAdmin' | 'notAuthor';

/** What a caller may read of the directory. */
export interface Reader {
  organizationId: string;
  /** The one tenant that it may see; null for the whole organization. */
  tenantKey: string | null;
}

/**
 * Who may read tenants, groups and people. A dashboard token reaches its dashboard alone; a tenant
 * user sees its own tenant; org users and the service identity see the organization.
 */
export function judgeReader(principal: Principal): Reader | Refusal {
  if (principal.tokenType === 'dashboard' || principal.kind === 'anonymous') return 'dashboardToken';
  const { organizationId } = principal;
  return { organizationId, tenantKey: principal.kind === 'tenantUser' ? principal.tenantKey : null };
}

/** Who may read tenant users: as any reader, but of the org users only an ADMIN. */
export function judgeTenantUserReader(principal: Principal): Reader | Refusal {
  if (principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role !== 'ADMIN')
    return 'notAdmin';
  return judgeReader(principal);
}

/** Who may administer projects, tenants and people. */
export function judgeAdmin(principal: Principal): OrgUserPrincipal | Refusal {
  return judgeOrgUser(principal, 'notAdmin');
}

/** Who may manage groups: org users with AUTHOR or ADMIN. */
export function judgeGroupManager(principal: Principal): OrgUserPrincipal | Refusal {
  return judgeOrgUser(principal, 'notAuthor');
}

function judgeOrgUser(principal: Principal, refusal: 'notAdmin' | 'notAuthor'): OrgUserPrincipal | Refusal {
  if (principal.tokenType === 'dashboard' || principal.kind === 'anonymous') return 'dashboardToken';
  if (principal.kind === 'service') return 'noRole';
  if (principal.kind === 'tenantUser') return refusal;
  const { canManageUsers, canManageGroups } = permissionsOf(principal.role);
  const isPermitted = refusal === 'notAdmin' ? canManageUsers : canManageGroups;
  return isPermitted ? principal : refusal;
}

/** Whether a reader may see what belongs to a tenant; `null` stands for what belongs to none. */
export function canSeeTenant(reader: Reader, tenantKey: string | null): boolean {
  return reader.tenantKey === null || reader.tenantKey === tenantKey;
}

/** What a caller may do with any group. */
export function groupPermissionsFor(principal: Principal) {
  const isManager = typeof judgeGroupManager(principal) === 'object';
  return { canEdit: isManager, canDelete: isManager, canManageMembers: isManager };
}
