import type { UserPermissions, UserRole } from '@gatehouse/contract';

/**
 * What a role permits anywhere, before any grant: the permission matrix. Tenant users
 * share within their own tenant only, so no role of theirs may share with org users or other tenants.
 */
export function permissionsOf(role: UserRole): UserPermissions {
  const isAdmin = role === 'ADMIN';
  const isAuthor = role === 'AUTHOR' || isAdmin;
  const isEditor = role === 'POWER_USER' || isAuthor;
  return {
    canEdit: isEditor,
    canCreateDashboard: isEditor,
    canShare: isEditor,
    canShareWithTenants: isEditor,
    canShareWithOrgUsers: isAuthor,
    canShareWithOtherTenants: isAuthor,
    canManageGroups: isAuthor,
    canManageUsers: isAdmin,
    canManageSecurity: isAdmin,
  };
}
