import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Client } from './index.js';
import { DEFAULT_RETRY_POLICY, findDelayMs, readRetryAfter } from './retries.js';
import {
  busy,
  conflict,
  failed,
  limited,
  startScriptedServer,
  stillRunning,
  type ScriptedAnswer,
  type ScriptedServer,
} from './testing/scriptedServer.js';

const AT_ONCE = { baseDelayMs: 0 };
let server: ScriptedServer;
let client: Client;

beforeAll(async () => {
  server = await startScriptedServer();
  client = createClient({ baseUrl: server.baseUrl, accessToken: 'a.b.c', retry: AT_ONCE });
});
afterAll(() => server[Symbol.asyncDispose]());

const ok: ScriptedAnswer = { body: { done: true } };
const operations = {
  GET: () => client.listProjects(),
  POST: () => client.createProject({ name: 'Sales' }),
  PATCH: () => client.updateProject({ id: 'p_1', name: 'Sales' }),
  DELETE: () => client.deleteDashboard({ id: 'd_1' }),
};
type Method = keyof typeof operations;

describe('a request is sent again', () => {
  it.each([
    ['GET', 'a server that is busy', busy],
    ['GET', 'no answer', { cut: 'before' }],
    ['GET', 'half an answer', { cut: 'within' }],
    ['GET', 'a proxy without a server behind it', { status: 502 }],
    ['GET', 'a limit', limited],
    ['POST', 'a server that is busy', busy],
    ['POST', 'no answer', { cut: 'before' }],
    ['POST', 'half an answer', { cut: 'within' }],
    ['POST', 'the same request, which still runs', stillRunning],
    ['PATCH', 'a limit, before which nothing was done', limited],
    ['DELETE', 'a limit, before which nothing was done', limited],
  ] satisfies [Method, string, ScriptedAnswer][])('%s after %s', async (method, _, answer) => {
    server.script(answer, ok);
    expect(await operations[method]()).toEqual({ done: true });
    expect(server.received).toHaveLength(2);
  });

  it('unchanged, with the same idempotency key, and another request with another key', async () => {
    server.script(busy, busy, ok);
    await client.createProject({ name: 'Sales' });
    const [first, ...others] = server.received.map(({ headers, body }) => [headers['idempotency-key'], body]);
    expect(first).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), { name: 'Sales' }]);
    expect(others).toEqual([first, first]);
    await client.createProject({ name: 'Sales' });
    expect(server.received.at(-1)?.headers['idempotency-key']).not.toBe(first?.[0]);
  });

  it('with the key of the caller', async () => {
    server.script(busy, ok);
    await client.createProject({ name: 'Sales' }, { idempotencyKey: 'mine' });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });
});

describe('a request is not sent again', () => {
  it.each([
    ['PATCH', 'busy', busy, { code: 'UNAVAILABLE' }],
    ['PATCH', 'no answer', { cut: 'before' }, { name: 'NoAnswerError', reason: 'unreachable' }],
    ['DELETE', 'no answer', { cut: 'before' }, { name: 'NoAnswerError', reason: 'unreachable' }],
    ['DELETE', 'half an answer', { cut: 'within' }, { reason: 'incomplete' }],
    ['GET', 'a fault', failed, { code: 'INTERNAL_ERROR' }],
    ['POST', 'a conflict', conflict, { code: 'CONFLICT' }],
    ['POST', 'a failed commit', { status: 502, body: { code: 'COMMIT_FAILED' } }, { code: 'COMMIT_FAILED' }],
    [
      'GET',
      'more patience than there is',
      { ...busy, headers: { 'Retry-After': '3600' } },
      { retryAfterSeconds: 3600 },
    ],
  ] satisfies [Method, string, ScriptedAnswer, object][])('%s: %s', async (method, _, answer, expected) => {
    server.script(answer, ok);
    await expect(operations[method]()).rejects.toMatchObject(expected);
    expect(server.received).toHaveLength(1);
  });

  it('more often than the policy allows', async () => {
    server.script(busy);
    await expect(client.listProjects()).rejects.toMatchObject({ status: 503 });
    expect(server.received).toHaveLength(1 + DEFAULT_RETRY_POLICY.retries);
  });

  it('and has no key of its own, if the policy has no retries', async () => {
    const patient = createClient({ baseUrl: server.baseUrl, accessToken: 'a', retry: { retries: 0 } });
    server.script(busy);
    await expect(patient.createProject({ name: 'Sales' })).rejects.toMatchObject({ status: 503 });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);
  });

  it('after its caller cancelled it during the wait', async () => {
    const slow = createClient({ baseUrl: server.baseUrl, accessToken: 'a', retry: { baseDelayMs: 2 ** 30 } });
    server.script({ ...busy, headers: {} });
    const given = new AbortController();
    const call = slow.listProjects({}, { signal: given.signal });
    await expect.poll(() => server.received.length).toBe(1);
    given.abort(new Error('Enough'));
    await expect(call).rejects.toThrow('Enough');
  });
});

describe('a request ends', () => {
  it('when no response arrives in time', async () => {
    const hasty = createClient({
      baseUrl: server.baseUrl,
      accessToken: 'a',
      timeoutMs: 1,
      retry: { retries: 0 },
    });
    server.script({ silent: true });
    await expect(hasty.listProjects()).rejects.toMatchObject({ name: 'NoAnswerError', reason: 'timedOut' });
  });

  it('when the port is closed', async () => {
    const gone = await startScriptedServer();
    await gone[Symbol.asyncDispose]();
    const lonely = createClient({ baseUrl: gone.baseUrl, accessToken: 'a', retry: AT_ONCE });
    await expect(lonely.listProjects()).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('on a redirect, which would send its secrets to another server', async () => {
    server.script({ status: 307, headers: { location: `${server.baseUrl}/elsewhere` } });
    const refused = client.issueToken({ projectId: 'p_1', projectSecret: 's' });
    await expect(refused).rejects.toMatchObject({ reason: 'unreachable' });
    expect(server.received.map(({ path }) => path)).not.toContain('/elsewhere');
  });
});

describe('the wait', () => {
  const policy = { retries: 5, baseDelayMs: 100, maxDelayMs: 10_000 };

  it('is never shorter than the response requires, and never above the maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tries, retryAfterSeconds, chance) => {
          const delayMs = findDelayMs(policy, { tries, retryAfterSeconds }, chance);
          expect(delayMs).toBeGreaterThanOrEqual((retryAfterSeconds ?? 0) * 1000);
          expect(delayMs).toBeLessThanOrEqual(policy.maxDelayMs);
        },
      ),
    );
  });

  it('is null if the response requires more than the maximum, and after the last attempt', () => {
    expect(findDelayMs(policy, { tries: 1, retryAfterSeconds: 11 }, 0)).toBeNull();
    expect(findDelayMs(policy, { tries: 6, retryAfterSeconds: null }, 0)).toBeNull();
  });

  it('doubles in its bound', () => {
    const bounds = [1, 2, 3].map((tries) => findDelayMs(policy, { tries, retryAfterSeconds: null }, 1));
    expect(bounds).toEqual([100, 200, 400]);
  });

  it.each([
    ['7', 7],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['soon', null],
    [null, null],
  ])('is read of Retry-After: %s', (value, seconds) => {
    expect(readRetryAfter(value, 10_000)).toBe(seconds);
  });
});
