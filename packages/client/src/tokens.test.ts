import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from './index.js';
import { startScriptedServer, unauthenticated, type ScriptedServer } from './testing/scriptedServer.js';
import { renewTokens, type IssuedToken } from './tokens.js';

const MINUTE_MS = 60_000;

/** Tokens of half an hour, numbered, by a clock that the test sets. */
function numberedTokens({ lifetimeMs = 30 * MINUTE_MS } = {}) {
  const clock = { now: 0, issued: 0, isDown: false };
  const fetchToken = async (): Promise<IssuedToken> => {
    if (clock.isDown) throw new Error('Down');
    clock.issued += 1;
    return { accessToken: `t${clock.issued}`, expiresAt: new Date(clock.now + lifetimeMs).toISOString() };
  };
  return { clock, source: renewTokens(fetchToken, () => clock.now) };
}

describe('a token', () => {
  it('is fetched once for concurrent callers', async () => {
    const { source } = numberedTokens();
    expect(await Promise.all([source.get(), source.get(), source.get()])).toEqual(['t1', 't1', 't1']);
  });

  it('is renewed before it ends', async () => {
    const { clock, source } = numberedTokens();
    await source.get();
    clock.now = 28 * MINUTE_MS;
    expect(await source.get()).toBe('t1');
    clock.now = 29 * MINUTE_MS;
    expect(await source.get()).toBe('t2');
  });

  it('that cannot be renewed early is used until it expires', async () => {
    const { clock, source } = numberedTokens();
    await source.get();
    clock.isDown = true;
    clock.now = 29.5 * MINUTE_MS;
    expect(await source.get()).toBe('t1');
    clock.now = 30 * MINUTE_MS;
    await expect(source.get()).rejects.toThrow('Down');
    clock.isDown = false;
    expect(await source.get()).toBe('t2');
  });

  it('that is expired by a wrong clock is not fetched repeatedly', async () => {
    const { source } = numberedTokens({ lifetimeMs: -MINUTE_MS });
    expect([await source.get(), await source.get()]).toEqual(['t1', 't1']);
  });

  it('that was rejected is replaced once for all callers', async () => {
    const { source, clock } = numberedTokens();
    await source.get();
    expect(await Promise.all([source.replace('t1'), source.replace('t1')])).toEqual(['t2', 't2']);
    expect(await source.replace('t1')).toBe('t2');
    expect(clock.issued).toBe(2);
  });
});

describe('a client', () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await startScriptedServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const issued = (accessToken: string) => ({
    body: { accessToken, expiresAt: new Date(Date.now() + 30 * MINUTE_MS).toISOString() },
  });
  const credentials = { projectId: 'p_1', projectSecret: 'secret', orgUserId: 'ou_1' };
  const sent = () =>
    server.received.map(({ path, headers }) => [path.split('/').at(-1), headers.authorization]);

  it('requests a token when it needs one, and caches it', async () => {
    const client = createClient({ baseUrl: server.baseUrl, credentials });
    server.script(issued('one'), {});
    await client.listProjects();
    await client.listTenants();
    expect(sent()).toEqual([
      ['token', undefined],
      ['projects', 'Bearer one'],
      ['tenants', 'Bearer one'],
    ]);
    expect(server.received[0]?.body).toEqual(credentials);
  });

  it('requests another token after a rejection, and repeats even non-repeatable requests', async () => {
    const client = createClient({ baseUrl: server.baseUrl, credentials });
    server.script(issued('one'), unauthenticated, issued('two'), { body: { ok: 1 } });
    expect(await client.updateProject({ id: 'p_1', name: 'Sales' })).toEqual({ ok: 1 });
    expect(sent().map(([, authorization]) => authorization)).toEqual([
      undefined,
      'Bearer one',
      undefined,
      'Bearer two',
    ]);
  });

  it('does so only once', async () => {
    const client = createClient({ baseUrl: server.baseUrl, credentials });
    server.script(issued('one'), unauthenticated, issued('two'), unauthenticated);
    await expect(client.listProjects()).rejects.toMatchObject({ status: 401 });
    expect(server.received).toHaveLength(4);
  });

  it('reports why it gets no token', async () => {
    const client = createClient({ baseUrl: server.baseUrl, credentials });
    server.script(unauthenticated);
    await expect(client.listProjects()).rejects.toMatchObject({ status: 401, area: 'token' });
    expect(server.received).toHaveLength(1);
  });

  it('with a fixed token has no other', async () => {
    const client = createClient({ baseUrl: server.baseUrl, accessToken: 'mine' });
    server.script(unauthenticated);
    await expect(client.listProjects()).rejects.toMatchObject({ status: 401, area: 'management' });
    expect(server.received).toHaveLength(1);
  });

  it('accepts any function that fetches a token', async () => {
    const client = createClient({ baseUrl: server.baseUrl, accessToken: async () => 'fetched' });
    server.script({});
    await client.listProjects();
    expect(sent()).toEqual([['projects', 'Bearer fetched']]);
  });

  it.each([
    [{ baseUrl: 'ftp://example.com' }],
    [{ baseUrl: 'https://user:word@example.com' }],
    [{ baseUrl: 'https://example.com/?a=1' }],
    [{ baseUrl: 'https://example.com', accessToken: 'a', credentials }],
  ])('is not made of %j', (options) => {
    expect(() => createClient(options)).toThrow(TypeError);
  });
});
