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
import { accessLevelOf, effectiveAccess } from './effectiveAccess.js';
import type { AccessQuestion, ResourceFacts, ShareFacts, UserAccessFacts } from './facts.js';

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

function ask(question: Partial<AccessQuestion>) {
  const whole: AccessQuestion = { user: orgUser, resource: dashboard, linkedFrom: [], now, ...question };
  const access = effectiveAccess(whole);
  expect(accessLevelOf(whole)).toBe(access.accessLevel);
  return access;
}

/** What an effective level is, by role and by the level granted. */
const CAPPED: Record<UserRole, Record<AccessLevel, AccessLevel>> = {
  VIEWER: { VIEWER: 'VIEWER', EDITOR: 'VIEWER', CONTRIBUTOR: 'VIEWER', OWNER: 'VIEWER' },
  POWER_USER: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
  AUTHOR: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
  ADMIN: { VIEWER: 'VIEWER', EDITOR: 'EDITOR', CONTRIBUTOR: 'CONTRIBUTOR', OWNER: 'OWNER' },
};

/** By scope: the subjects of a share, and the path by which each of the two users is reached; null where not. */
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
  it('has a row for every scope, role and level there is', () => {
    expect(Object.keys(REACH).toSorted()).toEqual([...SHARE_SCOPES].toSorted());
    expect(Object.keys(CAPPED).toSorted()).toEqual([...USER_ROLES].toSorted());
    for (const row of Object.values(CAPPED)) {
      expect(Object.keys(row).toSorted()).toEqual([...ACCESS_LEVELS].toSorted());
    }
  });

  const cells = SHARE_SCOPES.flatMap((scope) =>
    USER_ROLES.flatMap((role) => ACCESS_LEVELS.map((level) => [level, scope, role] as const)),
  );
  it.each(cells)('of %s by %s gives a %s what it may have', (level, scope, role) => {
    for (const [subject, orgPath, tenantPath] of REACH[scope]) {
      const share = shareWith(scope, subject, level);
      for (const type of ['dashboard', 'visual'] as const) {
        const resource: ResourceFacts = { ...dashboard, type, shares: [share] };
        for (const [user, path] of [[orgUser, orgPath] as const, [tenantUser, tenantPath] as const]) {
          const access = ask({ user: { ...user, role }, resource });
          expect(access.accessLevel).toBe(path === null ? null : CAPPED[role][level]);
          const groupId = scope === 'group' ? { groupId: subject.slice(2) } : {};
          const grant = { level, path, shareId: share.id, scope, ...groupId, wins: true };
          expect(access.grants).toEqual(path === null ? [] : [grant]);
        }
      }
    }
  });

  it('grants until its expiry and from that moment on nothing', () => {
    const expiring = (offsetMs: number): ResourceFacts => ({
      ...dashboard,
      shares: [
        { ...shareWith('all_org_users', 'audience:all_org_users'), expiresAt: new Date(+now + offsetMs) },
      ],
    });
    expect(ask({ resource: expiring(1) }).accessLevel).toBe('EDITOR');
    expect(ask({ resource: expiring(0) }).accessLevel).toBeNull();
    expect(ask({ resource: expiring(-1) }).accessLevel).toBeNull();
    expect(ask({ resource: expiring(Number.NaN) }).accessLevel).toBeNull();
  });
});

describe('ownership', () => {
  it.each(USER_ROLES)('gives a %s OWNER, under its ceiling', (role) => {
    const access = ask({ user: { ...orgUser, role }, resource: { ...dashboard, ownerKey: 'u:ada' } });
    expect(access.accessLevel).toBe(CAPPED[role].OWNER);
    expect(access.ceiling).toBe(CAPPED[role].OWNER);
    expect(access.grants).toEqual([{ level: 'OWNER', path: 'ownership', wins: true }]);
  });
});

describe('the home audience', () => {
  const openAtHome = { ...dashboard, isPrivate: false };
  const ofTenant = { ...openAtHome, ownerType: 'tenant', ownerTenantKey: 't:acme' } as const;
  const grants = [{ level: 'VIEWER', path: 'audience', wins: true }];

  it('views what is not private', () => {
    expect(ask({ user: orgUser, resource: openAtHome }).grants).toEqual(grants);
    expect(ask({ user: tenantUser, resource: ofTenant }).grants).toEqual(grants);
  });

  it('is closed to everybody else', () => {
    expect(ask({ user: tenantUser, resource: openAtHome }).grants).toEqual([]);
    expect(ask({ user: orgUser, resource: ofTenant }).grants).toEqual([]);
    expect(ask({ user: { ...tenantUser, tenantKey: 't:globex' }, resource: ofTenant }).grants).toEqual([]);
    const user = { ...tenantUser, tenantKey: null };
    expect(ask({ user, resource: { ...ofTenant, ownerTenantKey: null } }).grants).toEqual([]);
  });
});

describe('a linking dashboard', () => {
  const reaching = shareWith('specific_org_user', 'u:ada', 'OWNER');
  const grant = { level: 'VIEWER', path: 'linked dashboard', dashboardId: 'd_1', wins: true };

  it.each([
    ['shared', { shares: [reaching] }],
    ['owned', { ownerKey: 'u:ada' }],
    ['open at home', { isPrivate: false }],
  ])('that is %s lends VIEWER on the visual', (_, facts) => {
    const access = ask({ resource: visual, linkedFrom: [{ ...dashboard, ...facts }] });
    expect(access).toMatchObject({ accessLevel: 'VIEWER', grants: [grant] });
  });

  it.each([
    ['the user has no access to', {}],
    ['was shared until now', { shares: [{ ...reaching, expiresAt: now }] }],
    ['is of another project', { shares: [reaching], projectId: 'p_2' }],
    ['is a visual itself', { shares: [reaching], type: 'visual' as const }],
  ])('that %s lends nothing', (_, facts) => {
    expect(ask({ resource: visual, linkedFrom: [{ ...dashboard, ...facts }] }).grants).toEqual([]);
  });

  it('lends nothing on a dashboard', () => {
    const other = { ...dashboard, id: 'd_2', shares: [reaching] };
    expect(ask({ resource: dashboard, linkedFrom: [other] }).grants).toEqual([]);
  });

  it('lends nothing on account of the token that asks', () => {
    const question = { resource: visual, linkedFrom: [dashboard], tokenDashboardId: 'd_1' };
    expect(ask(question).grants).toEqual([]);
    expect(ask({ ...question, user: null }).grants).toEqual([]);
  });

  it('is one grant for each dashboard', () => {
    const linkedFrom = ['d_3', 'd_1', 'd_2'].map((id) => ({ ...dashboard, id, shares: [reaching] }));
    const { grants } = ask({ resource: visual, linkedFrom });
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
    ['nobody known', null],
    ['an org user', orgUser],
    ['a tenant user', tenantUser],
  ])('lets %s view that dashboard', (_, user) => {
    expect(ask({ user, tokenDashboardId: 'd_1' })).toMatchObject({ accessLevel: 'VIEWER', grants });
  });

  it('lets view no other dashboard, and no visual of the same id', () => {
    expect(ask({ user: null, tokenDashboardId: 'd_2' }).accessLevel).toBeNull();
    expect(
      ask({ user: null, resource: { ...visual, id: 'd_1' }, tokenDashboardId: 'd_1' }).accessLevel,
    ).toBeNull();
  });

  it('is the only grant of a bearer without an identity', () => {
    const shares = SHARE_SCOPES.flatMap((scope) =>
      REACH[scope].map(([subject]) => shareWith(scope, subject, 'OWNER')),
    );
    const resource = { ...dashboard, isPrivate: false, shares };
    expect(ask({ user: null, resource })).toEqual({ accessLevel: null, ceiling: 'VIEWER', grants: [] });
    const withToken = ask({ user: null, resource, tokenDashboardId: 'd_1' });
    expect(withToken).toEqual({ accessLevel: 'VIEWER', ceiling: 'VIEWER', grants });
  });
});

describe('an inactive user', () => {
  it('has nothing, whatever it was given', () => {
    const user = { ...orgUser, isActive: false };
    const shares = [shareWith('all_org_users', 'audience:all_org_users', 'OWNER')];
    const own = { ...dashboard, ownerKey: 'u:ada', isPrivate: false, shares };
    const none = { accessLevel: null, ceiling: 'OWNER', grants: [] };
    expect(ask({ user, resource: own, tokenDashboardId: 'd_1' })).toEqual(none);
    expect(ask({ user, resource: { ...own, ...visual }, linkedFrom: [own] })).toEqual(none);
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

  it('stand with the highest first, the more personal path first among equals, then by id', () => {
    const { grants } = ask({ user, resource, linkedFrom });
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

  it('stand in the same order however the shares are stored', () => {
    const reversed = { ...resource, shares: resource.shares.toReversed() };
    expect(ask({ user, resource: reversed, linkedFrom })).toEqual(ask({ user, resource, linkedFrom }));
  });

  it('leave the same facts to the next question', () => {
    const before = structuredClone({ user, resource, linkedFrom });
    ask({ user, resource, linkedFrom });
    expect({ user, resource, linkedFrom }).toEqual(before);
  });
});
