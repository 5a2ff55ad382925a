import { AppError, directory, question, type Caller, type Principal } from '@gatehouse/contract';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy } from '@gatehouse/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createActivity } from '../activity.js';
import { findFreePort } from '../freePorts.js';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
  type InternalKeys,
} from '../internalToken.js';
import { createLog } from '../log.js';
import type { RunningService } from '../serviceDefinition.js';
import { connectServices } from './connect.js';
import { implement, type Handlers } from './implement.js';
import { inProcessLink, networkLink, type ServiceLink } from './link.js';
import { serveService } from './serve.js';

const { projects } = directory.procedures;
const ask = question(z.strictObject({}), z.object({ isAnswer: z.boolean() }));
const contract = {
  name: 'directory',
  procedures: { projects: { ...projects, ask }, tokens: { keys: directory.procedures.tokens.keys } },
};

const principal: Principal = {
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'j1',
  tokenExpiresAt: 4_000_000_000,
  organizationId: 'o_1',
  projectId: 'p_1',
  userId: 'ou_1',
  userKey: 'u:1',
  email: 'a@example.com',
  role: 'ADMIN',
  groupIds: [],
};
const system: Caller = { kind: 'system', name: 'gateway' };
const stamp = { version: 1, createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };

let release: () => void = () => {};
let onCreate: (name: string) => void = () => {};
const handlers: Handlers<typeof contract.procedures> = {
  projects: {
    list: async () => {
      throw new Error('the driver says: mongodb://secret-host');
    },
    create: async ({ name }) => {
      onCreate(name);
      await new Promise<void>((resolve) => (release = resolve));
      return { project: { id: 'p_2', name, organizationId: 'o_1', secret: 's', ...stamp } };
    },
    get: async ({ id }, context) => {
      if (id === 'p_9') throw new AppError('NOT_FOUND', { message: 'No such project' });
      return {
        project: {
          id,
          name: String(context.ifMatch),
          organizationId: context.principal.organizationId,
          ...stamp,
        },
      };
    },
    update: async ({ id, name }) => ({
      project: { id, name, organizationId: 'o_1', ...stamp, secretHash: 'x' },
    }),
    rotateSecret: async () => {
      throw new AppError('CONFLICT', {
        blockedBy: [{ id: 'd_1', title: 'Sales' }],
        cause: new Error('inner'),
      });
    },
    ask: async () => ({ isAnswer: true }),
  },
  tokens: { keys: async () => ({ keys: [] }) },
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  onCreate = () => {};
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(keys: InternalKeys, port = 0) {
  const activity = createActivity();
  const log = createLog('test', { LOG_LEVEL: 'silent' });
  const router = implement(contract, handlers, {
    verifier: await createInternalTokenVerifier(keys.verifyKey),
    log,
    validatesOutput: true,
    activity,
  });
  const service: RunningService = {
    name: 'directory',
    router,
    activity,
    checkReady: async () => {},
    stop: async () => {},
  };
  const server = await serveService(service, { host: '127.0.0.1', port, log, checkReady: async () => {} });
  closers.push(() => server.close(1000));
  return { router, activity, server };
}

async function start(form: 'in process' | 'network') {
  const keys = await generateInternalKeys();
  const { router, activity, server } = await serve(keys);
  const signer = await createInternalTokenSigner(keys.signingKey);
  const link: ServiceLink =
    form === 'network' ? networkLink({ url: server.url, timeoutMs: 2000 }) : inProcessLink(() => router);
  closers.push(() => link.close());
  const origin = async (caller: Caller) => ({ token: await signer.sign(caller), requestId: 'r1' });
  return { clients: connectServices({ directory: link }), link, origin, server, activity };
}

/** A link by way of a proxy, which leads to the first of two servers; `moveOn` leads new connections to the second. */
async function startPair() {
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const [first, second] = [await serve(keys), await serve(keys)];
  const placeOf = ({ server }: typeof first) => ({
    port: Number(new URL(server.url).port),
    host: '127.0.0.1',
  });
  const proxy = await startTcpProxy(placeOf(first));
  closers.push(async () => proxy[Symbol.asyncDispose]());
  const link = networkLink({ url: `ws://127.0.0.1:${proxy.port}`, timeoutMs: 10_000 });
  closers.push(() => link.close());
  const { projects: calls } = connectServices({ directory: link }).directory;
  const origin = { token: await signer.sign(principal), requestId: 'r1' };
  await calls.get(origin, { id: 'p_1' });
  const moveOn = () => (proxy.target = placeOf(second));
  return { link, calls, origin, first, second, proxy, moveOn };
}

describe.each(['in process', 'network'] as const)('a call over a link (%s)', (form) => {
  it('carries the principal, the input and If-Match', async () => {
    const { clients, origin } = await start(form);
    const answer = await clients.directory.projects.get(
      { ...(await origin(principal)), ifMatch: [3, 4] },
      { id: 'p_1' },
    );
    expect(answer.project).toMatchObject({ id: 'p_1', organizationId: 'o_1', name: '3,4' });
  });

  it('revives an error with its code, message and what blocks it, and never its cause', async () => {
    const { clients, origin } = await start(form);
    await expect(
      clients.directory.projects.get(await origin(principal), { id: 'p_9' }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'No such project',
    });
    await expect(
      clients.directory.projects.rotateSecret(await origin(principal), { id: 'p_1' }),
    ).rejects.toMatchObject({
      code: 'CONFLICT',
      blockedBy: [{ id: 'd_1', title: 'Sales' }],
    });
  });

  it('answers an unknown error as INTERNAL_ERROR without its text', async () => {
    const { clients, origin } = await start(form);
    const error: unknown = await clients.directory.projects
      .list(await origin(principal), {})
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', message: 'Internal error' });
  });

  it('refuses a wrong input and names every field', async () => {
    const { clients, origin } = await start(form);
    const input = { name: 7, colour: 'red' } as unknown as { name: string };
    await expect(clients.directory.projects.create(await origin(principal), input)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'name' }, { field: 'colour', message: 'is not a known field' }],
    });
  });

  it('fails when an answer holds a field that the contract does not declare', async () => {
    const { clients, origin } = await start(form);
    const call = clients.directory.projects.update(await origin(principal), { id: 'p_1', name: 'x' });
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it('refuses a call without an internal token, with a foreign one, and across audiences', async () => {
    const { clients, origin } = await start(form);
    const foreign = await createInternalTokenSigner((await generateInternalKeys()).signingKey);
    const tokens = ['', 'abc', await foreign.sign(principal), (await origin(system)).token];
    for (const token of tokens) {
      const call = clients.directory.projects.get({ token, requestId: 'r' }, { id: 'p_1' });
      await expect(call).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
    const asPrincipal = clients.directory.tokens.keys(await origin(principal), {});
    await expect(asPrincipal).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(clients.directory.tokens.keys(await origin(system), {})).resolves.toEqual({ keys: [] });
  });

  it('answers UNAVAILABLE for a service without a link', async () => {
    const { clients, origin } = await start(form);
    await expect(clients.access.dashboards.get(await origin(principal), { id: 'd_1' })).rejects.toMatchObject(
      {
        code: 'UNAVAILABLE',
      },
    );
  });
});

describe('a server of a service', () => {
  it('rejects when its address is taken, and does not end the process', async () => {
    const keys = await generateInternalKeys();
    const { server } = await serve(keys);
    const { port } = new URL(server.url);
    await expect(serve(keys, Number(port))).rejects.toThrow(`address already in use 127.0.0.1:${port}`);
  });
});

describe('a network link', () => {
  it('lets a call in flight end while the server stops, and refuses the next one in bounded time', async () => {
    const { clients, origin, server, activity } = await start('network');
    const inFlight = clients.directory.projects.create(await origin(principal), { name: 'slow' });
    await expect.poll(() => activity.inFlight).toBe(1);
    const closing = server.close(3000);
    setTimeout(() => release(), 100);
    await expect(inFlight).resolves.toMatchObject({ project: { name: 'slow' } });
    await closing;
    const late = clients.directory.projects.get(await origin(principal), { id: 'p_1' });
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('never sends a change twice when the connection breaks before its answer', async () => {
    const { clients, origin, server, activity } = await start('network');
    const inFlight = clients.directory.projects.create(await origin(principal), { name: 'once' });
    await expect.poll(() => activity.inFlight).toBe(1);
    const refusal = inFlight.catch((error: unknown) => error);
    await server.close(1);
    expect(await refusal).toMatchObject({ code: 'UNAVAILABLE' });
    release();
    await expect.poll(() => activity.inFlight).toBe(0);
  });

  it('makes a change that met a closing connection on its way at the next server, and only there', async () => {
    const { calls, origin, first, second, proxy, moveOn } = await startPair();
    const created: string[] = [];
    onCreate = (name) => created.push(name);
    proxy.fail({ delayMs: 100 });
    const crossing = calls.create(origin, { name: 'crossing' });
    moveOn();
    // Idle, because the call is still on its way.
    await first.server.close(3000);
    await expect.poll(() => second.activity.inFlight).toBe(1);
    release();
    await expect(crossing).resolves.toMatchObject({ project: { name: 'crossing' } });
    expect(created).toEqual(['crossing']);
  });

  it('asks again what it only read when the connection is cut before the answer', async () => {
    const { calls, link, origin, proxy, moveOn } = await startPair();
    proxy.fail('hang');
    const read = calls.get(origin, { id: 'p_1' });
    const answer = link.call('projects.ask', ask, { ...origin, input: {} });
    moveOn();
    await setImmediate();
    proxy.heal();
    proxy.cut();
    await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    await expect(answer).resolves.toEqual({ isAnswer: true });
  });

  it('does not make a change again when the connection is cut before the answer', async () => {
    const { calls, origin, first, second, proxy, moveOn } = await startPair();
    const change = calls.create(origin, { name: 'cut' });
    const refusal = change.catch((error: unknown) => error);
    await expect.poll(() => first.activity.inFlight).toBe(1);
    moveOn();
    proxy.cut();
    expect(await refusal).toMatchObject({ code: 'UNAVAILABLE' });
    await calls.get(origin, { id: 'p_1' });
    expect(second.activity.inFlight).toBe(0);
    release();
  });

  it('goes on within seconds when its peer says nothing any more and another one would', async () => {
    const { calls, origin, proxy, moveOn } = await startPair();
    proxy.fail('strand');
    moveOn();
    const read = calls.get(origin, { id: 'p_1' });
    await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
  });

  describe('to a service that is down', () => {
    /** A link without a proxy, to a server that is stopped; `bringBack` starts one at the same place. */
    async function startStopped() {
      const keys = await generateInternalKeys();
      const signer = await createInternalTokenSigner(keys.signingKey);
      const { server } = await serve(keys, await findFreePort());
      const link = networkLink({ url: server.url, timeoutMs: 10_000 });
      closers.push(() => link.close());
      const { projects: calls } = connectServices({ directory: link }).directory;
      const origin = { token: await signer.sign(principal), requestId: 'r1' };
      await calls.get(origin, { id: 'p_1' });
      await server.close(1000);
      return { calls, origin, bringBack: () => serve(keys, Number(new URL(server.url).port)) };
    }

    it('does not wait once nobody has taken a connection for two seconds, until somebody does', async () => {
      const { calls, origin, bringBack } = await startStopped();
      const unavailable = { code: 'UNAVAILABLE', retryAfterSeconds: 1 };
      const startedMs = performance.now();
      const first = [calls.get(origin, { id: 'p_1' }), calls.create(origin, { name: 'lost' })];
      for (const call of await Promise.allSettled(first)) expect(call).toMatchObject({ reason: unavailable });
      expect(performance.now() - startedMs).toBeGreaterThan(1500);
      expect(performance.now() - startedMs).toBeLessThan(5000);
      const refusedMs = performance.now();
      await expect(calls.get(origin, { id: 'p_1' })).rejects.toMatchObject(unavailable);
      expect(performance.now() - refusedMs).toBeLessThan(500);
      const created: string[] = [];
      onCreate = (name) => created.push(name);
      await bringBack();
      const get = () => calls.get(origin, { id: 'p_1' });
      await expect.poll(get, { timeout: 5000 }).toMatchObject({ project: { id: 'p_1' } });
      expect(created).toEqual([]);
    });

    it('waits where it is back sooner', async () => {
      const { calls, origin, bringBack } = await startStopped();
      const read = calls.get(origin, { id: 'p_1' });
      await sleep(500);
      await bringBack();
      await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    });

    it('waits where connections are taken and nothing is said', async () => {
      const { calls, origin, proxy } = await startPair();
      proxy.fail('hang');
      proxy.cut();
      const read = calls.get(origin, { id: 'p_1' });
      await sleep(3000);
      proxy.heal();
      await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    });
  });
});
