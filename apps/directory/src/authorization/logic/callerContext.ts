import { isPerson, type CallerContext, type Principal } from '@gatehouse/contract';
import { permissionsOf } from './rolePermissions.js';

const NO_SHARING = {
  canShareWithTenants: false,
  canShareWithOrgUsers: false,
  canShareWithOtherTenants: false,
};

/**
 * The caller as the tenant-user list describes it. A caller without an identity is a `project` and may not
 * share.
 */
export function callerContextOf(principal: Principal): CallerContext {
  const { organizationId } = principal;
  if (!isPerson(principal)) {
    return {
      type: 'project',
      userId: null,
      tenantId: null,
      organizationId,
      role: null,
      isSuperAdmin: false,
      permissions: NO_SHARING,
    };
  }
  const { canShareWithTenants, canShareWithOrgUsers, canShareWithOtherTenants } = permissionsOf(
    principal.role,
  );
  return {
    type: principal.kind === 'orgUser' ? 'organization' : 'tenant',
    userId: principal.userId,
    tenantId: principal.kind === 'tenantUser' ? principal.tenantId : null,
    organizationId,
    role: principal.role,
    isSuperAdmin: principal.role === 'ADMIN',
    permissions: { canShareWithTenants, canShareWithOrgUsers, canShareWithOtherTenants },
  };
}
