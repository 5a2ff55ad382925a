import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claimsOf, signToken } from '../testing/accessTokens.js';
import { ADMIN, startTestGateway, type TestGateway } from '../testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';

const LONGER_THAN_INTERNAL_TOKENS_MS = 120_000;

function useLaterDate(byMs: number): AsyncDisposable {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs });
  return {
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
    },
  };
}

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(async () => gateway[Symbol.asyncDispose]());

const post = (key: string, json: unknown, headers: Record<string, string> = {}) =>
  gateway.send(DASHBOARDS, { method: 'POST', json, headers: { 'Idempotency-Key': key, ...headers } });

describe('a POST with an idempotency key', () => {
  it('replays the first response when repeated, and does nothing', async () => {
    const first = await post('k', { title: 'Sales', tags: ['a'] });
    const again = await post('k', { tags: ['a'], title: 'Sales' });
    expect(again.status).toBe(201);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'));
    expect(again.headers.get('Content-Type')).toBe('application/json');
    expect(first.headers.has('Idempotency-Replayed')).toBe(false);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(gateway.services.counts.create).toBe(1);
  });

  it('returns 422 for another body', async () => {
    await post('k', { title: 'Sales' });
    const other = await post('k', { title: 'Other' });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(gateway.services.counts.create).toBe(1);
  });

  it('runs once for two concurrent requests, and both get its response', async () => {
    let release: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (release = go));
    const both = Promise.all([post('k', { title: 'Sales' }), post('k', { title: 'Sales' })]);
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    release();
    const [first, second] = await both;
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await second.text()).toBe(await first.text());
    expect(gateway.services.counts.create).toBe(1);
  });

  it('gets the response although the first one outlasts an internal token', async () => {
    let release: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (release = go));
    const both = Promise.all([post('k', { title: 'Sales' }), post('k', { title: 'Sales' })]);
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    await using _clock = useLaterDate(LONGER_THAN_INTERNAL_TOKENS_MS);
    await new Promise((resolve) => setTimeout(resolve, 60));
    release();
    expect((await both).map(({ status }) => status)).toEqual([201, 201]);
  });

  it.each([
    { rights: 'access', principal: null, status: 401 },
    { rights: 'role', principal: { ...ADMIN, role: 'VIEWER' as const }, status: 409 },
  ])('got a response although the caller had lost its $rights while it waited', async (lost) => {
    let release: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (release = go));
    const first = post('k', { title: 'Sales' });
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    const second = post('k', { title: 'Sales' });
    await expect.poll(() => gateway.countInFlight()).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 60));
    gateway.services.principals.set('u:admin', lost.principal);
    await gateway.publish('management.org_user.updated.v1');
    release();
    expect([(await first).status, (await second).status]).toEqual([201, lost.status]);
    expect(gateway.services.counts.create).toBe(1);
  });

  it('returns 409 with Retry-After if the first one takes too long', async () => {
    await gateway[Symbol.asyncDispose]();
    gateway = await startTestGateway({ REQUEST_TIMEOUT_MS: '200' });
    let release: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (release = go));
    const first = post('k', { title: 'Sales' });
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    const second = await post('k', { title: 'Sales' });
    expect(second.status).toBe(409);
    expect(second.headers.get('Retry-After')).toBe('1');
    release();
    expect((await first).status).toBe(201);
  });

  it('replays a rejection', async () => {
    const first = await post('k', { title: 'rejected' }, { Accept: 'application/problem+json' });
    const again = await post('k', { title: 'rejected' });
    expect([first.status, again.status]).toEqual([403, 403]);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get('Content-Type')).toBe('application/problem+json');
    expect(gateway.services.counts.create).toBe(1);
  });

  it('replays a rejection by its schema', async () => {
    const bodies = [await post('k', { title: 7 }), await post('k', { title: 7 })];
    expect(bodies.map(({ status }) => status)).toEqual([400, 400]);
    expect(bodies[1]?.headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('can be retried after a failure', async () => {
    expect((await post('k', { title: 'fails' })).status).toBe(500);
    expect((await post('k', { title: 'fails' })).status).toBe(500);
    expect(gateway.services.counts.create).toBe(2);
    expect((await post('k', { title: 'Sales' })).status).toBe(201);
  });

  it('is distinct for each caller, project and path', async () => {
    gateway.services.principals.set('u:other', { ...ADMIN, userKey: 'u:other' });
    gateway.services.principals.set('u:project', { ...ADMIN, projectId: 'p_2' });
    const callers = ['u:admin', 'u:other', 'u:project'].map((sub) =>
      signToken(gateway.key, claimsOf({ sub })),
    );
    for (const token of callers) {
      const response = await post('k', { title: 'Sales' }, { Authorization: `Bearer ${token}` });
      expect(response.headers.has('Idempotency-Replayed')).toBe(false);
    }
    expect(gateway.services.counts.create).toBe(3);
    const headers = { 'Idempotency-Key': 'k' };
    const shared = await gateway.send(`${DASHBOARDS}/d_1/share`, {
      method: 'POST',
      json: { shares: [] },
      headers,
    });
    expect(shared.status).toBe(400);
  });

  it('counts for the organization of its caller', async () => {
    await post('k', { title: 'Sales' });
    const holders = [...gateway.services.claims.values()].map(({ holder }) => holder);
    expect(holders).toEqual([ADMIN.organizationId]);
  });

  it('is the same for the same caller with another token', async () => {
    await post('k', { title: 'Sales' });
    const renewed = { Authorization: `Bearer ${gateway.token({ jti: 'renewed' })}` };
    expect((await post('k', { title: 'Sales' }, renewed)).headers.get('Idempotency-Replayed')).toBe('true');
  });

  it.each([
    [401, '{"projectId":"p_1","projectSecret":"x"}'],
    [400, '{"projectId":"p_1","projectSecret":"x","tokenExpiry":1}'],
  ])(
    'for a token request rejected with %i is not stored, for its caller is unknown',
    async (status, body) => {
      const send = () =>
        fetch(`${gateway.url}/api/v1/token`, {
          method: 'POST',
          body,
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
        });
      expect((await send()).status).toBe(status);
      expect((await send()).headers.has('Idempotency-Replayed')).toBe(false);
      expect(gateway.services.claims.size).toBe(0);
    },
  );

  it('returns 503 while keys cannot be stored, and does nothing', async () => {
    await gateway.send(DASHBOARDS);
    gateway.services.isDirectoryDown = true;
    expect((await post('k', { title: 'Sales' })).status).toBe(503);
    expect(gateway.services.counts.create).toBe(0);
  });

  it('gets its response although it could not be stored', async () => {
    gateway.services.beforeCreate = async () => {
      gateway.services.isDirectoryDown = true;
    };
    expect((await post('k', { title: 'Sales' })).status).toBe(201);
  });
});

describe('an idempotency key', () => {
  it.each(['a', '!~', 'x'.repeat(255)])('may be %s', async (key) => {
    expect((await post(key, { title: 'Sales' })).status).toBe(201);
  });

  it.each(['', 'x'.repeat(256), 'a b', 'schlüssel'])('may not be %j', async (key) => {
    const response = await post(key, { title: 'Sales' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ fieldErrors: [{ field: 'Idempotency-Key' }] });
    expect(gateway.services.counts.create).toBe(0);
  });

  it('is ignored for other methods', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    expect((await gateway.send(DASHBOARDS, { headers })).headers.has('Idempotency-Replayed')).toBe(false);
    expect(gateway.services.claims.size).toBe(0);
  });
});
