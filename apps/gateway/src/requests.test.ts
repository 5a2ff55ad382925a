import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { BODY_LIMIT_BYTES, TEMPLATE_BODY_LIMIT_BYTES } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendRaw } from './testing/rawRequest.js';
import { startTestGateway, type TestGateway } from './testing/testGateway.js';

const BASE = '/api/management/v1';
const DASHBOARDS = `${BASE}/dashboards`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.services.lastInput = undefined;
});

async function createDashboard(title = 'Sales'): Promise<{ id: string; etag: string }> {
  const response = await gateway.send(DASHBOARDS, { method: 'POST', json: { title } });
  const { dashboard } = (await response.json()) as { dashboard: { id: string } };
  return { id: dashboard.id, etag: response.headers.get('ETag') ?? '' };
}

async function errorOf(response: Response) {
  const body = (await response.json()) as { code: string; error: string; fieldErrors?: { field: string }[] };
  return {
    status: response.status,
    code: body.code,
    fields: (body.fieldErrors ?? []).map(({ field }) => field),
  };
}

describe('a response', () => {
  it('has the status of its route and the common headers', async () => {
    const response = await gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' } });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ dashboard: { title: 'Sales', secret: 's3cret' } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
    expect(response.headers.has('x-powered-by')).toBe(false);
  });

  it.each(['abc-123_X.y', 'a'.repeat(100)])("carries the caller's request id %s", async (requestId) => {
    const response = await gateway.send(DASHBOARDS, { headers: { 'X-Request-Id': requestId } });
    expect(response.headers.get('X-Request-Id')).toBe(requestId);
  });

  it.each(['a'.repeat(101), 'a b', '<script>', 'é'])(
    'has a generated request id instead of %s',
    async (requestId) => {
      const response = await gateway.send(DASHBOARDS, { headers: { 'X-Request-Id': requestId } });
      expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('to HEAD has the headers of GET and no body', async () => {
    const { id } = await createDashboard();
    const [get, head] = await Promise.all([
      gateway.send(`${DASHBOARDS}/${id}`),
      gateway.send(`${DASHBOARDS}/${id}`, { method: 'HEAD' }),
    ]);
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('ETag')).toBe(get.headers.get('ETag'));
    expect(head.headers.get('Content-Length')).toBe(get.headers.get('Content-Length'));
  });
});

describe('a route', () => {
  it('that does not exist returns 404', async () => {
    for (const path of ['/api/v2/dashboards', `${DASHBOARDS}/`, '/favicon.ico', '/%2e%2e/etc/passwd']) {
      expect(await errorOf(await fetch(gateway.url + path))).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });

  it.each(['PUT', 'OPTIONS', 'PURGE'])(
    'returns 405 for another method (%s) and lists the allowed ones',
    async (method) => {
      const response = await gateway.send(DASHBOARDS, { method });
      expect(response.headers.get('Allow')).toBe('GET, HEAD, POST');
      expect(await errorOf(response)).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    },
  );
});

describe('a query', () => {
  it('reaches the procedure with the types of its schema', async () => {
    await gateway.send(`${DASHBOARDS}?limit=7&isPrivate=false&search=a%20b`);
    expect(gateway.services.lastInput).toMatchObject({
      input: { limit: 7, isPrivate: false, search: 'a b' },
    });
  });

  it('with unknown or repeated parameters returns their names and calls no service', async () => {
    const before = gateway.services.counts.list;
    const response = await gateway.send(`${DASHBOARDS}?limit=1&limit=2&colour=red`);
    expect(await errorOf(response)).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      fields: ['limit', 'colour'],
    });
    expect(gateway.services.counts.list).toBe(before);
  });

  it('that violates its schema returns the names of the parameters', async () => {
    const response = await gateway.send(`${DASHBOARDS}?limit=many&sort=size`);
    expect((await errorOf(response)).fields).toEqual(['limit', 'sort']);
  });

  it('is rejected by a route without parameters', async () => {
    const { id } = await createDashboard();
    expect((await errorOf(await gateway.send(`${DASHBOARDS}/${id}?x=1`))).fields).toEqual(['x']);
  });
});

describe('a body', () => {
  const post = (init: RequestInit & { json?: unknown }) =>
    gateway.send(DASHBOARDS, { method: 'POST', ...init });
  const typed = (type: string, body: string | Buffer) => post({ body, headers: { 'Content-Type': type } });

  it.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'may be %s',
    async (type) => {
      expect((await typed(type, '{"title":"x"}')).status).toBe(201);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    '',
  ])('may not be %j', async (type) => {
    expect(await errorOf(await typed(type, '{"title":"x"}'))).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
  });

  it('may not be compressed', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expect((await post({ body: gzipSync('{"title":"x"}'), headers })).status).toBe(415);
  });

  it.each([
    ['{"title":"x","title":"y"}', 'title'],
    ['{"title":"x","template":{"__proto__":{}}}', 'template.__proto__'],
    ['{"title":', 'title'],
    ['[1]', 'body'],
    ['"x"', 'body'],
    ['nonsense', 'body'],
    ['{"title":"x","colour":1}', 'colour'],
    ['{"title":"x","id":"d_1"}', 'id'],
    ['{"title":7}', 'title'],
    ['{}', 'title'],
    ['{"title":"a\\u0000b"}', 'title'],
  ])('%s returns 400 for %s and creates nothing', async (body, field) => {
    const before = gateway.services.counts.create;
    expect(await errorOf(await typed('application/json', body))).toEqual({
      status: 400,
      code: 'INVALID_REQUEST',
      fields: [field],
    });
    expect(gateway.services.counts.create).toBe(before);
  });

  it('that is not UTF-8 returns 400 with the field', async () => {
    const body = Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect((await errorOf(await typed('application/json', body))).fields).toEqual(['title']);
  });

  it('cannot set a field of the path', async () => {
    const { id } = await createDashboard();
    const response = await gateway.send(`${DASHBOARDS}/${id}`, {
      method: 'PATCH',
      json: { id: 'd_2', title: 'x' },
    });
    expect((await errorOf(response)).fields).toEqual(['id']);
    expect(gateway.services.lastInput).toBeUndefined();
  });

  it('may be missing if no field is required, and may be {} if there are no fields', async () => {
    const { id } = await createDashboard();
    expect((await gateway.send(`${DASHBOARDS}/${id}`, { method: 'PATCH' })).status).toBe(200);
    expect((await gateway.send(`${DASHBOARDS}/${id}`, { method: 'DELETE', json: {} })).status).toBe(200);
  });

  it('is rejected if it has fields and the operation has none', async () => {
    const { id } = await createDashboard();
    const response = await gateway.send(`${DASHBOARDS}/${id}`, { method: 'DELETE', json: { force: true } });
    expect(await errorOf(response)).toMatchObject({ status: 400, fields: ['force'] });
    expect(gateway.services.dashboards.has(id)).toBe(true);
  });

  it('of a DELETE with body fields is read', async () => {
    const shares = [{ scope: 'all_org_users' }];
    const response = await gateway.send(`${DASHBOARDS}/d_1/share`, { method: 'DELETE', json: { shares } });
    expect(response.status).toBe(200);
    expect(gateway.services.lastInput).toEqual({ id: 'd_1', shares });
  });

  it('of a GET is rejected', async () => {
    const text = await sendRaw(
      gateway.port,
      `GET ${DASHBOARDS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${gateway.token()}\r\n`,
      'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"limit"}',
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('arbitrary JSON', () => {
  it.each(['/api/v1/token', `${DASHBOARDS}/d_1/share`, `${BASE}/org-users/ou_1`])(
    'sent to %s never returns a 5xx status',
    async (path) => {
      const method = path.includes('org-users') ? 'PATCH' : 'POST';
      const names = fc.constantFrom(
        'shares',
        'projectId',
        'projectSecret',
        'dashboardId',
        'toString',
        'toJSON',
        'constructor',
      );
      const body = fc.oneof(fc.dictionary(fc.oneof(names, fc.string()), fc.jsonValue()), fc.jsonValue());
      await fc.assert(
        fc.asyncProperty(body, async (json) => {
          expect((await gateway.send(path, { method, json })).status).toBeLessThan(500);
        }),
        { numRuns: randomRuns(150) },
      );
    },
  );
});

describe('a body that is too large', () => {
  const bodyOf = (bytes: number) => `{"title":"x","template":{"t":"${'x'.repeat(bytes - 33)}"}}`;

  it(`returns 413 over ${TEMPLATE_BODY_LIMIT_BYTES} bytes if the route accepts templates`, async () => {
    const fits = await gateway.send(DASHBOARDS, {
      method: 'POST',
      body: bodyOf(TEMPLATE_BODY_LIMIT_BYTES),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await errorOf(fits)).toMatchObject({ status: 400, fields: ['template'] });
    const over = await gateway.send(DASHBOARDS, {
      method: 'POST',
      body: bodyOf(TEMPLATE_BODY_LIMIT_BYTES + 1),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await errorOf(over)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  it(`returns 413 over ${BODY_LIMIT_BYTES} bytes otherwise`, async () => {
    const json = { shares: 'x'.repeat(BODY_LIMIT_BYTES) };
    const response = await gateway.send(`${DASHBOARDS}/d_1/share`, { method: 'POST', json });
    expect(response.status).toBe(413);
  });

  it('and has no Content-Length returns 413 at the limit', async () => {
    const outcome = await new Promise<{ status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        const request = httpRequest(`${gateway.url}${DASHBOARDS}/d_1/share`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${gateway.token()}`, 'Content-Type': 'application/json' },
        });
        const chunk = Buffer.alloc(64 * 1024, 0x20);
        const timer = setInterval(() => request.write(chunk), 1);
        request.on('error', reject);
        request.on('response', (response) => {
          clearInterval(timer);
          resolve({ status: response.statusCode, connection: response.headers.connection });
          request.destroy();
        });
      },
    );
    expect(outcome).toEqual({ status: 413, connection: 'close' });
  });

  it('is not sent by a caller with Expect: 100-continue', async () => {
    const text = await sendRaw(
      gateway.port,
      `POST ${DASHBOARDS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token()}\r\nConnection: close\r\n`,
      'Content-Type: application/json\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).not.toContain('100 Continue');
  });

  it('does not prevent 100 Continue for a small one', async () => {
    const body = '{"title":"small"}';
    const text = await sendRaw(
      gateway.port,
      `POST ${DASHBOARDS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token()}\r\nConnection: close\r\n`,
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      body,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });
});

describe('an entity tag', () => {
  it('lets a caller request only changed content', async () => {
    const { id } = await createDashboard();
    const first = await gateway.send(`${DASHBOARDS}/${id}`);
    const etag = first.headers.get('ETag') ?? '';
    const again = await gateway.send(`${DASHBOARDS}/${id}`, {
      headers: { 'If-None-Match': `"x", W/${etag}` },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect(again.headers.get('ETag')).toBe(etag);
    const other = await gateway.send(`${DASHBOARDS}/${id}`, { headers: { 'If-None-Match': '"1-00000000"' } });
    expect(other.status).toBe(200);
  });

  it.each([
    ['the current tag', (etag: string) => etag, 200],
    ['any tag', () => '*', 200],
    ['a list with the current tag', (etag: string) => `"9-00000000", ${etag}`, 200],
    ['an old tag', () => '"7-00000000"', 412],
    ['a weak tag', (etag: string) => `W/${etag}`, 412],
    ['a foreign tag', () => '"abc"', 412],
    ['an empty value', () => '', 412],
  ])('is compared with If-Match: %s', async (_what, headerOf, status) => {
    const { id, etag } = await createDashboard();
    const headers = { 'If-Match': headerOf(etag) };
    const response = await gateway.send(`${DASHBOARDS}/${id}`, {
      method: 'PATCH',
      json: { title: 'New' },
      headers,
    });
    expect(response.status).toBe(status);
    expect(gateway.services.dashboards.get(id)?.title).toBe(status === 200 ? 'New' : 'Sales');
  });

  it('prevents the deletion of a record that has changed', async () => {
    const { id, etag } = await createDashboard();
    await gateway.send(`${DASHBOARDS}/${id}`, { method: 'PATCH', json: { title: 'New' } });
    const response = await gateway.send(`${DASHBOARDS}/${id}`, {
      method: 'DELETE',
      headers: { 'If-Match': etag },
    });
    expect(await errorOf(response)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
    expect(gateway.services.dashboards.has(id)).toBe(true);
  });
});

describe('an error', () => {
  it('has the form of its area', async () => {
    const invalid = await gateway.send(`${BASE}/tenant-users?limit=x`);
    expect(Object.keys((await invalid.json()) as object)).toEqual([
      'error',
      'details',
      'code',
      'fieldErrors',
      'requestId',
    ]);
    const wrongSecret = await fetch(`${gateway.url}/api/v1/token`, {
      method: 'POST',
      body: '{"projectId":"p_1","projectSecret":"x"}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(wrongSecret.status).toBe(401);
    expect(Object.keys((await wrongSecret.json()) as object)).toEqual(['error', 'requestId']);
  });

  it('is a problem if the caller requests one', async () => {
    const headers = { Accept: 'application/problem+json' };
    const response = await gateway.send(`${DASHBOARDS}/d_none`, { headers });
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'Not found',
      code: 'NOT_FOUND',
      requestId: response.headers.get('X-Request-Id'),
    });
  });

  it('inside a service does not reveal its text', async () => {
    const response = await gateway.send(`${BASE}/tenant-users`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/mongodb|secret-host|Error:|\bat /);
  });

  it('for a missing token has WWW-Authenticate', async () => {
    const response = await fetch(gateway.url + DASHBOARDS);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(await errorOf(response)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });
});
