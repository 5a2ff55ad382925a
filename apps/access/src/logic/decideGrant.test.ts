import { ACCESS_LEVELS, SHARE_SCOPES, type AccessLevel, type ShareScope } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  decideGrant,
  decideRevocation,
  findRefusedGrant,
  findRefusedRevocation,
  type Granter,
} from './decideGrant.js';
import type { ResolvedGrant, Share } from './shares.js';

const orgGranter = (level: AccessLevel | null): Granter => ({ level, type: 'organization', tenantKey: null });
const tenantGranter = (level: AccessLevel | null): Granter => ({
  level,
  type: 'tenant',
  tenantKey: 't:acme',
});

function entryFor(scope: ShareScope, tenantKey: string | null, role: AccessLevel = 'VIEWER'): ResolvedGrant {
  return { scope, subject: `${scope} x`, targetId: 'x', tenantKey, role, expiresAt: null };
}

function shareFor(entry: ResolvedGrant, role: AccessLevel): Share {
  return { ...entry, id: 'sh_1', role, createdAt: new Date(0), createdBy: 'ou_ada' };
}

/** The highest role that each level may grant, change or take; null where it may not share at all. */
const REACH_OF_LEVEL: Record<AccessLevel, AccessLevel[]> = {
  VIEWER: [],
  EDITOR: [],
  CONTRIBUTOR: ['VIEWER', 'EDITOR', 'CONTRIBUTOR'],
  OWNER: ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'],
};

/** Whether a tenant user may share with a target of the scope when the target belongs to the user's tenant. */
const IS_FOR_TENANT_USERS: Record<ShareScope, boolean> = {
  specific_tenant_user: true,
  all_tenant_users: true,
  specific_org_user: false,
  all_org_users: false,
  org_users_only: false,
  all_tenants_only: false,
  group: true,
};

it('has a row for every level and scope there is', () => {
  expect(Object.keys(REACH_OF_LEVEL).toSorted()).toEqual([...ACCESS_LEVELS].toSorted());
  expect(Object.keys(IS_FOR_TENANT_USERS).toSorted()).toEqual([...SHARE_SCOPES].toSorted());
});

describe.each(SHARE_SCOPES)('sharing with %s', (scope) => {
  it.each(ACCESS_LEVELS)('as an org user of level %s goes up to that level', (level) => {
    for (const role of ACCESS_LEVELS) {
      const reach = REACH_OF_LEVEL[level];
      const refusal = reach.length === 0 ? 'not_allowed' : reach.includes(role) ? null : 'exceeds_own_access';
      for (const tenantKey of [null, 't:acme']) {
        expect(decideGrant(orgGranter(level), entryFor(scope, tenantKey, role))).toBe(refusal);
      }
    }
  });

  it.each(ACCESS_LEVELS)('as a tenant user of level %s stays inside the tenant', (level) => {
    const reach = REACH_OF_LEVEL[level];
    for (const role of ACCESS_LEVELS) {
      for (const tenantKey of [null, 't:acme', 't:globex']) {
        const isInside = IS_FOR_TENANT_USERS[scope] && tenantKey === 't:acme';
        const inside = reach.includes(role) ? null : 'exceeds_own_access';
        const refusal = reach.length === 0 ? 'not_allowed' : isInside ? inside : 'outside_tenant';
        expect(decideGrant(tenantGranter(level), entryFor(scope, tenantKey, role))).toBe(refusal);
      }
    }
  });

  it('is open to nobody who has no access', () => {
    expect(decideGrant(orgGranter(null), entryFor(scope, null))).toBe('not_allowed');
    expect(decideGrant(tenantGranter(null), entryFor(scope, 't:acme'))).toBe('not_allowed');
    expect(decideRevocation(orgGranter(null), entryFor(scope, null))).toBe('not_allowed');
  });

  it('is closed to a tenant user without a tenant', () => {
    const granter: Granter = { level: 'OWNER', type: 'tenant', tenantKey: null };
    expect(decideGrant(granter, entryFor(scope, null))).toBe('outside_tenant');
    expect(decideRevocation(granter, entryFor(scope, null))).toBe('outside_tenant');
  });

  it.each(ACCESS_LEVELS)('changes and takes, at level %s, no role above it', (level) => {
    const reach = REACH_OF_LEVEL[level];
    for (const role of ACCESS_LEVELS) {
      const entry = entryFor(scope, 't:acme');
      const existing = shareFor(entry, role);
      const refusal = reach.length === 0 ? 'not_allowed' : reach.includes(role) ? null : 'exceeds_own_access';
      expect(decideGrant(orgGranter(level), entry, existing)).toBe(refusal);
      expect(decideRevocation(orgGranter(level), entry, existing)).toBe(refusal);
    }
  });

  it('is taken back by a tenant user inside the tenant only', () => {
    for (const tenantKey of [null, 't:acme', 't:globex']) {
      const isInside = IS_FOR_TENANT_USERS[scope] && tenantKey === 't:acme';
      const entry = entryFor(scope, tenantKey);
      const refusal = isInside ? null : 'outside_tenant';
      expect(decideRevocation(tenantGranter('OWNER'), entry)).toBe(refusal);
      expect(decideRevocation(tenantGranter('OWNER'), entry, shareFor(entry, 'VIEWER'))).toBe(refusal);
    }
  });
});

describe('a revocation', () => {
  it('ignores the role of its entry', () => {
    const entry = entryFor('all_org_users', null, 'OWNER');
    expect(decideRevocation(orgGranter('CONTRIBUTOR'), entry, shareFor(entry, 'EDITOR'))).toBeNull();
  });
});

describe('a request of several entries', () => {
  const granter = tenantGranter('CONTRIBUTOR');
  const inside = entryFor('specific_tenant_user', 't:acme');
  const outside = entryFor('all_org_users', null);
  const group = entryFor('group', 't:acme');
  const shares = [shareFor(outside, 'OWNER'), shareFor(group, 'OWNER')];

  it('is allowed when every entry is', () => {
    expect(findRefusedGrant(granter, [inside, inside], shares)).toBeNull();
    expect(findRefusedRevocation(granter, [inside, inside], shares)).toBeNull();
  });

  it('names the first entry that is refused, and why', () => {
    expect(findRefusedGrant(granter, [inside, outside, group], shares)).toEqual({
      index: 1,
      reason: 'outside_tenant',
    });
    expect(findRefusedRevocation(granter, [inside, inside, group], shares)).toEqual({
      index: 2,
      reason: 'exceeds_own_access',
    });
    const tooHigh = { ...inside, role: 'OWNER' } as const;
    expect(findRefusedGrant(granter, [inside, tooHigh], shares)).toEqual({
      index: 1,
      reason: 'exceeds_own_access',
    });
  });

  it('compares an entry with the share of its own scope and target', () => {
    const owner = shareFor(group, 'OWNER');
    const others = [
      { ...owner, subject: 'another' },
      { ...owner, scope: 'all_tenant_users' as const },
    ];
    expect(findRefusedGrant(granter, [group], others)).toBeNull();
    expect(findRefusedGrant(granter, [group], [owner])).toEqual({ index: 0, reason: 'exceeds_own_access' });
  });
});
