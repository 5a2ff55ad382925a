import { beforeAll, expect, it } from 'vitest';
import type { Project } from '../api.js';
import { HELD_PLACE_SETTINGS, holdPlaces } from '../heldPlaces.js';
import { sendRaw } from '../rawRequest.js';
import { bearer, MANAGEMENT, type PlatformWorld } from './platformWorld.js';

/** Requests that a project may send in a minute. */
const REQUESTS = 12;

/** What browsers on other origins may do, and how many requests are taken. Restarts the platform. */
export function describeCorsAndLimits(find: () => PlatformWorld): void {
  const ask = (method: string, path: string, options?: Parameters<typeof sendRaw>[2]) =>
    sendRaw(find().observed.baseUrl, [method, path], options);
  const origin = 'https://app.example.com';
  let other: Project;

  beforeAll(async () => {
    const { observed } = find();
    other = await observed.api.createProject();
    await observed.restart({
      CORS_ORIGINS: `${origin}, https://other.example.com`,
      RATE_LIMIT: String(REQUESTS),
      RATE_LIMIT_TOKEN: '6',
    });
  });

  const preflight = (from: string, method = 'PATCH', path = `${MANAGEMENT}/dashboards/x`) =>
    ask('OPTIONS', path, { headers: { origin: from, 'access-control-request-method': method } });

  it('an allowed origin may read responses, including errors', async () => {
    for (const path of ['/nothing', `${MANAGEMENT}/dashboards`]) {
      const { headers } = await ask('GET', path, { headers: { origin } });
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
      expect(headers['access-control-expose-headers']).toContain('ETag');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('an allowed origin may send a preflight', async () => {
    const { status, headers, body } = await preflight(origin);
    expect([status, body, headers['access-control-allow-origin']]).toEqual([204, '', origin]);
    expect(headers['access-control-allow-methods']?.split(', ')).toEqual(
      expect.arrayContaining(['GET', 'PATCH', 'DELETE']),
    );
    for (const name of ['Authorization', 'Content-Type', 'If-Match', 'Idempotency-Key'])
      expect(headers['access-control-allow-headers']).toContain(name);
  });

  it.each([
    'https://evil.example.com',
    'null',
    'https://app.example.com.evil.example.com',
    'http://app.example.com',
  ])('%s may not', async (from) => {
    const { status, headers } = await preflight(from);
    expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
      405,
      undefined,
      'Origin',
    ]);
    const answer = await ask('GET', '/nothing', { headers: { origin: from } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('above the limit of token requests, one project gets Retry-After, and others are served', async () => {
    const { api, adminId } = find().observed;
    // One of six was used to start.
    const request = { ...other, orgUserId: adminId };
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      statuses.push((await api.requestToken({ ...api.project })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await api.requestToken({ ...api.project });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused.headers.get('ratelimit-policy')).toContain('"token";q=6;w=60');
    expect((await api.requestToken(request)).status).toBe(200);
  });

  it('above the limit of other requests, every caller of the project gets 429', async () => {
    const { observed, author } = find();
    const { admin } = observed.api;
    const left: (string | null)[] = [];
    for (let count = 0; count < REQUESTS; count += 1) {
      const answer = await admin.get('/projects');
      expect(answer.status).toBe(200);
      left.push(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1] ?? null);
    }
    expect(left).toEqual(Array.from({ length: REQUESTS }, (_, count) => String(REQUESTS - 1 - count)));
    const refused = await admin.get('/projects');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([
      429,
      `"project";q=${REQUESTS};w=60`,
    ]);
    expect(
      (await sendRaw(observed.baseUrl, ['GET', `${MANAGEMENT}/projects`], { headers: bearer(author) }))
        .status,
    ).toBe(429);
    const elsewhere = await observed.api.openSession({ orgUserId: observed.adminId }, other);
    expect((await elsewhere.get('/projects')).status).toBe(200);
  });

  it('sheds load above its number of concurrent requests, reports that, and recovers', async () => {
    const { observed } = find();
    await observed.restart({ MAX_IN_FLIGHT: '2', ...HELD_PLACE_SETTINGS });
    await using held = await holdPlaces(observed.api.admin, 2);
    const shed = await ask('GET', '/.well-known/jwks.json');
    expect([shed.status, shed.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(shed.body)).toMatchObject({ code: 'UNAVAILABLE' });
    expect((await ask('GET', '/healthz')).status).toBe(200);
    expect((await ask('GET', '/readyz')).status).toBe(503);
    expect((await held.release()).map(({ status }) => status)).toEqual([200, 200]);
    expect((await ask('GET', '/readyz')).status).toBe(200);
    expect((await ask('GET', '/.well-known/jwks.json')).status).toBe(200);
  });
}
