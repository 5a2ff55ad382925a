import { request as httpRequest, Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordMetrics } from '@gatehouse/service';
import { describe, expect, it } from 'vitest';
import { networkOf } from './limits.js';
import { sendRaw } from './testing/rawRequest.js';
import { startTestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';

describe('a rate limit', () => {
  it('of a project returns 429 past it, with Retry-After', async () => {
    await using gateway = await startTestGateway({ RATE_LIMIT: '3' });
    const responses = [];
    for (let index = 0; index < 4; index += 1) responses.push(await gateway.send(DASHBOARDS));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(responses[0]?.headers.get('RateLimit-Policy')).toBe('"project";q=3;w=60');
    expect(responses.map(({ headers }) => headers.get('RateLimit')?.split(';')[1])).toEqual([
      'r=2',
      'r=1',
      'r=0',
      'r=0',
    ]);
    const last = responses[3];
    expect(Number(last?.headers.get('Retry-After'))).toBeGreaterThan(50);
    expect(await last?.json()).toMatchObject({ code: 'RATE_LIMITED' });
  });

  it.each([
    ['a batch as each of its operations', '/dashboards:batch', { operations: [{}, {}, {}] }, 3],
    [
      'questions about access in hundreds',
      '/access:check',
      { checks: Array.from({ length: 201 }, () => ({})) },
      3,
    ],
    [
      'more questions than are allowed as those',
      '/access:check',
      { checks: Array.from({ length: 5000 }, () => ({})) },
      10,
    ],
    ['no list as one request', '/access:check', { checks: 'many' }, 1],
  ])('counts %s', async (_, path, json, counted) => {
    await using gateway = await startTestGateway({ RATE_LIMIT: '20' });
    const { headers } = await gateway.send(`/api/management/v1${path}`, { method: 'POST', json });
    expect(headers.get('RateLimit')?.split(';')[1]).toBe(`r=${20 - counted}`);
  });

  it('of one project does not apply to another', async () => {
    await using gateway = await startTestGateway({ RATE_LIMIT: '1' });
    const admin = gateway.services.principals.get('u:admin');
    if (admin) gateway.services.principals.set('u:other', { ...admin, projectId: 'p_2' });
    const headers = { Authorization: `Bearer ${gateway.token({ sub: 'u:other' })}` };
    expect((await gateway.send(DASHBOARDS)).status).toBe(200);
    expect((await gateway.send(DASHBOARDS)).status).toBe(429);
    expect((await gateway.send(DASHBOARDS, { headers })).status).toBe(200);
  });

  it('of 0 means no limit and adds no headers', async () => {
    await using gateway = await startTestGateway();
    expect((await gateway.send(DASHBOARDS)).headers.has('RateLimit')).toBe(false);
  });
});

describe('requests without a token', () => {
  it('for the public keys are limited too', async () => {
    await using gateway = await startTestGateway({ RATE_LIMIT: '2' });
    const send = () => fetch(`${gateway.url}/.well-known/jwks.json`);
    const responses = [await send(), await send(), await send()];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(responses[0]?.headers.get('RateLimit-Policy')).toBe('"address";q=2;w=60');
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['1::', '1:0:0:0'],
    ['', ''],
  ])('from %s count against the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('requests past MAX_IN_FLIGHT', () => {
  it('are rejected before any work, while /healthz still responds', async () => {
    await using gateway = await startTestGateway({ MAX_IN_FLIGHT: '2' });
    await gateway.send(DASHBOARDS);
    const waiting: (() => void)[] = [];
    gateway.services.beforeCreate = () => new Promise((go) => void waiting.push(go));
    const create = () => gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' } });
    const first = [create(), create()];
    await expect.poll(() => waiting.length).toBe(2);
    const rejected = await create();
    expect(rejected.status).toBe(503);
    expect(rejected.headers.get('Retry-After')).toBe('1');
    expect(gateway.services.counts.create).toBe(2);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    for (const go of waiting) go();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([201, 201]);
    gateway.services.beforeCreate = async () => {};
    expect((await create()).status).toBe(201);
  });
});

describe('a page of the gateway itself', () => {
  it('returns health and readiness without a token', async () => {
    await using gateway = await startTestGateway();
    expect(await (await fetch(`${gateway.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: 'ready' });
    expect((await fetch(`${gateway.url}/healthz`, { method: 'POST' })).headers.get('Allow')).toBe(
      'GET, HEAD',
    );
  });

  it('does not exist for metrics, which count by route and known method', async () => {
    const counted: Record<string, string>[] = [];
    recordMetrics({
      count: (metric, labels) => metric === 'httpRequests' && counted.push(labels),
      observe() {},
    });
    await using gateway = await startTestGateway();
    await gateway.send(`${DASHBOARDS}/d_none`);
    await gateway.send('/metrics', { method: 'PROPFIND' });
    expect(counted).toEqual([
      { route: `${DASHBOARDS}/{id}`, method: 'GET', status: '404' },
      { route: 'unknown', method: 'other', status: '404' },
    ]);
  });

  it('returns 503 from /readyz while the directory is unreachable', async () => {
    await using gateway = await startTestGateway();
    gateway.services.isDirectoryDown = true;
    const response = await fetch(`${gateway.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not ready' });
    gateway.services.isDirectoryDown = false;
    gateway.services.beforeKeysResponse = () => new Promise(() => {});
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });

  it('returns the OpenAPI document', async () => {
    await using gateway = await startTestGateway();
    const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { openapi: string };
    expect(document.openapi).toBe('3.1.0');
  });
});

describe('a browser on another origin', () => {
  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PATCH' };

  it('gets no CORS headers unless origins are set', async () => {
    await using gateway = await startTestGateway();
    expect((await fetch(gateway.url + DASHBOARDS, { method: 'OPTIONS', headers: preflight })).status).toBe(
      405,
    );
    const response = await gateway.send(DASHBOARDS, { headers: { Origin: 'https://app.example' } });
    expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
    expect(response.headers.has('Vary')).toBe(false);
  });

  it('may call and read the exposed headers if its origin is set', async () => {
    await using gateway = await startTestGateway({
      CORS_ORIGINS: 'https://other.example, https://app.example',
    });
    const allowed = await fetch(`${gateway.url}${DASHBOARDS}/d_1`, { method: 'OPTIONS', headers: preflight });
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
    expect(allowed.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, PATCH, DELETE');
    expect(allowed.headers.get('Access-Control-Allow-Headers')).toContain('Idempotency-Key');
    const response = await gateway.send(`${DASHBOARDS}/d_none`, {
      headers: { Origin: 'https://app.example' },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
    expect(response.headers.get('Access-Control-Expose-Headers')).toContain('ETag');
    expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false);
  });

  it.each(['*', 'https://app.example/', 'https://app.example:443', 'https://App.example', 'app.example'])(
    'never matches %s, so the gateway does not start with it',
    async (origin) => {
      const gateway = startTestGateway({ CORS_ORIGINS: `https://other.example,${origin}` });
      await expect(gateway).rejects.toThrow(/^CORS_ORIGINS must list origins .*, not /);
    },
  );

  it('of a native app or a sandboxed frame may be set', async () => {
    for (const origin of ['capacitor://localhost', 'null']) {
      await using gateway = await startTestGateway({ CORS_ORIGINS: origin });
      const response = await gateway.send(`${DASHBOARDS}/d_none`, { headers: { Origin: origin } });
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin);
    }
  });

  it.each(['https://app.example.evil', 'http://app.example', 'null'])(
    'from %s gets no CORS headers',
    async (origin) => {
      await using gateway = await startTestGateway({ CORS_ORIGINS: 'https://app.example' });
      const headers = { ...preflight, Origin: origin };
      expect((await fetch(gateway.url + DASHBOARDS, { method: 'OPTIONS', headers })).status).toBe(405);
      const response = await gateway.send(DASHBOARDS, { headers: { Origin: origin } });
      expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
      expect(response.headers.get('Vary')).toBe('Origin');
    },
  );
});

describe('a malformed request', () => {
  it.each([
    ['not HTTP', 'nonsense\r\n\r\n', 400],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['two lengths', 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na', 400],
    [
      'length and chunks',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, 431],
  ])('(%s) is rejected, and the gateway serves the next one', async (_what, text, status) => {
    await using gateway = await startTestGateway();
    expect(await sendRaw(gateway.port, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await gateway.send(DASHBOARDS)).status).toBe(200);
  });

  it('with headers that are too large gets a code of its own', async () => {
    await using gateway = await startTestGateway();
    const text = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`;
    const body = (await sendRaw(gateway.port, text)).split('\r\n\r\n')[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({
      error: 'The request headers are too large',
      code: 'HEADERS_TOO_LARGE',
    });
  });

  it('with a body below the minimum rate gets 408 in the form of its area', async () => {
    await using gateway = await startTestGateway();
    const head = [
      'POST /api/management/v1/projects/p_1/unified-security/definitions HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${gateway.token()}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    const answer = await sendRaw(gateway.port, `${head.join('\r\n')}\r\n\r\n{`);
    const [status = '', body = ''] = answer.split('\r\n\r\n');
    expect(status).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(body)).toMatchObject({ ok: false, error: { code: 'REQUEST_TIMEOUT' } });
  }, 20_000);

  it('gets an error in the common form', async () => {
    await using gateway = await startTestGateway();
    const [head = '', body = ''] = (await sendRaw(gateway.port, 'GET / HTTP/9.9\r\n\r\n')).split('\r\n\r\n');
    expect(head).toContain('X-Content-Type-Options: nosniff');
    expect(JSON.parse(body)).toMatchObject({ error: 'Bad Request', code: 'INVALID_REQUEST' });
    const withoutHost = await sendRaw(gateway.port, 'GET /healthz HTTP/1.1\r\n\r\n');
    expect(JSON.parse(withoutHost.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'Host' }],
    });
  });

  it.each(['during the token lookup', 'during the body'])(
    'whose caller disconnects %s is released',
    async (when) => {
      await using gateway = await startTestGateway();
      const isLookup = when === 'during the token lookup';
      let release: () => void = () => {};
      if (isLookup) gateway.services.beforeResolveResponse = () => new Promise((go) => (release = go));
      const socket = connect(gateway.port, '127.0.0.1');
      const head = `POST ${DASHBOARDS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token()}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`);
      await expect.poll(() => gateway.services.counts.resolve).toBe(1);
      await sleep(50);
      socket.destroy();
      await sleep(50);
      release();
      await expect.poll(() => gateway.countInFlight()).toBe(0);
      expect(gateway.services.counts.create).toBe(0);
    },
  );
});

describe('a shutdown', () => {
  it('finishes requests in flight, accepts no new ones and closes idle connections', async () => {
    const gateway = await startTestGateway({ SHUTDOWN_TIMEOUT_MS: '5000' });
    const agent = new Agent({ keepAlive: true });
    const get = () =>
      new Promise<string | undefined>((resolve, reject) => {
        httpRequest(`${gateway.url}/healthz`, { agent }, (response) => {
          response.resume().on('end', () => resolve(response.headers.connection));
        })
          .on('error', reject)
          .end();
      });
    expect(await get()).toBe('keep-alive');
    let release: () => void = () => {};
    gateway.services.beforeCreate = () => new Promise((go) => (release = go));
    const creating = gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' } });
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    let isStopped = false;
    const stopping = gateway.gateway.stop().then(() => (isStopped = true));
    await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow('fetch failed');
    expect(isStopped).toBe(false);
    release();
    const created = await creating;
    expect(created.status).toBe(201);
    await stopping;
    await expect(get()).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    await gateway.bus.close();
  });

  it('aborts requests that do not finish in time', async () => {
    const gateway = await startTestGateway({ SHUTDOWN_TIMEOUT_MS: '100' });
    gateway.services.beforeCreate = () => new Promise(() => {});
    const creating = gateway.send(DASHBOARDS, { method: 'POST', json: { title: 'Sales' } });
    const failure = creating.catch((error: unknown) => String(error));
    await expect.poll(() => gateway.services.counts.create).toBe(1);
    const startedAt = performance.now();
    await gateway.gateway.stop();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await failure).toContain('fetch failed');
    await gateway.bus.close();
  });
});
