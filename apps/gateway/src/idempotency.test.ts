import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimsOf, signToken } from './testing/accessTokens.js';
import { ADMIN, startTestGateway, type TestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(async () => gateway[Symbol.asyncDispose]());

const post = (key: string, json: unknown, headers: Record<string, string> = {}) =>
  gateway.send(DASHBOARDS, { method: 'POST', json, headers: { 'Idempotency-Key': key, ...headers } });

describe('a POST with an idempotency key', () => {
  it('that is repeated answers the very same again, and does nothing', async () => {
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

  it('is 422 with another body', async () => {
    await post('k', { title: 'Sales' });
    const other = await post('k', { title: 'Other' });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(gateway.services.counts.create).toBe(1);
  });

  it('that runs twice at once runs once, and both get its answer', async () => {
    let letGo: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (letGo = go));
    const both = Promise.all([post('k', { title: 'Sales' }), post('k', { title: 'Sales' })]);
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    letGo();
    const [first, second] = await both;
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(await second.text()).toBe(await first.text());
    expect(gateway.services.counts.create).toBe(1);
  });

  it('is 409 when the first one takes too long, and says when to come back', async () => {
    await gateway[Symbol.asyncDispose]();
    gateway = await startTestGateway({ REQUEST_TIMEOUT_MS: '200' });
    let letGo: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (letGo = go));
    const first = post('k', { title: 'Sales' });
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    const second = await post('k', { title: 'Sales' });
    expect(second.status).toBe(409);
    expect(second.headers.get('Retry-After')).toBe('1');
    letGo();
    expect((await first).status).toBe(201);
  });

  it('that was refused is refused again with the same words', async () => {
    const first = await post('k', { title: 'refused' }, { Accept: 'application/problem+json' });
    const again = await post('k', { title: 'refused' });
    expect([first.status, again.status]).toEqual([403, 403]);
    expect(await again.text()).toBe(await first.text());
    expect(again.headers.get('Content-Type')).toBe('application/problem+json');
    expect(gateway.services.counts.create).toBe(1);
  });

  it('that its schema refused is refused again', async () => {
    const bodies = [await post('k', { title: 7 }), await post('k', { title: 7 })];
    expect(bodies.map(({ status }) => status)).toEqual([400, 400]);
    expect(bodies[1]?.headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('that failed may be tried again', async () => {
    expect((await post('k', { title: 'fails' })).status).toBe(500);
    expect((await post('k', { title: 'fails' })).status).toBe(500);
    expect(gateway.services.counts.create).toBe(2);
    expect((await post('k', { title: 'Sales' })).status).toBe(201);
  });

  it('is another one for another caller, project or path', async () => {
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

  it('is the same for the same caller with another token', async () => {
    await post('k', { title: 'Sales' });
    const renewed = { Authorization: `Bearer ${gateway.token({ jti: 'renewed' })}` };
    expect((await post('k', { title: 'Sales' }, renewed)).headers.get('Idempotency-Replayed')).toBe('true');
  });

  it('for a token that was refused is not kept: the secret may be right next time', async () => {
    const send = () =>
      fetch(`${gateway.url}/api/v1/token`, {
        method: 'POST',
        body: '{"projectId":"p_1","projectSecret":"x"}',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' },
      });
    expect((await send()).status).toBe(401);
    expect((await send()).headers.has('Idempotency-Replayed')).toBe(false);
    expect(gateway.services.claims.size).toBe(0);
  });

  it('is answered by 503 while the keys cannot be kept, and does nothing', async () => {
    await gateway.send(DASHBOARDS);
    gateway.services.isDirectoryDown = true;
    expect((await post('k', { title: 'Sales' })).status).toBe(503);
    expect(gateway.services.counts.create).toBe(0);
  });

  it('is answered although its answer could not be kept', async () => {
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

  it('says nothing to other methods', async () => {
    const headers = { 'Idempotency-Key': 'k' };
    expect((await gateway.send(DASHBOARDS, { headers })).headers.has('Idempotency-Replayed')).toBe(false);
    expect(gateway.services.claims.size).toBe(0);
  });
});
