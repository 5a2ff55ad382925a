import {
  ACCESS_LEVELS,
  SHARE_SCOPES,
  USER_ROLES,
  type AccessLevel,
  type GrantPath,
  type ShareScope,
  type UserRole,
} from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  accessLevelOf,
  isAtLeast,
  lowerOf,
  permissionsOf,
  roleCeiling,
  subjectsOfUser,
  type AccessQuery,
  type ResourceFacts,
  type ShareFacts,
  type UserAccessFacts,
} from './access.js';
import { effectiveAccess, reachedAccess } from './effectiveAccess.js';

const now = new Date('2026-01-15T12:00:00.000Z');
const orgUser: UserAccessFacts = {
  type: 'organization',
  userKey: 'u:ada',
  role: 'AUTHOR',
  isActive: true,
  tenantKey: null,
  groupIds: ['team'],
};
const tenantUser: UserAccessFacts = {
  type: 'tenant',
  userKey: 'u:pam',
  role: 'POWER_USER',
  isActive: true,
  tenantKey: 't:acme',
  groupIds: ['team'],
};
const dashboard: ResourceFacts = {
  id: 'd_1',
  projectId: 'p_1',
  type: 'dashboard',
  ownerKey: 'u:owner',
  ownerType: 'organization',
  ownerTenantKey: null,
  isPrivate: true,
  shares: [],
};
const visual: ResourceFacts = { ...dashboard, id: 'v_1', type: 'visual' };

function shareWith(scope: ShareScope, subject: string, role: AccessLevel = 'EDITOR'): ShareFacts {
  return { id: `sh_${scope}`, scope, subject, role, expiresAt: null };
}

function decide(fields: Partial<AccessQuery>) {
  const query: AccessQuery = { user: orgUser, resource: dashboard, linkedFrom: [], now, ...fields };
  const access = effectiveAccess(query);
  expect(accessLevelOf(query)).toBe(access.accessLevel);
  const [first] = access.grants;
  expect(reachedAccess(query)).toEqual(first ? { accessLevel: access.accessLevel, path: first.path } : null);
  const subjects = new Set(query.user === null ? [] : subjectsOfUser(query.user));
  expect(accessLevelOf({ ...query, subjects })).toBe(access.accessLevel);
  return access;
}

/** The effective level, by role and granted level. */
const CAPPED: Record<UserRole, Record<AccessLevel, AccessLevel>> = {
  VIEWER: { VIEWER: 'VIEWER', EDITOR: 'VIEWER', CONTRIBUTOR: 'VIEWER', OWNER: 'VIEWER' },
  POWER_USER: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
  AUTHOR: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
  ADMIN: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
};

/**
 * By scope: the subjects of a share, and the path by which each of the two users is reached; null where not.
 */
const REACH: Record<ShareScope, [subject: string, org: GrantPath | null, tenant: GrantPath | null][]> = {
  specific_tenant_user: [
    ['u:pam', null, 'share'],
    ['u:ada', null, null],
    ['u:other', null, null],
  ],
  all_tenant_users: [
    ['t:acme', null, 'audience'],
    ['t:globex', null, null],
  ],
  specific_org_user: [
    ['u:ada', 'share', null],
    ['u:pam', null, null],
    ['u:other', null, null],
  ],
  all_org_users: [['audience:all_org_users', 'audience', null]],
  org_users_only: [['audience:org_users_only', 'audience', null]],
  all_tenants_only: [['audience:all_tenants_only', null, 'audience']],
  group: [
    ['g:team', 'group', 'group'],
    ['g:others', null, null],
  ],
};

describe('a share', () => {
  it('has a row for every scope, role and level', () => {
    expect(Object.keys(REACH).toSorted()).toEqual([...SHARE_SCOPES].toSorted());
    expect(Object.keys(CAPPED).toSorted()).toEqual([...USER_ROLES].toSorted());
    for (const row of Object.values(CAPPED)) {
      expect(Object.keys(row).toSorted()).toEqual([...ACCESS_LEVELS].toSorted());
    }
  });

  const cells = SHARE_SCOPES.flatMap((scope) =>
    USER_ROLES.flatMap((role) => ACCESS_LEVELS.map((level) => [level, scope, role] as const)),
  );
  it.each(cells)('of %s by %s gives a %s its level under the ceiling', (level, scope, role) => {
    for (const [subject, orgPath, tenantPath] of REACH[scope]) {
      const share = shareWith(scope, subject, level);
      for (const type of ['dashboard', 'visual'] as const) {
        const resource: ResourceFacts = { ...dashboard, type, shares: [share] };
        for (const [user, path] of [[orgUser, orgPath] as const, [tenantUser, tenantPath] as const]) {
          const access = decide({ user: { ...user, role }, resource });
          expect(access.accessLevel).toBe(path === null ? null : CAPPED[role][level]);
          const groupId = scope === 'group' ? { groupId: subject.slice(2) } : {};
          const grant = { level, path, shareId: share.id, scope, ...groupId, wins: true };
          expect(access.grants).toEqual(path === null ? [] : [grant]);
        }
      }
    }
  });

  it('grants access until its expiry and nothing from then on', () => {
    const expiring = (offsetMs: number): ResourceFacts => ({
      ...dashboard,
      shares: [
        { ...shareWith('all_org_users', 'audience:all_org_users'), expiresAt: new Date(+now + offsetMs) },
      ],
    });
    expect(decide({ resource: expiring(1) }).accessLevel).toBe('EDITOR');
    expect(decide({ resource: expiring(0) }).accessLevel).toBeNull();
    expect(decide({ resource: expiring(-1) }).accessLevel).toBeNull();
    expect(decide({ resource: expiring(Number.NaN) }).accessLevel).toBeNull();
  });
});

describe('ownership', () => {
  it.each(USER_ROLES)('gives a %s OWNER, up to its ceiling', (role) => {
    const access = decide({ user: { ...orgUser, role }, resource: { ...dashboard, ownerKey: 'u:ada' } });
    expect(access.accessLevel).toBe(CAPPED[role].OWNER);
    expect(access.ceiling).toBe(CAPPED[role].OWNER);
    expect(access.grants).toEqual([{ level: 'OWNER', path: 'ownership', wins: true }]);
  });
});

describe('the home audience', () => {
  const openAtHome = { ...dashboard, isPrivate: false };
  const ofTenant = { ...openAtHome, ownerType: 'tenant', ownerTenantKey: 't:acme' } as const;
  const grants = [{ level: 'VIEWER', path: 'audience', wins: true }];

  it('may view a resource that is not private', () => {
    expect(decide({ user: orgUser, resource: openAtHome }).grants).toEqual(grants);
    expect(decide({ user: tenantUser, resource: ofTenant }).grants).toEqual(grants);
  });

  it('excludes all other users', () => {
    expect(decide({ user: tenantUser, resource: openAtHome }).grants).toEqual([]);
    expect(decide({ user: orgUser, resource: ofTenant }).grants).toEqual([]);
    expect(decide({ user: { ...tenantUser, tenantKey: 't:globex' }, resource: ofTenant }).grants).toEqual([]);
    const user = { ...tenantUser, tenantKey: null };
    expect(decide({ user, resource: { ...ofTenant, ownerTenantKey: null } }).grants).toEqual([]);
  });
});

describe('a linking dashboard', () => {
  const reaching = shareWith('specific_org_user', 'u:ada', 'OWNER');
  const grant = { level: 'VIEWER', path: 'linked dashboard', dashboardId: 'd_1', wins: true };

  it.each([
    ['shared', { shares: [reaching] }],
    ['owned', { ownerKey: 'u:ada' }],
    ['open at home', { isPrivate: false }],
  ])('that is %s gives VIEWER on the visual', (_, facts) => {
    const access = decide({ resource: visual, linkedFrom: [{ ...dashboard, ...facts }] });
    expect(access).toMatchObject({ accessLevel: 'VIEWER', grants: [grant] });
  });

  it.each([
    ['the user has no access to', {}],
    ['was shared until now', { shares: [{ ...reaching, expiresAt: now }] }],
    ['is of another project', { shares: [reaching], projectId: 'p_2' }],
    ['is a visual itself', { shares: [reaching], type: 'visual' as const }],
  ])('that %s gives nothing', (_, facts) => {
    expect(decide({ resource: visual, linkedFrom: [{ ...dashboard, ...facts }] }).grants).toEqual([]);
  });

  it('gives nothing on a dashboard', () => {
    const other = { ...dashboard, id: 'd_2', shares: [reaching] };
    expect(decide({ resource: dashboard, linkedFrom: [other] }).grants).toEqual([]);
  });

  it('gives nothing to the bearer of its dashboard token', () => {
    const query = { resource: visual, linkedFrom: [dashboard], tokenDashboardId: 'd_1' };
    expect(decide(query).grants).toEqual([]);
    expect(decide({ ...query, user: null }).grants).toEqual([]);
  });

  it('gives one grant for each dashboard', () => {
    const linkedFrom = ['d_3', 'd_1', 'd_2'].map((id) => ({ ...dashboard, id, shares: [reaching] }));
    const { grants } = decide({ resource: visual, linkedFrom });
    expect(grants.map(({ dashboardId, wins }) => [dashboardId, wins])).toEqual([
      ['d_1', true],
      ['d_2', false],
      ['d_3', false],
    ]);
  });
});

describe('the token of a dashboard', () => {
  const grants = [{ level: 'VIEWER', path: 'token', wins: true }];

  it.each([
    ['a bearer without an identity', null],
    ['an org user', orgUser],
    ['a tenant user', tenantUser],
  ])('gives %s view access to that dashboard', (_, user) => {
    expect(decide({ user, tokenDashboardId: 'd_1' })).toMatchObject({ accessLevel: 'VIEWER', grants });
  });

  it('gives no access to another dashboard, nor to a visual of the same id', () => {
    expect(decide({ user: null, tokenDashboardId: 'd_2' }).accessLevel).toBeNull();
    expect(
      decide({ user: null, resource: { ...visual, id: 'd_1' }, tokenDashboardId: 'd_1' }).accessLevel,
    ).toBeNull();
  });

  it('is the only grant of a bearer without an identity', () => {
    const shares = SHARE_SCOPES.flatMap((scope) =>
      REACH[scope].map(([subject]) => shareWith(scope, subject, 'OWNER')),
    );
    const resource = { ...dashboard, isPrivate: false, shares };
    expect(decide({ user: null, resource })).toEqual({ accessLevel: null, ceiling: 'VIEWER', grants: [] });
    const withToken = decide({ user: null, resource, tokenDashboardId: 'd_1' });
    expect(withToken).toEqual({ accessLevel: 'VIEWER', ceiling: 'VIEWER', grants });
  });
});

describe('an inactive user', () => {
  it('has no access despite any grant', () => {
    const user = { ...orgUser, isActive: false };
    const shares = [shareWith('all_org_users', 'audience:all_org_users', 'OWNER')];
    const own = { ...dashboard, ownerKey: 'u:ada', isPrivate: false, shares };
    const none = { accessLevel: null, ceiling: 'OWNER', grants: [] };
    expect(decide({ user, resource: own, tokenDashboardId: 'd_1' })).toEqual(none);
    expect(decide({ user, resource: { ...own, ...visual }, linkedFrom: [own] })).toEqual(none);
  });
});

describe('several grants', () => {
  const resource: ResourceFacts = {
    ...visual,
    ownerKey: 'u:ada',
    isPrivate: false,
    shares: [
      { ...shareWith('group', 'g:team', 'VIEWER'), id: 'sh_5' },
      { ...shareWith('all_org_users', 'audience:all_org_users', 'OWNER'), id: 'sh_4' },
      { ...shareWith('org_users_only', 'audience:org_users_only', 'CONTRIBUTOR'), id: 'sh_2' },
      { ...shareWith('specific_org_user', 'u:ada', 'CONTRIBUTOR'), id: 'sh_3' },
      { ...shareWith('group', 'g:crew', 'VIEWER'), id: 'sh_1' },
    ],
  };
  const user = { ...orgUser, groupIds: ['team', 'crew'] };
  const linkedFrom = [{ ...dashboard, isPrivate: false }];

  it('are ordered by level, then by the more personal path, then by id', () => {
    const { grants } = decide({ user, resource, linkedFrom });
    expect(
      grants.map(({ level, path, shareId, dashboardId }) => [level, path, shareId ?? dashboardId]),
    ).toEqual([
      ['OWNER', 'ownership', undefined],
      ['OWNER', 'audience', 'sh_4'],
      ['CONTRIBUTOR', 'share', 'sh_3'],
      ['CONTRIBUTOR', 'audience', 'sh_2'],
      ['VIEWER', 'group', 'sh_1'],
      ['VIEWER', 'group', 'sh_5'],
      ['VIEWER', 'audience', undefined],
      ['VIEWER', 'linked dashboard', 'd_1'],
    ]);
    expect(grants.map(({ wins }) => wins)).toEqual([true, ...Array<boolean>(7).fill(false)]);
  });

  it('have the same order for any order of the shares', () => {
    const reversed = { ...resource, shares: resource.shares.toReversed() };
    expect(decide({ user, resource: reversed, linkedFrom })).toEqual(decide({ user, resource, linkedFrom }));
  });

  it('do not change the facts', () => {
    const before = structuredClone({ user, resource, linkedFrom });
    decide({ user, resource, linkedFrom });
    expect({ user, resource, linkedFrom }).toEqual(before);
  });
});

describe('roleCeiling', () => {
  const CEILINGS = { VIEWER: 'VIEWER', POWER_USER: 'OWNER', AUTHOR: 'OWNER', ADMIN: 'OWNER' };

  it('caps the VIEWER role at VIEWER and no other role', () => {
    expect(Object.fromEntries(USER_ROLES.map((role) => [role, roleCeiling(role)]))).toEqual(CEILINGS);
  });
});

describe('levels', () => {
  const IN_ORDER = ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'] as const;

  it('are VIEWER, EDITOR, CONTRIBUTOR and OWNER, from the lowest to the highest', () => {
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
  ])('%s may edit: %s, share: %s, delete: %s', (level, canEdit, canShare, canDelete) => {
    expect(permissionsOf(level)).toEqual({ canEdit, canShare, canDelete });
  });
});
