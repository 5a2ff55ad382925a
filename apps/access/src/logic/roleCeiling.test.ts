import { ACCESS_LEVELS, USER_ROLES, type AccessLevel } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { isAtLeast, lowerOf, permissionsOf, roleCeiling } from './roleCeiling.js';

describe('roleCeiling', () => {
  const CEILINGS = { VIEWER: 'VIEWER', POWER_USER: 'OWNER', AUTHOR: 'OWNER', ADMIN: 'OWNER' };

  it('caps the VIEWER role at VIEWER and no other role', () => {
    expect(Object.fromEntries(USER_ROLES.map((role) => [role, roleCeiling(role)]))).toEqual(CEILINGS);
  });
});

describe('levels', () => {
  const IN_ORDER = ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'] as const;

  it('are these four, from the lowest to the highest', () => {
    expect(ACCESS_LEVELS).toEqual(IN_ORDER);
  });

  it('compare by their order', () => {
    for (const [i, a] of IN_ORDER.entries()) {
      for (const [j, b] of IN_ORDER.entries()) {
        expect(lowerOf(a, b)).toBe(i < j ? a : b);
        expect(isAtLeast(a, b)).toBe(i >= j);
      }
      expect(isAtLeast(null, a)).toBe(false);
    }
  });

  it.each<[AccessLevel | null, boolean, boolean, boolean]>([
    [null, false, false, false],
    ['VIEWER', false, false, false],
    ['EDITOR', true, false, false],
    ['CONTRIBUTOR', true, true, false],
    ['OWNER', true, true, true],
  ])('%s lets edit: %s, share: %s, delete: %s', (level, canEdit, canShare, canDelete) => {
    expect(permissionsOf(level)).toEqual({ canEdit, canShare, canDelete });
  });
});
