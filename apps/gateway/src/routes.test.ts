import type { AddressInfo } from 'node:net';
import { routes, type AppError, type HttpMethod } from '@gatehouse/contract';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint } from './endpoint.js';
import { escapeTarget, pathValuesOf, registerTargets, type Target } from './routes.js';
import { sendRaw } from './testing/rawRequest.js';

interface Match {
  /** The path of the route in the table; null when the request matches none. */
  path: string | null;
  /** In the order of the path. */
  values: string[];
  /** The methods of the path, when the method of the request is not one of them. */
  allow: string | null;
}

const UNKNOWN: Match = { path: null, values: [], allow: null };

function createTarget(path: string): Target {
  return {
    route: { method: 'GET', path, operationId: 'test' },
    serve: () => Promise.reject(new Error(path)),
  };
}

function targetsOf(...lines: [HttpMethod, string][]): Target[] {
  return lines.map(([method, path]) => {
    const target = createTarget(path);
    return { ...target, route: { ...target.route, method } } as Target;
  });
}

/** A server that records the route that each request matches. */
class Matcher {
  #app: FastifyInstance;
  #last: Match = UNKNOWN;

  constructor(targets: readonly Target[]) {
    this.#app = fastify({
      rewriteUrl: escapeTarget,
      routerOptions: { maxParamLength: 1_000_000 },
      http: { maxHeaderSize: 1_000_000 },
      exposeHeadRoutes: false,
    });
    this.#app.addHook('onRequest', async (request) => {
      this.#last = UNKNOWN;
      Object.assign(request, { exchange: { headers: [] } });
    });
    this.#app.setErrorHandler((error: AppError, { exchange: { headers } }, reply) => {
      if (headers.length > 0) reply.header('Allow', headers[1]);
      return reply.code(error.status).send('');
    });
    registerTargets(this.#app, targets, ({ route: { path } }, place) => {
      const handler = async (request: FastifyRequest) => {
        this.#last = { path, values: pathValuesOf(request), allow: null };
        return '';
      };
      this.#app.route({ ...place, handler });
    });
  }

  async listen(): Promise<void> {
    await this.#app.listen({ host: '127.0.0.1', port: 0 });
  }

  async match(method: string, target: string): Promise<Match> {
    const { port } = this.#app.server.address() as AddressInfo;
    this.#last = UNKNOWN;
    const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const response = await sendRaw(port, head);
    const [, allow] = /^allow: (.*)\r$/im.exec(response) ?? [];
    if (!/^HTTP\/1\.1 (200|404|405|431) /.test(response)) throw new Error(response);
    return allow === undefined ? this.#last : { ...this.#last, allow };
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}

describe('a path', () => {
  const matcher = new Matcher(
    targetsOf(
      ['GET', '/things'],
      ['POST', '/things'],
      ['GET', '/things/{id}'],
      ['GET', '/things/new'],
      ['DELETE', '/things/{id}/parts/{partId}'],
      ['GET', '/things/new/parts'],
      ['POST', '/things/{id}/parts:run'],
    ),
  );
  beforeAll(() => matcher.listen());
  afterAll(() => matcher.close());

  it('returns its parameters in order and without decoding', async () => {
    expect(await matcher.match('DELETE', '/things/a%2Fb%41/parts/%zz%23?x=%25')).toEqual({
      path: '/things/{id}/parts/{partId}',
      values: ['a%2Fb%41', '%zz%23'],
      allow: null,
    });
  });

  it('matches a static segment before a parameter', async () => {
    expect(await matcher.match('GET', '/things/new')).toEqual({ ...UNKNOWN, path: '/things/new' });
    expect(await matcher.match('POST', '/things/1/parts:run')).toMatchObject({ values: ['1'] });
  });

  it('falls back to the parameter where the static segment leads to no route', async () => {
    expect(await matcher.match('DELETE', '/things/new/parts/1')).toMatchObject({ values: ['new', '1'] });
  });

  it.each([
    '/',
    '/thing',
    '/things/',
    '//things',
    '/things/a/parts',
    '/Things',
    '/%74hings',
    'http://x/things',
    '/__proto__',
    '/constructor',
  ])('%s matches no route', async (target) => {
    expect(await matcher.match('POST', target)).toEqual(UNKNOWN);
  });

  it('of 50,000 segments matches no route', async () => {
    expect(await matcher.match('POST', `/things${'/a'.repeat(50_000)}`)).toEqual(UNKNOWN);
  });

  it.each(['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'])(
    'rejects %s and returns its methods',
    async (method) => {
      expect(await matcher.match(method, '/things')).toEqual({ ...UNKNOWN, allow: 'GET, HEAD, POST' });
    },
  );

  it('with a static segment rejects a method that only the path with a parameter has', async () => {
    expect(await matcher.match('DELETE', '/things/new/parts')).toEqual({ ...UNKNOWN, allow: 'GET, HEAD' });
  });

  it('has HEAD where it has GET', async () => {
    expect(await matcher.match('HEAD', '/things/1')).toMatchObject({ path: '/things/{id}', values: ['1'] });
  });
});

describe('the route table', () => {
  const matcher = new Matcher(routes.map((route) => createEndpoint(route)));
  beforeAll(() => matcher.listen());
  afterAll(() => matcher.close());

  it.each(routes.map(({ method, path }) => [method, path]))('has %s %s', async (method, path) => {
    expect(await matcher.match(method, path.replaceAll(/[{}]/g, '_'))).toMatchObject({ path });
  });

  it('must not contain two routes for one method and path', () => {
    expect(() => new Matcher(targetsOf(['GET', '/a/{x}'], ['GET', '/a/{y}']))).toThrow('already declared');
  });
});
