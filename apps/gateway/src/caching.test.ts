import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ CORS_ORIGINS: 'https://app.example.com' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const create = (headers: Record<string, string> = {}) =>
  gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' }, headers });

describe('a response that is the same for every caller', () => {
  it.each([
    ['/openapi.json', 300],
    ['/postman.json', 300],
    ['/llms.txt', 300],
    ['/.well-known/jwks.json', 60],
  ])('may be cached, and is revalidated with its entity tag: %s', async (path, seconds) => {
    const first = await fetch(gateway.url + path);
    const entityTag = first.headers.get('etag') ?? '';
    expect(entityTag).toMatch(/^"[\w-]{22}"$/);
    const again = await fetch(gateway.url + path, { headers: { 'If-None-Match': entityTag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const { headers } of [first, again]) {
      expect(headers.get('cache-control')).toBe(`public, max-age=${seconds}`);
      expect(headers.get('vary')).toContain('accept-encoding');
      expect(headers.get('etag')).toBe(entityTag);
    }
    const other = await fetch(gateway.url + path, { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

describe('a record', () => {
  it('may be kept by its reader only, and never used without revalidation', async () => {
    const location = (await create()).headers.get('location') ?? '';
    const read = await gateway.send(location);
    const unchanged = await gateway.send(location, {
      headers: { 'If-None-Match': read.headers.get('etag') ?? '' },
    });
    expect([read.status, unchanged.status]).toEqual([200, 304]);
    for (const { headers } of [read, unchanged]) {
      expect(headers.get('cache-control')).toBe('private, no-cache');
    }
  });

  it('is not kept from the response of a write, a list or an error', async () => {
    const responses = [await create(), await gateway.send(DASHBOARDS), await gateway.send('/nowhere')];
    expect(responses.map(({ headers }) => headers.get('cache-control'))).toEqual(
      responses.map(() => 'no-store'),
    );
  });

  it('has the same entity tag when created, where the response shows a secret, as when read', async () => {
    const created = await create();
    const location = created.headers.get('location') ?? '';
    const { dashboard } = (await created.json()) as { dashboard: { id: string; secret: string } };
    expect(location).toBe(`${DASHBOARDS}/${dashboard.id}`);
    expect(dashboard.secret).toBe('s3cret');
    const read = await gateway.send(location);
    expect(created.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(read.headers.has('location')).toBe(false);
  });

  it('has its location in a response that is repeated for an idempotency key too', async () => {
    const headers = { 'Idempotency-Key': 'located' };
    const [first, second] = [await create(headers), await create(headers)];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });
});

describe('a body of application/merge-patch+json', () => {
  it('is accepted for PATCH', async () => {
    const location = (await create()).headers.get('location') ?? '';
    const init = { method: 'PATCH', headers: MERGE_PATCH, body: '{"title":"Costs"}' };
    expect((await gateway.send(location, init)).status).toBe(200);
  });

  it('is rejected for any other method', async () => {
    const init = { method: 'POST', headers: MERGE_PATCH, body: '{"title":"Costs"}' };
    expect((await gateway.send(DASHBOARDS, init)).status).toBe(415);
  });
});

it('a browser of another origin may send traceparent and read Location', async () => {
  const origin = { Origin: 'https://app.example.com' };
  const preflight = await fetch(gateway.url + DASHBOARDS, {
    method: 'OPTIONS',
    headers: { ...origin, 'Access-Control-Request-Method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('traceparent');
  const { headers } = await create(origin);
  expect(headers.get('access-control-expose-headers')).toContain('Location');
});

describe('a request without a valid token', () => {
  it.each([
    ['no token', ''],
    ['an invalid token', 'Bearer abc'],
  ])('counts against its address and reports the limit: %s', async (_, authorization) => {
    await using limited = await startTestGateway({ RATE_LIMIT: '2' });
    const send = () => limited.send(DASHBOARDS, { headers: { Authorization: authorization } });
    const responses = [await send(), await send(), await send()];
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(responses.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      expect.stringMatching(/^"address";r=1;t=\d+$/),
      expect.stringMatching(/^"address";r=0;t=\d+$/),
      expect.stringMatching(/^"address";r=0;t=\d+$/),
    ]);
    // A valid token has the limit of its project.
    expect((await limited.send(DASHBOARDS)).headers.get('ratelimit')).toMatch(/^"project";r=1/);
  });
});
