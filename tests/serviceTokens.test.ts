import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { accessService } from '@gatehouse/access';
import {
  access,
  AppError,
  services,
  type Caller,
  type Principal,
  type ProcedurePath,
  type ServiceName,
} from '@gatehouse/contract';
import {
  childEnvironment,
  createInternalTokenSigner,
  findFreePort,
  generateInternalKeys,
  callProcedure,
  connectServices,
  networkLink,
  readConfig,
  SERVICE_URLS,
  startService,
  type CallOrigin,
  type ServiceLink,
} from '@gatehouse/service';
import { startNats, startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runExternalService } from './src/externalService.js';
import { hashedWith, readToken, signedBy, unsigned, writeToken } from './src/attacks/tokens.js';

const AUTHOR: Principal = {
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'token',
  tokenExpiresAt: Math.floor(Date.now() / 1000) + 600,
  organizationId: 'o_1',
  projectId: 'p_1',
  userId: 'ou_1',
  userKey: 'u:1',
  email: 'author@example.com',
  role: 'AUTHOR',
  groupIds: [],
};
const GATEWAY: Caller = { kind: 'system', name: 'gateway' };

/** Listens in place of every service, and records which of them receive a connection. */
async function standInForServices(connected: Set<ServiceName>) {
  const servers = await Promise.all(
    (Object.keys(services) as ServiceName[]).map(async (name) => {
      const server = createServer((socket) => {
        connected.add(name);
        socket.destroy();
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return [name, server] as const;
    }),
  );
  const urls = servers.map(([name, server]) => {
    return [SERVICE_URLS[name], `ws://127.0.0.1:${(server.address() as AddressInfo).port}`];
  });
  return {
    settings: Object.fromEntries(urls) as Record<string, string>,
    stop: () => Promise.all(servers.map(([, server]) => once(server.close(), 'close'))),
  };
}

const procedures = Object.entries(access.procedures).flatMap(([noun, verbs]) =>
  Object.entries(verbs).map(([verb, { audience }]) => ({ path: `${noun}.${verb}`, audience })),
);

/** The access service as it runs in a mesh, reached without the gateway by an attacker who knows its port. */
describe('a service of the mesh', () => {
  const stops: (() => PromiseLike<unknown>)[] = [];
  let url: string;
  let link: ServiceLink;
  let signingKey: string;
  const connected = new Set<ServiceName>();

  beforeAll(async () => {
    const [mongo, nats, keys, port, others] = await Promise.all([
      startTestMongo(),
      startNats(),
      generateInternalKeys(),
      findFreePort(),
      standInForServices(connected),
    ]);
    ({ signingKey } = keys);
    const settings = {
      ...others.settings,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      NATS_URL: nats.url,
      INTERNAL_VERIFY_KEY: keys.verifyKey,
      SEALING_KEYS: Buffer.alloc(32, 1).toString('base64'),
    };
    const service = await startService(accessService, readConfig(childEnvironment(settings)));
    url = `127.0.0.1:${port}`;
    link = networkLink(access, { url: `ws://${url}`, timeoutMs: 5000 });
    const parts = [
      () => link.close(),
      () => service.stop(),
      () => others.stop(),
      ...[nats, mongo].map((part) => () => part[Symbol.asyncDispose]()),
    ];
    stops.push(...parts);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  const sign = async (caller: Caller, key = signingKey) =>
    (await createInternalTokenSigner(key)).sign(caller);
  const call = (path: string, { input = {}, ...origin }: { input?: object; [field: string]: unknown }) =>
    callProcedure(connectServices({ access: link }), `access.${path}` as ProcedurePath, {
      origin: { requestId: 'attack', ...origin } as CallOrigin,
      input: { ...input },
    });
  const codeOf = (answer: Promise<unknown>) =>
    answer.then(
      (value) => value,
      (error: unknown) => (error instanceof AppError ? error.toWire() : error),
    );
  const REFUSED = { code: 'UNAUTHENTICATED', message: 'Missing or invalid access token' };

  it('connects to the services that it calls, and to no others', async () => {
    const isConnected = () => accessService.calls.every((name) => connected.has(name));
    await vi.waitUntil(isConnected, { timeout: 120_000, interval: 20 });
    // All connections start concurrently: others would have been recorded by then.
    expect([...connected].toSorted()).toEqual(accessService.calls.toSorted());
  });

  it('responds to the bearer of an internal token', async () => {
    const created = await call('dashboards.create', {
      token: await sign(AUTHOR),
      input: { title: 'Sales' },
    });
    expect(created).toMatchObject({ dashboard: { title: 'Sales', ownerId: 'ou_1' } });
  });

  it('rejects all other callers on every procedure, and writes nothing', async () => {
    const good = await sign(AUTHOR);
    const { header, claims } = readToken(good);
    const key = createPrivateKey({ key: JSON.parse(signingKey) as JsonWebKey, format: 'jwk' });
    const now = Math.floor(Date.now() / 1000);
    const forge = (change: { header?: object; claims?: object }, by = signedBy(key)) =>
      writeToken({ header: { ...header, ...change.header }, claims: { ...claims, ...change.claims } }, by);
    const envelopes: Record<string, Record<string, unknown>> = {
      'no token': {},
      'an empty token': { token: '' },
      'a token that is none': { token: 'not.a.token' },
      'a token that is no text': { token: { $ne: null } },
      'a token of another key': { token: await sign(AUTHOR, (await generateInternalKeys()).signingKey) },
      'a key of another kind': {
        token: forge({}, signedBy(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)),
      },
      'an access token': {
        token: forge({ header: { typ: 'JWT' }, claims: { iss: 'gatehouse', aud: 'gatehouse-api' } }),
      },
      'no signature': { token: forge({ header: { alg: 'none' } }, unsigned) },
      'HS256 with the public key': {
        token: forge(
          { header: { alg: 'HS256' } },
          hashedWith(String((JSON.parse(signingKey) as JsonWebKey).x)),
        ),
      },
      'another issuer': { token: forge({ claims: { iss: 'elsewhere' } }) },
      'another audience': { token: forge({ claims: { aud: 'elsewhere' } }) },
      'another type': { token: forge({ header: { typ: 'JWT' } }) },
      'an end that has come': { token: forge({ claims: { iat: now - 60, exp: now } }) },
      'no end': { token: forge({ claims: { exp: undefined } }) },
      'a begin in an hour': { token: forge({ claims: { nbf: now + 3600 } }) },
      'no caller': { token: forge({ claims: { caller: undefined } }) },
      'a caller of no kind': { token: forge({ claims: { caller: { kind: 'root' } } }) },
      'no request id': { token: good, requestId: undefined },
    };
    const bySignature = await sign(AUTHOR);
    const list = () => call('dashboards.list', { token: bySignature });
    const before = await list();
    for (const [name, envelope] of Object.entries(envelopes)) {
      for (const { path } of procedures) {
        expect({ name, path, answer: await codeOf(call(path, envelope)) }).toMatchObject({
          name,
          path,
          answer: REFUSED,
        });
      }
    }
    expect(await list()).toEqual(before);
  });

  it('responds to a service outside the repository that runs the lines of docs/services.md', async () => {
    await call('dashboards.create', { token: await sign(AUTHOR), input: { title: 'Outside' } });
    const environment = {
      ACCESS_URL: `ws://${url}`,
      INTERNAL_SIGNING_KEY: signingKey,
      CALLER: JSON.stringify(AUTHOR),
    };
    const { lines, output } = await runExternalService('docs/services.md', environment);
    expect(lines).toBeLessThanOrEqual(10);
    expect(output.split('\n')).toContain('Outside');
  });

  it('separates procedures for users from those for the platform itself', async () => {
    for (const { path, audience } of procedures) {
      const token = await sign(audience === 'principal' ? GATEWAY : AUTHOR);
      expect({ path, answer: await codeOf(call(path, { token })) }).toMatchObject({
        path,
        answer: REFUSED,
      });
    }
  });

  it('serves only its health over HTTP', async () => {
    for (const path of ['/', '/dashboards.list', '/api/management/v1/dashboards', '/metrics', '/readyz/..']) {
      const answer = await fetch(`http://${url}${path}`);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { error: 'Not found' }]);
    }
    expect((await fetch(`http://${url}/readyz`)).status).toBe(200);
  });
});
