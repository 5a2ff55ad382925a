import { AppError, TokenClaims, type Principal } from '@gatehouse/contract';
import { recordMetrics } from '@gatehouse/service';
import { describe, expect, it, vi } from 'vitest';
import { Principals } from './authentication.js';
import { claimsOf } from '../testing/accessTokens.js';
import { ADMIN } from '../testing/testGateway.js';

const LIFETIME_MS = 60_000;

/** Creates the cache with a directory whose responses can be held back. */
function start({ claims = claimsOf(), lifetimeMs = LIFETIME_MS } = {}) {
  const verified = { ...TokenClaims.parse(claims) };
  let current: Principal | null = ADMIN;
  let held: (() => void)[] = [];
  let isHolding = false;
  const counts = { verify: 0, resolve: 0, hit: 0, miss: 0 };
  recordMetrics({
    count(_metric, { cache, outcome }) {
      if (cache === 'principals') counts[outcome === 'hit' ? 'hit' : 'miss'] += 1;
    },
    observe() {},
  });
  const principals = new Principals({
    async verify(token) {
      counts.verify += 1;
      if (token === 'invalid') throw new AppError('UNAUTHENTICATED');
      return { ...verified, organizationId: token === 'elsewhere' ? 'o_2' : verified.organizationId };
    },
    async resolve() {
      counts.resolve += 1;
      const response = current;
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return response;
    },
    lifetimeMs,
  });
  return {
    principals,
    counts,
    become: (principal: Principal | null) => void (current = principal),
    hold: () => void (isHolding = true),
    release() {
      isHolding = false;
      for (const go of held) go();
      held = [];
    },
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const VIEWER: Principal = { ...ADMIN, role: 'VIEWER' };
const unauthenticated = expect.objectContaining({ code: 'UNAUTHENTICATED' }) as AppError;

describe('the bearer of a token', () => {
  it('is resolved once and cached', async () => {
    const { principals, counts } = start();
    for (let index = 0; index < 5; index += 1) expect(await principals.find('t')).toBe(ADMIN);
    expect(counts).toEqual({ verify: 1, resolve: 1, hit: 4, miss: 1 });
  });

  it('is resolved once for concurrent requests', async () => {
    const { principals, counts, hold, release } = start();
    await principals.find('t');
    principals.forgetAll();
    hold();
    const found = Promise.all([principals.find('t'), principals.find('t'), principals.find('t')]);
    await tick();
    release();
    expect(await found).toEqual([ADMIN, ADMIN, ADMIN]);
    expect(counts.resolve).toBe(2);
  });

  it('is cached for its lifetime, counted from the lookup', async () => {
    const { principals, counts, become, hold, release } = start();
    hold();
    const first = principals.find('t');
    await expect.poll(() => counts.resolve).toBe(1);
    const respondedAt = Date.now() + LIFETIME_MS;
    vi.spyOn(Date, 'now').mockReturnValue(respondedAt);
    try {
      release();
      await first;
      become(VIEWER);
      expect(await principals.find('t')).toBe(VIEWER);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('is looked up again by a request that arrives while a lookup is older than the lifetime', async () => {
    const { principals, counts, become, hold, release } = start();
    hold();
    const early = principals.find('t');
    await expect.poll(() => counts.resolve).toBe(1);
    become(VIEWER);
    const arrivedAt = Date.now() + LIFETIME_MS;
    vi.spyOn(Date, 'now').mockReturnValue(arrivedAt);
    try {
      const late = principals.find('t');
      await tick();
      release();
      expect([await early, await late]).toEqual([ADMIN, VIEWER]);
      expect([await principals.find('t'), counts.resolve]).toEqual([VIEWER, 2]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it.each([
    ['is set back', -3_600_000, 70],
    ['has moved on, as after a suspension', 3_600_000, 0],
  ])('is not cached for longer if the clock of the system %s', async (_, movedMs, waitMs) => {
    const exp = Math.floor(Date.now() / 1000) + 7200;
    const { principals, become } = start({ claims: claimsOf({ exp }), lifetimeMs: 50 });
    await principals.find('t');
    become(VIEWER);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const movedTo = Date.now() + movedMs;
    vi.spyOn(Date, 'now').mockReturnValue(movedTo);
    try {
      expect(await principals.find('t')).toBe(VIEWER);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('that does not exist is rejected, and the rejection is cached', async () => {
    const { principals, counts, become } = start();
    become(null);
    await expect(principals.find('t')).rejects.toEqual(unauthenticated);
    await expect(principals.find('t')).rejects.toEqual(unauthenticated);
    expect(counts.resolve).toBe(1);
    become(ADMIN);
    principals.forget('o_1');
    expect(await principals.find('t')).toBe(ADMIN);
  });

  it('of an invalid token is never resolved', async () => {
    const { principals, counts } = start();
    await expect(principals.find('invalid')).rejects.toEqual(unauthenticated);
    expect(counts.resolve).toBe(0);
  });

  it('is rejected from the second in which the token expires, although it is cached', async () => {
    const exp = Math.floor(Date.now() / 1000) + 2;
    const { principals } = start({ claims: claimsOf({ exp }) });
    expect(await principals.find('t')).toBe(ADMIN);
    await new Promise((resolve) => setTimeout(resolve, exp * 1000 - Date.now() + 5));
    await expect(principals.find('t')).rejects.toEqual(unauthenticated);
  });

  it('whose lookup failed is looked up again by the next request', async () => {
    let isDown = true;
    const principals = new Principals({
      verify: async () => TokenClaims.parse(claimsOf()),
      async resolve() {
        if (isDown) throw new AppError('UNAVAILABLE');
        return ADMIN;
      },
      lifetimeMs: LIFETIME_MS,
    });
    await expect(principals.find('t')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isDown = false;
    expect(await principals.find('t')).toBe(ADMIN);
  });
});

describe('the cache', () => {
  it.each([
    ['keeps the tokens of users in a few groups', 10, 0],
    ['counts the groups of users, so that those in thousands of groups do not fill the memory', 10_000, 1],
  ])('%s', async (_, groups, verifiedAgain) => {
    const { principals, counts, become } = start();
    become({ ...ADMIN, groupIds: Array.from({ length: groups }, (_each, index) => `grp_${index}`) });
    for (let index = 0; index < 100; index += 1) await principals.find(`t${index}`);
    await principals.find('t99');
    expect(counts.verify).toBe(100);
    await principals.find('t0');
    expect(counts.verify).toBe(100 + verifiedAgain);
  });

  it('keeps out a token that was evicted while its principal was looked up', async () => {
    const { principals, counts, hold, release } = start();
    hold();
    const pending = principals.find('t');
    await tick();
    principals.forgetTokens();
    release();
    await pending;
    await principals.find('t');
    expect(counts.verify).toBe(2);
  });
});

describe('invalidation', () => {
  it('of one organization keeps the others', async () => {
    const { principals, counts } = start();
    await principals.find('t');
    await principals.find('elsewhere');
    principals.forget('o_1');
    await principals.find('elsewhere');
    expect(counts.resolve).toBe(2);
    await principals.find('t');
    expect(counts.resolve).toBe(3);
  });

  it('of all covers every organization', async () => {
    const { principals, counts } = start();
    await principals.find('t');
    await principals.find('elsewhere');
    principals.forgetAll();
    await principals.find('t');
    await principals.find('elsewhere');
    expect(counts.resolve).toBe(4);
  });

  it('of an unknown organization does nothing', () => {
    const { principals } = start();
    expect(() => principals.forget('o_unknown')).not.toThrow();
  });

  it('during a lookup keeps its result from being cached or returned to later requests', async () => {
    const { principals, become, hold, release } = start();
    await principals.find('t');
    principals.forget('o_1');
    hold();
    const before = principals.find('t');
    await tick();
    become(VIEWER);
    principals.forget('o_1');
    const after = principals.find('t');
    await tick();
    release();
    expect(await before).toBe(ADMIN);
    expect(await after).toBe(VIEWER);
    expect(await principals.find('t')).toBe(VIEWER);
  });
});
