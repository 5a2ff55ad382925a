import {
  ACCESS_LEVELS,
  SHARE_SCOPES,
  SHARES_MAX,
  type AccessLevel,
  type ShareScope,
} from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  applyGrants,
  applyRevocations,
  decideGrant,
  decideRevocation,
  findDeniedGrant,
  findDeniedRevocation,
  type AppliedGrants,
  type Granter,
  type ResolvedGrant,
  type Share,
} from './grants.js';

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

/** The roles that each level may grant, change or revoke; empty if it may not share at all. */
const REACH_OF_LEVEL: Record<AccessLevel, AccessLevel[]> = {
  VIEWER: [],
  EDITOR: [],
  CONTRIBUTOR: ['VIEWER', 'EDITOR', 'CONTRIBUTOR'],
  OWNER: ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'],
};

/**
 * Whether a tenant user may share with a target of the scope when the target belongs to the user's tenant.
 */
const IS_FOR_TENANT_USERS: Record<ShareScope, boolean> = {
  specific_tenant_user: true,
  all_tenant_users: true,
  specific_org_user: false,
  all_org_users: false,
  org_users_only: false,
  all_tenants_only: false,
  group: true,
};

it('has a row for every level and scope', () => {
  expect(Object.keys(REACH_OF_LEVEL).toSorted()).toEqual([...ACCESS_LEVELS].toSorted());
  expect(Object.keys(IS_FOR_TENANT_USERS).toSorted()).toEqual([...SHARE_SCOPES].toSorted());
});

describe.each(SHARE_SCOPES)('sharing with %s', (scope) => {
  it.each(ACCESS_LEVELS)('as an org user of level %s is allowed up to that level', (level) => {
    for (const role of ACCESS_LEVELS) {
      const reach = REACH_OF_LEVEL[level];
      const denial = reach.length === 0 ? 'not_allowed' : reach.includes(role) ? null : 'exceeds_own_access';
      for (const tenantKey of [null, 't:acme']) {
        expect(decideGrant(orgGranter(level), entryFor(scope, tenantKey, role))).toBe(denial);
      }
    }
  });

  it.each(ACCESS_LEVELS)('as a tenant user of level %s is limited to the tenant', (level) => {
    const reach = REACH_OF_LEVEL[level];
    for (const role of ACCESS_LEVELS) {
      for (const tenantKey of [null, 't:acme', 't:globex']) {
        const isInside = IS_FOR_TENANT_USERS[scope] && tenantKey === 't:acme';
        const inside = reach.includes(role) ? null : 'exceeds_own_access';
        const denial = reach.length === 0 ? 'not_allowed' : isInside ? inside : 'outside_tenant';
        expect(decideGrant(tenantGranter(level), entryFor(scope, tenantKey, role))).toBe(denial);
      }
    }
  });

  it('is denied without access', () => {
    expect(decideGrant(orgGranter(null), entryFor(scope, null))).toBe('not_allowed');
    expect(decideGrant(tenantGranter(null), entryFor(scope, 't:acme'))).toBe('not_allowed');
    expect(decideRevocation(orgGranter(null), entryFor(scope, null))).toBe('not_allowed');
  });

  it('is denied to a tenant user without a tenant', () => {
    const granter: Granter = { level: 'OWNER', type: 'tenant', tenantKey: null };
    expect(decideGrant(granter, entryFor(scope, null))).toBe('outside_tenant');
    expect(decideRevocation(granter, entryFor(scope, null))).toBe('outside_tenant');
  });

  it.each(ACCESS_LEVELS)('changes and revokes, at level %s, no role above it', (level) => {
    const reach = REACH_OF_LEVEL[level];
    for (const role of ACCESS_LEVELS) {
      const entry = entryFor(scope, 't:acme');
      const existing = shareFor(entry, role);
      const denial = reach.length === 0 ? 'not_allowed' : reach.includes(role) ? null : 'exceeds_own_access';
      expect(decideGrant(orgGranter(level), entry, existing)).toBe(denial);
      expect(decideRevocation(orgGranter(level), entry, existing)).toBe(denial);
    }
  });

  it('is revoked by a tenant user only inside the tenant', () => {
    for (const tenantKey of [null, 't:acme', 't:globex']) {
      const isInside = IS_FOR_TENANT_USERS[scope] && tenantKey === 't:acme';
      const entry = entryFor(scope, tenantKey);
      const denial = isInside ? null : 'outside_tenant';
      expect(decideRevocation(tenantGranter('OWNER'), entry)).toBe(denial);
      expect(decideRevocation(tenantGranter('OWNER'), entry, shareFor(entry, 'VIEWER'))).toBe(denial);
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

  it('is allowed if every entry is allowed', () => {
    expect(findDeniedGrant(granter, [inside, inside], shares)).toBeNull();
    expect(findDeniedRevocation(granter, [inside, inside], shares)).toBeNull();
  });

  it('returns the first denied entry with its reason', () => {
    expect(findDeniedGrant(granter, [inside, outside, group], shares)).toEqual({
      index: 1,
      reason: 'outside_tenant',
    });
    expect(findDeniedRevocation(granter, [inside, inside, group], shares)).toEqual({
      index: 2,
      reason: 'exceeds_own_access',
    });
    const tooHigh = { ...inside, role: 'OWNER' } as const;
    expect(findDeniedGrant(granter, [inside, tooHigh], shares)).toEqual({
      index: 1,
      reason: 'exceeds_own_access',
    });
  });

  it('compares an entry with the share of the same scope and target', () => {
    const owner = shareFor(group, 'OWNER');
    const others = [
      { ...owner, subject: 'another' },
      { ...owner, scope: 'all_tenant_users' as const },
    ];
    expect(findDeniedGrant(granter, [group], others)).toBeNull();
    expect(findDeniedGrant(granter, [group], [owner])).toEqual({ index: 0, reason: 'exceeds_own_access' });
  });
});

const yesterday = new Date('2026-01-14T12:00:00.000Z');
const now = new Date('2026-01-15T12:00:00.000Z');
const tomorrow = new Date('2026-01-16T12:00:00.000Z');

function grantTo(name: string, changes: Partial<ResolvedGrant> = {}): ResolvedGrant {
  const target = {
    scope: 'specific_tenant_user',
    subject: `u:${name}`,
    targetId: name,
    tenantKey: 't:acme',
  } as const;
  return { ...target, role: 'VIEWER', expiresAt: null, ...changes };
}

function shareTo(name: string, changes: Partial<Share> = {}): Share {
  return { ...grantTo(name), id: `sh_${name}`, createdAt: yesterday, createdBy: 'ou_ada', ...changes };
}

function apply(existing: readonly Share[], entries: readonly ResolvedGrant[]): AppliedGrants {
  let made = 0;
  const newId = () => `sh_new${(made += 1)}`;
  const outcome = applyGrants(existing, entries, { now, createdBy: 'ou_max', newId });
  if ('reason' in outcome) throw new Error(outcome.reason);
  return outcome;
}

describe('applyGrants', () => {
  it('adds a share for a new target', () => {
    const made = shareTo('pam', {
      id: 'sh_new1',
      role: 'EDITOR',
      expiresAt: tomorrow,
      createdAt: now,
      createdBy: 'ou_max',
    });
    const outcome = apply([shareTo('vic')], [grantTo('pam', { role: 'EDITOR', expiresAt: tomorrow })]);
    expect(outcome).toEqual({
      shares: [shareTo('vic'), made],
      granted: [made],
      changes: [{ share: made, previous: null }],
    });
  });

  it('changes the role and the expiry of an existing share and keeps its other fields', () => {
    const before = shareTo('pam', { role: 'OWNER', expiresAt: tomorrow });
    const after = { ...before, role: 'EDITOR', expiresAt: null };
    const outcome = apply([before, shareTo('vic')], [grantTo('pam', { role: 'EDITOR' })]);
    expect(outcome).toEqual({
      shares: [after, shareTo('vic')],
      granted: [after],
      changes: [{ share: after, previous: before }],
    });
  });

  it('reports a new expiry as a change', () => {
    const before = shareTo('pam');
    expect(apply([before], [grantTo('pam', { expiresAt: tomorrow })]).changes).toEqual([
      { share: { ...before, expiresAt: tomorrow }, previous: before },
    ]);
  });

  it('changes nothing if the shares already exist', () => {
    const existing = [shareTo('pam', { expiresAt: tomorrow })];
    const outcome = apply(existing, [grantTo('pam', { expiresAt: new Date(tomorrow) })]);
    expect(outcome).toEqual({ shares: existing, granted: existing, changes: [] });
  });

  it('returns every entry in order and applies the later of two', () => {
    const entries = [grantTo('pam', { role: 'OWNER' }), grantTo('vic'), grantTo('pam', { role: 'EDITOR' })];
    const { shares, granted, changes } = apply([], entries);
    expect(granted.map(({ id, role }) => [id, role])).toEqual([
      ['sh_new1', 'EDITOR'],
      ['sh_new2', 'VIEWER'],
      ['sh_new1', 'EDITOR'],
    ]);
    expect(shares).toEqual([granted[0], granted[1]]);
    expect(changes).toEqual([
      { share: granted[0], previous: null },
      { share: granted[1], previous: null },
    ]);
  });

  it('reports no change if the last entry restores the previous share', () => {
    const outcome = apply([shareTo('pam')], [grantTo('pam', { role: 'OWNER' }), grantTo('pam')]);
    expect(outcome.changes).toEqual([]);
  });

  it('distinguishes scopes with the same target, and targets with the same scope', () => {
    const wide = { targetId: null, tenantKey: null };
    const { shares } = apply(
      [],
      [
        grantTo('x', { ...wide, scope: 'all_org_users', subject: 'audience:all_org_users' }),
        grantTo('x', { ...wide, scope: 'org_users_only', subject: 'audience:org_users_only' }),
        grantTo('pam'),
        grantTo('pam', { scope: 'specific_org_user' }),
        grantTo('vic'),
      ],
    );
    expect(shares).toHaveLength(5);
  });

  it('does not change its input', () => {
    const existing = Object.freeze([Object.freeze(shareTo('pam'))]);
    apply(existing, [Object.freeze(grantTo('pam', { role: 'OWNER' })), Object.freeze(grantTo('vic'))]);
    expect(existing).toEqual([shareTo('pam')]);
  });

  it('leaves one share of a target that is stored twice, with the new role', () => {
    const twice = [shareTo('pam', { role: 'OWNER' }), shareTo('vic'), shareTo('pam', { role: 'EDITOR' })];
    const { shares } = apply(twice, [grantTo('pam', { role: 'VIEWER' })]);
    expect(shares.map(({ subject, role }) => [subject, role])).toEqual([
      [twice[0]?.subject, 'VIEWER'],
      [twice[1]?.subject, twice[1]?.role],
    ]);
  });

  describe('at the largest number of shares', () => {
    const full = Array.from({ length: SHARES_MAX }, (_, index) => shareTo(`user${index}`));
    const context = { now, createdBy: 'ou_max', newId: () => 'sh_new' };

    it('rejects one more share and applies nothing', () => {
      const entries = [grantTo('user1', { role: 'EDITOR' }), grantTo('pam')];
      expect(applyGrants(full, entries, context)).toEqual({ reason: 'too_many' });
    });

    it('accepts the last share that has room', () => {
      expect(apply(full.slice(1), [grantTo('pam')]).shares).toHaveLength(SHARES_MAX);
    });

    it('still changes existing shares', () => {
      const { shares, changes } = apply(full, [grantTo('user1', { role: 'EDITOR' })]);
      expect(shares).toHaveLength(SHARES_MAX);
      expect(changes).toHaveLength(1);
    });
  });
});

describe('applyRevocations', () => {
  const existing = [shareTo('pam', { role: 'OWNER' }), shareTo('vic'), shareTo('gus')];

  it('removes the shares that match by scope and target, and keeps the rest in order', () => {
    expect(applyRevocations(existing, [grantTo('vic', { role: 'EDITOR' }), grantTo('pam')])).toEqual({
      shares: [existing[2]],
      removed: [existing[0], existing[1]],
    });
  });

  it('ignores entries without a match', () => {
    const otherScope = grantTo('pam', { scope: 'specific_org_user' });
    expect(applyRevocations(existing, [otherScope, grantTo('absent')])).toEqual({
      shares: existing,
      removed: [],
    });
  });

  it('removes every share of a target, also if it is stored twice', () => {
    const twice = [shareTo('vic', { role: 'OWNER' }), ...existing];
    expect(applyRevocations(twice, [grantTo('vic')]).shares).toEqual([existing[0], existing[2]]);
  });

  it('removes a share once if it is named twice', () => {
    expect(applyRevocations(existing, [grantTo('gus'), grantTo('gus')]).removed).toEqual([existing[2]]);
  });
});
