import type { UserPermissions, UserRole } from '@gatehouse/contract';

/**
 * The permission matrix: the permissions of a role anywhere, before any grant. Tenant users share only within
 * their own tenant, so none of their roles may share with org users or other tenants.
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
