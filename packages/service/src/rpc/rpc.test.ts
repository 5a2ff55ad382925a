import { AppError, directory, question, type Caller, type Principal } from '@gatehouse/contract';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy } from '@gatehouse/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createActivity } from '../activity.js';
import type { CallContext } from '../callContext.js';
import { findFreePort } from '../freePorts.js';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
  type InternalKeys,
} from '../internalToken.js';
import { createLog } from '../log.js';
import type { RunningService } from '../serviceDefinition.js';
import { connectService, connectServices, inProcessLink, networkLink, type ServiceLink } from './client.js';
import { implement, type Handlers } from './router.js';
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
let onAsk: (context: CallContext) => Promise<unknown> = async () => {};
const handlers: Handlers<typeof contract.procedures> = {
  projects: {
    list: async () => {
      throw new Error('failed to connect to mongodb://secret-host');
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
    ask: async (_, context) => {
      await onAsk(context);
      return { isAnswer: true };
    },
  },
  tokens: { keys: async () => ({ keys: [] }) },
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  onCreate = () => {};
  onAsk = async () => {};
  vi.useRealTimers();
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
    form === 'network'
      ? networkLink(contract, { url: server.url, timeoutMs: 2000 })
      : inProcessLink(() => router);
  closers.push(() => link.close());
  const origin = async (caller: Caller) => ({ token: await signer.sign(caller), requestId: 'r1' });
  return { clients: connectServices({ directory: link }), link, origin, server, activity };
}

/**
 * A link through a proxy, which connects to the first of two servers. After `moveOn`, new connections reach
 * the second.
 */
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
  const link = networkLink(contract, { url: `ws://127.0.0.1:${proxy.port}`, timeoutMs: 10_000 });
  closers.push(() => link.close());
  const { projects: calls } = connectService(contract, link);
  const origin = { token: await signer.sign(principal), requestId: 'r1' };
  await calls.get.query({ id: 'p_1' }, { context: origin });
  const moveOn = () => (proxy.target = placeOf(second));
  return { calls, origin, first, second, proxy, moveOn };
}

describe.each(['in process', 'network'] as const)('a call over a link (%s)', (form) => {
  it('carries the principal, the input and If-Match', async () => {
    const { clients, origin } = await start(form);
    const answer = await clients.directory.projects.get.query(
      { id: 'p_1' },
      { context: { ...(await origin(principal)), ifMatch: [3, 4] } },
    );
    expect(answer.project).toMatchObject({ id: 'p_1', organizationId: 'o_1', name: '3,4' });
  });

  it('restores the code, message and blockers of an error, and never its cause', async () => {
    const { clients, origin } = await start(form);
    await expect(
      clients.directory.projects.get.query({ id: 'p_9' }, { context: await origin(principal) }),
    ).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
        message: 'No such project',
      },
    });
    await expect(
      clients.directory.projects.rotateSecret.mutate({ id: 'p_1' }, { context: await origin(principal) }),
    ).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
        blockedBy: [{ id: 'd_1', title: 'Sales' }],
      },
    });
  });

  it('returns INTERNAL_ERROR without the text of an unknown error', async () => {
    const { clients, origin } = await start(form);
    const error: unknown = await clients.directory.projects.list
      .query({}, { context: await origin(principal) })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ cause: { code: 'INTERNAL_ERROR', message: 'Internal error' } });
  });

  it('rejects an invalid input and names every invalid field', async () => {
    const { clients, origin } = await start(form);
    const input = { name: 7, colour: 'red' } as unknown as { name: string };
    await expect(
      clients.directory.projects.create.mutate(input, { context: await origin(principal) }),
    ).rejects.toMatchObject({
      cause: {
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'name' }, { field: 'colour', message: 'is not a known field' }],
      },
    });
  });

  it('fails when an output has a field that the contract does not declare', async () => {
    const { clients, origin } = await start(form);
    const call = clients.directory.projects.update.mutate(
      { id: 'p_1', name: 'x' },
      { context: await origin(principal) },
    );
    await expect(call).rejects.toMatchObject({ cause: { code: 'INTERNAL_ERROR' } });
  });

  it('rejects calls without an internal token, with a foreign token, and outside the audience', async () => {
    const { clients, origin } = await start(form);
    const foreign = await createInternalTokenSigner((await generateInternalKeys()).signingKey);
    const tokens = ['', 'abc', await foreign.sign(principal), (await origin(system)).token];
    for (const token of tokens) {
      const call = clients.directory.projects.get.query(
        { id: 'p_1' },
        { context: { token, requestId: 'r' } },
      );
      await expect(call).rejects.toMatchObject({ cause: { code: 'UNAUTHENTICATED' } });
    }
    const asPrincipal = clients.directory.tokens.keys.query({}, { context: await origin(principal) });
    await expect(asPrincipal).rejects.toMatchObject({ cause: { code: 'UNAUTHENTICATED' } });
    await expect(clients.directory.tokens.keys.query({}, { context: await origin(system) })).resolves.toEqual(
      { keys: [] },
    );
  });

  it('returns UNAVAILABLE when an operation makes a call after its token has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { clients, link, origin } = await start(form);
    const calls = connectService(contract, link).projects;
    const context = await origin(principal);
    const outlast = (ms: number) => {
      onAsk = async (own) => {
        vi.advanceTimersByTime(ms);
        await clients.directory.projects.get.query({ id: 'p_1' }, { context: own });
      };
      return calls.ask.mutate({}, { context });
    };
    await expect(outlast(57_000)).resolves.toEqual({ isAnswer: true });
    const late = { cause: { code: 'UNAVAILABLE', retryAfterSeconds: 1 } };
    await expect(outlast(2000)).rejects.toMatchObject(late);
    vi.advanceTimersByTime(2000);
    // The token itself is no longer valid.
    onAsk = async () => {};
    const expired = { cause: { code: 'UNAUTHENTICATED' } };
    await expect(calls.ask.mutate({}, { context })).rejects.toMatchObject(expired);
  });

  it('returns UNAVAILABLE for a service without a link', async () => {
    const { clients, origin } = await start(form);
    await expect(
      clients.access.dashboards.get.query({ id: 'd_1' }, { context: await origin(principal) }),
    ).rejects.toMatchObject({
      cause: {
        code: 'UNAVAILABLE',
      },
    });
  });
});

describe('a server of a service', () => {
  it('rejects when its address is in use, without ending the process', async () => {
    const keys = await generateInternalKeys();
    const { server } = await serve(keys);
    const { port } = new URL(server.url);
    await expect(serve(keys, Number(port))).rejects.toThrow(`address already in use 127.0.0.1:${port}`);
  });
});

describe('a network link', () => {
  it('finishes a call in flight during a shutdown, and rejects the next one in bounded time', async () => {
    const { clients, origin, server, activity } = await start('network');
    const inFlight = clients.directory.projects.create.mutate(
      { name: 'slow' },
      { context: await origin(principal) },
    );
    await expect.poll(() => activity.inFlight).toBe(1);
    const closing = server.close(3000);
    setTimeout(() => release(), 100);
    await expect(inFlight).resolves.toMatchObject({ project: { name: 'slow' } });
    await closing;
    const late = clients.directory.projects.get.query({ id: 'p_1' }, { context: await origin(principal) });
    await expect(late).rejects.toMatchObject({ cause: { code: 'UNAVAILABLE', retryAfterSeconds: 1 } });
  });

  it('never sends a change twice when the connection breaks before its response', async () => {
    const { clients, origin, server, activity } = await start('network');
    const inFlight = clients.directory.projects.create.mutate(
      { name: 'once' },
      { context: await origin(principal) },
    );
    await expect.poll(() => activity.inFlight).toBe(1);
    const refusal = inFlight.catch((error: unknown) => error);
    await server.close(1);
    expect(await refusal).toMatchObject({ cause: { code: 'UNAVAILABLE' } });
    release();
    await expect.poll(() => activity.inFlight).toBe(0);
  });

  it('repeats a change that was never begun on the next server, and only there', async () => {
    const { calls, origin, first, second, proxy, moveOn } = await startPair();
    const created: string[] = [];
    onCreate = (name) => created.push(name);
    proxy.fail({ delayMs: 100 });
    const crossing = calls.create.mutate({ name: 'crossing' }, { context: origin });
    moveOn();
    // No call is in flight on the server, because this one is still on its way.
    await first.server.close(3000);
    await expect.poll(() => second.activity.inFlight).toBe(1);
    release();
    await expect(crossing).resolves.toMatchObject({ project: { name: 'crossing' } });
    expect(created).toEqual(['crossing']);
  });

  it('repeats a read when the connection breaks before its response', async () => {
    const { calls, origin, proxy, moveOn } = await startPair();
    proxy.fail('hang');
    const read = calls.get.query({ id: 'p_1' }, { context: origin });
    const answer = calls.ask.mutate({}, { context: origin });
    moveOn();
    await setImmediate();
    proxy.heal();
    proxy.cut();
    await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    await expect(answer).resolves.toEqual({ isAnswer: true });
  });

  it('does not repeat a change when the connection breaks before its response', async () => {
    const { calls, origin, first, second, proxy, moveOn } = await startPair();
    const change = calls.create.mutate({ name: 'cut' }, { context: origin });
    const refusal = change.catch((error: unknown) => error);
    await expect.poll(() => first.activity.inFlight).toBe(1);
    moveOn();
    proxy.cut();
    expect(await refusal).toMatchObject({ cause: { code: 'UNAVAILABLE' } });
    await calls.get.query({ id: 'p_1' }, { context: origin });
    expect(second.activity.inFlight).toBe(0);
    release();
  });

  it('switches to another server within seconds when its peer hangs', async () => {
    const { calls, origin, proxy, moveOn } = await startPair();
    proxy.fail('strand');
    moveOn();
    const read = calls.get.query({ id: 'p_1' }, { context: origin });
    await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
  });

  describe('to a service that is down', () => {
    /** A direct link to a server that is stopped. `bringBack` starts one at the same address. */
    async function startStopped() {
      const keys = await generateInternalKeys();
      const signer = await createInternalTokenSigner(keys.signingKey);
      const { server } = await serve(keys, await findFreePort());
      const link = networkLink(contract, { url: server.url, timeoutMs: 10_000 });
      closers.push(() => link.close());
      const { projects: calls } = connectServices({ directory: link }).directory;
      const origin = { token: await signer.sign(principal), requestId: 'r1' };
      await calls.get.query({ id: 'p_1' }, { context: origin });
      await server.close(1000);
      return { calls, origin, bringBack: () => serve(keys, Number(new URL(server.url).port)) };
    }

    it('fails at once after two seconds without a server, until a server accepts connections', async () => {
      const { calls, origin, bringBack } = await startStopped();
      const unavailable = { code: 'UNAVAILABLE', retryAfterSeconds: 1 };
      const startedMs = performance.now();
      const first = [
        calls.get.query({ id: 'p_1' }, { context: origin }),
        calls.create.mutate({ name: 'lost' }, { context: origin }),
      ];
      for (const call of await Promise.allSettled(first))
        expect(call).toMatchObject({ reason: { cause: unavailable } });
      expect(performance.now() - startedMs).toBeGreaterThan(1500);
      // Immediately: a call that waits takes at least this long.
      const refusedMs = performance.now();
      await expect(calls.get.query({ id: 'p_1' }, { context: origin })).rejects.toMatchObject({
        cause: unavailable,
      });
      expect(performance.now() - refusedMs).toBeLessThan(1500);
      const created: string[] = [];
      onCreate = (name) => created.push(name);
      await bringBack();
      const get = () => calls.get.query({ id: 'p_1' }, { context: origin });
      await expect.poll(get).toMatchObject({ project: { id: 'p_1' } });
      expect(created).toEqual([]);
    });

    it('waits for a server that returns sooner', async () => {
      const { calls, origin, bringBack } = await startStopped();
      const read = calls.get.query({ id: 'p_1' }, { context: origin });
      await sleep(500);
      await bringBack();
      await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    });

    it('waits for a server that accepts connections and does not respond', async () => {
      const { calls, origin, proxy } = await startPair();
      proxy.fail('hang');
      proxy.cut();
      const read = calls.get.query({ id: 'p_1' }, { context: origin });
      await sleep(3000);
      proxy.heal();
      await expect(read).resolves.toMatchObject({ project: { id: 'p_1' } });
    });
  });
});
