import {
  ACCESS_LEVELS,
  type AccessLevel,
  type ResourcePermissions,
  type UserRole,
} from '@gatehouse/contract';

const CEILINGS: Record<UserRole, AccessLevel> = {
  VIEWER: 'VIEWER',
  POWER_USER: 'OWNER',
  AUTHOR: 'OWNER',
  ADMIN: 'OWNER',
};

/** The highest level that any grant gives to a user of this role. */
export function roleCeiling(role: UserRole): AccessLevel {
  return CEILINGS[role];
}

/** The lower of two levels. */
export function lowerOf(a: AccessLevel, b: AccessLevel): AccessLevel {
  return ACCESS_LEVELS.indexOf(a) <= ACCESS_LEVELS.indexOf(b) ? a : b;
}

/** True when `level` includes `wanted`. Null, no access, includes nothing. */
export function isAtLeast(level: AccessLevel | null, wanted: AccessLevel): boolean {
  return level !== null && ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(wanted);
}

/** What a caller of this effective level may do with a resource that it is shown. */
export function permissionsOf(level: AccessLevel | null): ResourcePermissions {
  return {
    canEdit: isAtLeast(level, 'EDITOR'),
    canShare: isAtLeast(level, 'CONTRIBUTOR'),
    canDelete: isAtLeast(level, 'OWNER'),
  };
}
