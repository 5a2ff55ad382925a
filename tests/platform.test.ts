import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ManagementErrorBody, ProblemBody, routes } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from './src/api.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import type { StoredBytes } from '@gatehouse/testing';
import { addOrgUser } from './src/people.js';
import { describeBodies } from './src/platformCases/bodies.js';
import { describeCorsAndLimits } from './src/platformCases/limits.js';
import { bearer, corsHeadersOf, JSON_TYPE, MANAGEMENT } from './src/platformCases/platformWorld.js';
import { sendRaw, type RawAnswer } from './src/rawRequest.js';
import { bothForms } from './src/servers.js';

/** The headers of every response for browsers and caches (OWASP's REST security cheat sheet). */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Headers that would reveal the implementation of the server. */
const TELLING = ['server', 'x-powered-by', 'via'];

describe.each(bothForms)('the platform ($form)', ({ start }) => {
  let observed: ObservedServer;
  let author: Session;
  let settled: StoredBytes;

  beforeAll(async () => {
    observed = await startObserved(start);
    author = (await addOrgUser(observed.api, 'AUTHOR')).session;
    settled = await observed.readSettled();
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  const ask = (method: string, path: string, options?: Parameters<typeof sendRaw>[2]) =>
    sendRaw(observed.baseUrl, [method, path], options);

  describe('serves without a token', () => {
    it.each([
      ['/healthz', { status: 'ok' }],
      ['/readyz', { status: 'ready' }],
    ])('%s', async (path, body) => {
      const answer = await ask('GET', path);
      expect([answer.status, JSON.parse(answer.body)]).toEqual([200, body]);
    });

    it('the OpenAPI document that is committed', async () => {
      const { status, body, headers } = await ask('GET', '/openapi.json');
      const committed = await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8');
      expect([status, headers['content-type']]).toEqual([200, JSON_TYPE]);
      expect(JSON.parse(body)).toEqual(JSON.parse(committed));
    });

    it('the Postman collection and llms.txt that are committed', async () => {
      const read = (name: string) => readFile(new URL(`../docs/${name}`, import.meta.url), 'utf8');
      const collection = await ask('GET', '/postman.json');
      expect([collection.status, collection.headers['content-type']]).toEqual([200, JSON_TYPE]);
      expect(JSON.parse(collection.body)).toEqual(JSON.parse(await read('postman.json')));
      const { status, body } = await ask('GET', '/llms.txt');
      expect([status, body]).toEqual([200, await read('llms.txt')]);
    });

    it.each(['/docs', '/console'])('the page %s, which loads nothing from other origins', async (path) => {
      const { status, body, headers } = await ask('GET', path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const links = [...body.matchAll(/(?:href|src|action)\s*=\s*["']?([^"'\s>]+)/gi)].map(
        ([, link]) => link,
      );
      expect(links.filter((link) => !/^(#|data:|\/(?!\/))/.test(link ?? ''))).toEqual([]);
      for (const link of links.filter((known) => known?.startsWith(`${path}/`))) {
        expect((await ask('GET', link ?? '')).status).toBe(200);
      }
      expect(headers).toMatchObject({ ...SECURITY_HEADERS, 'cache-control': 'no-cache' });
    });

    it('the public keys, one of which verifies a token, and no private one', async () => {
      const { status, body } = await ask('GET', '/.well-known/jwks.json');
      const { keys } = JSON.parse(body) as { keys: (JsonWebKey & { kid: string })[] };
      expect([status, keys.filter((key) => 'd' in key)]).toEqual([200, []]);
      const [head = '', claims = '', signature = ''] = author.token.split('.');
      const { kid, alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, string>;
      const key = keys.find((known) => known.kid === kid);
      expect([alg, key?.['alg'], key?.crv]).toEqual(['EdDSA', 'EdDSA', 'Ed25519']);
      const publicKey = createPublicKey({ key: key ?? {}, format: 'jwk' });
      const signed = Buffer.from(`${head}.${claims}`);
      expect(verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    });
  });

  describe('returns for paths that it does not serve', () => {
    it.each([
      '//',
      '/api',
      '/api/v1/tokens',
      `${MANAGEMENT}/nothing`,
      `${MANAGEMENT}/dashboards/`,
      `${MANAGEMENT}//dashboards`,
      `${MANAGEMENT}/Dashboards`,
      `${MANAGEMENT}/dashboards/d_1/nothing`,
      '/api/management/v2/dashboards',
      '/healthz/',
      '/%2e%2e/etc/passwd',
    ])('that there is no %s, in the form of management', async (path) => {
      const { status, body, headers } = await ask('GET', path, { headers: bearer(author) });
      const error = ManagementErrorBody.strict().parse(JSON.parse(body));
      expect([status, error.code, headers['content-type']]).toEqual([404, 'NOT_FOUND', JSON_TYPE]);
      expect(error.requestId).toBe(headers['x-request-id']);
    });

    const methodsOf = new Map<string, Set<string>>();
    for (const { path, method } of routes) {
      const methods = methodsOf.get(path) ?? new Set<string>();
      methodsOf.set(path, methods.add(method));
      if (method === 'GET') methods.add('HEAD');
    }
    it.each([...methodsOf])('which methods %s has', async (path, methods) => {
      const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (method) => !methods.has(method),
      );
      for (const method of others) {
        const answer = await ask(method, path.replaceAll(/\{\w+\}/g, 'x'), { headers: bearer(author) });
        expect([method, answer.status, JSON.parse(answer.body)]).toMatchObject([
          method,
          405,
          { code: 'METHOD_NOT_ALLOWED', requestId: answer.headers['x-request-id'] },
        ]);
        expect(new Set(String(answer.headers.allow).split(', '))).toEqual(methods);
      }
    });

    it('only that, and writes nothing', async () => {
      expect(await observed.findChanges(settled)).toEqual([]);
    });
  });

  describe('sends', () => {
    const answers: [string, () => Promise<RawAnswer>, object?][] = [
      ['a success', () => ask('GET', `${MANAGEMENT}/dashboards`, { headers: bearer(author) })],
      ['a refusal', () => ask('GET', `${MANAGEMENT}/dashboards`)],
      ['an unknown route', () => ask('GET', '/nothing')],
      ['a wrong method', () => ask('PUT', `${MANAGEMENT}/dashboards`)],
      [
        'the public keys',
        () => ask('GET', '/.well-known/jwks.json'),
        { 'cache-control': 'public, max-age=60' },
      ],
      ['its health', () => ask('GET', '/healthz')],
    ];
    it.each(answers)('%s with the headers that protect it', async (_, send, own = {}) => {
      const { headers } = await send();
      const expected = { ...SECURITY_HEADERS, 'content-security-policy': DATA_POLICY, ...own };
      expect(headers).toMatchObject(expected);
      expect(TELLING.filter((name) => name in headers)).toEqual([]);
    });

    it('with the request id of the caller if it is valid, and otherwise with its own', async () => {
      const idOf = async (given: string) =>
        (await ask('GET', '/nothing', { headers: { 'x-request-id': given } })).headers['x-request-id'];
      expect(await idOf('trace-1.a_b')).toBe('trace-1.a_b');
      for (const given of ['a b', 'x'.repeat(101), '<script>', '"', '']) {
        const own = String(await idOf(given));
        expect(own).toMatch(/^[\w-]{20,}$/);
        expect(own).not.toBe(given);
      }
    });

    const asProblem = (headers = {}) => ({ headers: { accept: 'application/problem+json', ...headers } });
    const faults: [number, () => Promise<RawAnswer>][] = [
      [400, () => ask('GET', `${MANAGEMENT}/dashboards?limit=0`, asProblem(bearer(author)))],
      [401, () => ask('GET', `${MANAGEMENT}/tenant-users`, asProblem())],
      [403, () => ask('GET', `${MANAGEMENT}/tenant-users`, asProblem(bearer(author)))],
      [404, () => ask('GET', `${MANAGEMENT}/dashboards/none`, asProblem(bearer(author)))],
      [404, () => ask('GET', '/nothing', asProblem())],
      [405, () => ask('PUT', '/api/v1/token', asProblem())],
    ];
    it.each(faults)('%i as a problem for clients that accept one', async (status, send) => {
      const answer = await send();
      const problem = ProblemBody.strict().parse(JSON.parse(answer.body));
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
      expect(problem).toMatchObject({ status, requestId: answer.headers['x-request-id'] });
    });

    it('HEAD like GET, without the body', async () => {
      const head = await ask('HEAD', `${MANAGEMENT}/dashboards`, { headers: bearer(author) });
      const got = await ask('GET', `${MANAGEMENT}/dashboards`, { headers: bearer(author) });
      expect([head.status, head.body, head.headers['content-length']]).toEqual([
        200,
        '',
        got.headers['content-length'],
      ]);
    });
  });

  describe('without CORS configured', () => {
    it('sends no CORS headers to other origins, and rejects preflights', async () => {
      const headers = { ...bearer(author), origin: 'https://app.example.com' };
      const answer = await ask('GET', `${MANAGEMENT}/dashboards`, { headers });
      expect(corsHeadersOf(answer)).toEqual([]);
      const preflight = await ask('OPTIONS', `${MANAGEMENT}/dashboards`, {
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
      });
      expect(preflight.status).toBe(405);
      expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    });
  });

  describe('bounds a body', () => {
    describeBodies(() => ({ observed, author }));
  });
  // Last, because the platform is restarted.
  describe('with CORS and limits configured', () => {
    describeCorsAndLimits(() => ({ observed, author }));
  });
});
