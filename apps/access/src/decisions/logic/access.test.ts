import { SHARE_SCOPES, type ShareScope } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  canReachType,
  groupKey,
  homeAudienceOf,
  isExpired,
  readersOf,
  subjectOfShare,
  subjectsOfUser,
  type ResourceFacts,
  type UserAccessFacts,
} from './access.js';
import { selectorsOfReaders } from './readerSelectors.js';

const orgUser: UserAccessFacts = {
  type: 'organization',
  userKey: 'u:ada',
  role: 'AUTHOR',
  isActive: true,
  tenantKey: null,
  groupIds: ['team'],
};
const tenantUser: UserAccessFacts = { ...orgUser, type: 'tenant', userKey: 'u:pam', tenantKey: 't:acme' };
const KEYS = ['u:x', 't:x', 'g:x'];

const resource: ResourceFacts = {
  id: 'd_1',
  projectId: 'p_1',
  type: 'dashboard',
  ownerKey: 'u:ada',
  ownerType: 'organization',
  ownerTenantKey: null,
  isPrivate: true,
  shares: [],
};

/** The target key of the scope, and whether it can reach an org user and a tenant user. */
const SCOPES: Record<
  ShareScope,
  [key: string | null, reachesOrgUsers: boolean, reachesTenantUsers: boolean]
> = {
  specific_tenant_user: ['u:x', false, true],
  all_tenant_users: ['t:x', false, true],
  specific_org_user: ['u:x', true, false],
  all_org_users: [null, true, false],
  org_users_only: [null, true, false],
  all_tenants_only: [null, false, true],
  group: ['g:x', true, true],
};

describe('subjectOfShare', () => {
  it('has a case for every scope', () => {
    expect(Object.keys(SCOPES).toSorted()).toEqual([...SHARE_SCOPES].toSorted());
  });

  it.each(SHARE_SCOPES)('accepts for %s only a target of its kind', (scope) => {
    const [own] = SCOPES[scope];
    expect(subjectOfShare(scope, own)).toBe(own ?? `audience:${scope}`);
    const others = [null, ...KEYS].filter((key) => key !== own);
    for (const key of [...others, '', 'x', 'u', 'u:', 't:', 'g:', 'home:org', 'audience:all_org_users']) {
      expect(() => subjectOfShare(scope, key)).toThrow(TypeError);
    }
  });

  it('returns a different text for every audience', () => {
    const wide = SHARE_SCOPES.filter((scope) => SCOPES[scope][0] === null);
    const texts = wide.map((scope) => subjectOfShare(scope, null));
    expect(new Set([...texts, 'home:org']).size).toBe(wide.length + 1);
  });

  it.each(SHARE_SCOPES)('reaches by %s only its types of user', (scope) => {
    const [, reachesOrgUsers, reachesTenantUsers] = SCOPES[scope];
    expect(canReachType(scope, 'organization')).toBe(reachesOrgUsers);
    expect(canReachType(scope, 'tenant')).toBe(reachesTenantUsers);
  });
});

describe('subjectsOfUser', () => {
  it('returns for an org user its key, groups, audiences of the organization and home', () => {
    expect(subjectsOfUser(orgUser).toSorted()).toEqual([
      'audience:all_org_users',
      'audience:org_users_only',
      'g:team',
      'home:org',
      'u:ada',
    ]);
  });

  it('returns for a tenant user its key, groups, tenant, all tenants and home', () => {
    expect(subjectsOfUser(tenantUser).toSorted()).toEqual([
      'audience:all_tenants_only',
      'g:team',
      'home:t:acme',
      't:acme',
      'u:pam',
    ]);
  });

  it('returns no tenant for a tenant user without one', () => {
    expect(subjectsOfUser({ ...tenantUser, tenantKey: null }).toSorted()).toEqual([
      'audience:all_tenants_only',
      'g:team',
      'u:pam',
    ]);
  });

  it('returns only groups in common for an org user and a tenant user', () => {
    const common = subjectsOfUser(orgUser).filter((subject) => subjectsOfUser(tenantUser).includes(subject));
    expect(common).toEqual([groupKey('team')]);
  });
});

describe('readersOf', () => {
  it('returns only the owner for a private resource without shares', () => {
    expect(readersOf(resource)).toEqual(['u:ada']);
  });

  it('returns the owner, the subjects of the shares and the home audience, each once', () => {
    const share = { id: 'sh_1', role: 'VIEWER', expiresAt: null } as const;
    const shares = [
      { ...share, scope: 'specific_tenant_user', subject: 'u:pam' },
      { ...share, scope: 'group', subject: 'g:team' },
      { ...share, scope: 'specific_org_user', subject: 'u:ada' },
      { ...share, scope: 'group', subject: 'g:team', expiresAt: new Date(0) },
    ] as const;
    expect(readersOf({ ...resource, isPrivate: false, shares })).toEqual([
      'u:ada',
      'u:pam',
      'g:team',
      'home:org',
    ]);
  });
});

describe('homeAudienceOf', () => {
  const ofTenant = { ...resource, ownerType: 'tenant', ownerTenantKey: 't:acme' } as const;

  it('returns null for a private resource', () => {
    expect(homeAudienceOf(resource)).toBeNull();
    expect(homeAudienceOf(ofTenant)).toBeNull();
  });

  it('returns the org users, or the tenant of the owner', () => {
    expect(homeAudienceOf({ ...resource, isPrivate: false })).toBe('home:org');
    expect(homeAudienceOf({ ...ofTenant, isPrivate: false })).toBe('home:t:acme');
  });

  it('returns null if a tenant user without a tenant owns the resource', () => {
    expect(homeAudienceOf({ ...ofTenant, ownerTenantKey: null, isPrivate: false })).toBeNull();
  });
});

describe('selectorsOfReaders', () => {
  it('sorts subjects by the terms of a user lookup', () => {
    expect(
      selectorsOfReaders(['u:ada', 'g:team', 't:acme', 'home:t:acme', 'home:t:globex', 'u:pam']),
    ).toEqual({
      userKeys: ['u:ada', 'u:pam'],
      tenantKeys: ['t:acme', 't:globex'],
      groupIds: ['team'],
      allOrgUsers: false,
      allTenantUsers: false,
    });
  });

  it.each(['audience:all_org_users', 'audience:org_users_only', 'home:org'])(
    'selects all org users for %s',
    (reader) => {
      expect(selectorsOfReaders([reader])).toMatchObject({ allOrgUsers: true, allTenantUsers: false });
    },
  );

  it('selects all tenant users for all_tenants_only', () => {
    const selectors = selectorsOfReaders(['audience:all_tenants_only']);
    expect(selectors).toMatchObject({ allOrgUsers: false, allTenantUsers: true, tenantKeys: [] });
  });
});

describe('isExpired', () => {
  const now = new Date('2026-01-15T12:00:00.000Z');

  it('returns true from the time of expiry on', () => {
    expect(isExpired({ expiresAt: new Date(+now + 1) }, now)).toBe(false);
    expect(isExpired({ expiresAt: now }, now)).toBe(true);
    expect(isExpired({ expiresAt: new Date(+now - 1) }, now)).toBe(true);
  });

  it('returns false without an expiry and true for an invalid date', () => {
    expect(isExpired({ expiresAt: null }, now)).toBe(false);
    expect(isExpired({ expiresAt: new Date(Number.NaN) }, now)).toBe(true);
  });
});
