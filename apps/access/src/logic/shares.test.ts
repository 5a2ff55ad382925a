import { SHARES_MAX } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import {
  applyGrants,
  applyRevocations,
  expiredShares,
  isExpired,
  type AppliedGrants,
  type ResolvedGrant,
  type Share,
} from './shares.js';

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
  it('adds a share for what was not shared yet', () => {
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

  it('changes role and expiry of what is shared already and keeps the rest of it', () => {
    const before = shareTo('pam', { role: 'OWNER', expiresAt: tomorrow });
    const after = { ...before, role: 'EDITOR', expiresAt: null };
    const outcome = apply([before, shareTo('vic')], [grantTo('pam', { role: 'EDITOR' })]);
    expect(outcome).toEqual({
      shares: [after, shareTo('vic')],
      granted: [after],
      changes: [{ share: after, previous: before }],
    });
  });

  it('tells of a new expiry as of a change', () => {
    const before = shareTo('pam');
    expect(apply([before], [grantTo('pam', { expiresAt: tomorrow })]).changes).toEqual([
      { share: { ...before, expiresAt: tomorrow }, previous: before },
    ]);
  });

  it('changes nothing when everything is as granted', () => {
    const existing = [shareTo('pam', { expiresAt: tomorrow })];
    const outcome = apply(existing, [grantTo('pam', { expiresAt: new Date(tomorrow) })]);
    expect(outcome).toEqual({ shares: existing, granted: existing, changes: [] });
  });

  it('answers every entry in order and lets the later of two win', () => {
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

  it('tells of no change when the last entry restores what was', () => {
    const outcome = apply([shareTo('pam')], [grantTo('pam', { role: 'OWNER' }), grantTo('pam')]);
    expect(outcome.changes).toEqual([]);
  });

  it('keeps apart scopes that have the same target, and targets that have the same scope', () => {
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

  it('does not change what it was given', () => {
    const existing = Object.freeze([Object.freeze(shareTo('pam'))]);
    apply(existing, [Object.freeze(grantTo('pam', { role: 'OWNER' })), Object.freeze(grantTo('vic'))]);
    expect(existing).toEqual([shareTo('pam')]);
  });

  describe('at the largest number of shares', () => {
    const full = Array.from({ length: SHARES_MAX }, (_, index) => shareTo(`user${index}`));
    const context = { now, createdBy: 'ou_max', newId: () => 'sh_new' };

    it('refuses one more, with nothing applied', () => {
      const entries = [grantTo('user1', { role: 'EDITOR' }), grantTo('pam')];
      expect(applyGrants(full, entries, context)).toEqual({ reason: 'too_many' });
    });

    it('takes the last one that has room', () => {
      expect(apply(full.slice(1), [grantTo('pam')]).shares).toHaveLength(SHARES_MAX);
    });

    it('goes on changing those that are there', () => {
      const { shares, changes } = apply(full, [grantTo('user1', { role: 'EDITOR' })]);
      expect(shares).toHaveLength(SHARES_MAX);
      expect(changes).toHaveLength(1);
    });
  });
});

describe('applyRevocations', () => {
  const existing = [shareTo('pam', { role: 'OWNER' }), shareTo('vic'), shareTo('gus')];

  it('removes what matches by scope and target, whatever its role, and keeps the rest in order', () => {
    expect(applyRevocations(existing, [grantTo('vic', { role: 'EDITOR' }), grantTo('pam')])).toEqual({
      shares: [existing[2]],
      removed: [existing[0], existing[1]],
    });
  });

  it('passes over what matches nothing', () => {
    const otherScope = grantTo('pam', { scope: 'specific_org_user' });
    expect(applyRevocations(existing, [otherScope, grantTo('nobody')])).toEqual({
      shares: existing,
      removed: [],
    });
  });

  it('removes once what is named twice', () => {
    expect(applyRevocations(existing, [grantTo('gus'), grantTo('gus')]).removed).toEqual([existing[2]]);
  });
});

describe('expiry', () => {
  it('comes with its very moment', () => {
    expect(isExpired({ expiresAt: new Date(+now + 1) }, now)).toBe(false);
    expect(isExpired({ expiresAt: now }, now)).toBe(true);
    expect(isExpired({ expiresAt: new Date(+now - 1) }, now)).toBe(true);
  });

  it('never comes for a share without one, and has come for one that is no date', () => {
    expect(isExpired({ expiresAt: null }, now)).toBe(false);
    expect(isExpired({ expiresAt: new Date(Number.NaN) }, now)).toBe(true);
  });

  it('tells the shares to sweep from those to keep', () => {
    const over = shareTo('pam', { expiresAt: yesterday });
    const lasting = [shareTo('vic'), shareTo('gus', { expiresAt: tomorrow })];
    expect(expiredShares([over, ...lasting], now)).toEqual([over]);
  });
});
