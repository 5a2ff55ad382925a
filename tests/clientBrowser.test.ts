import type { IssuedToken } from '@gatehouse/client';
import { startBrowser, startTcpProxy, type Browser, type Page, type TcpProxy } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Session } from './src/api.js';
import {
  CLIENT_CASE_SETTINGS,
  describeClient,
  thrownOf,
  valueOf,
  type ClientWorld,
} from './src/clientCases.js';
import { runIn, startClientSite, type ClientSite } from './src/clientPage.js';
import type { Connection, RunProgram } from './src/clientPrograms.js';
import { HELD_PLACE_SETTINGS, holdPlaces } from './src/heldPlaces.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { makeStatusWorld } from './src/statusCases/statusCase.js';

/** A browser logs each error response. */
const NO_SUCCESS = /^Failed to load resource: the server responded with a status of [45]\d\d /;
const NO_ANSWER = /^Failed to load resource: net::ERR_/;
const BLOCKED = /^Access to fetch at .* has been blocked by CORS policy/;

describe('the client, in a page of another origin,', () => {
  let site: ClientSite;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let run: RunProgram;
  let clientWorld: ClientWorld;
  /** The lifetime that the site reports for its tokens; undefined for the actual one. */
  let lifetimeMs: number | undefined;

  /** The URL where the site uses the project's secret. */
  const issueToken = async (): Promise<IssuedToken> => {
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = server.credentials;
    const { api } = clientWorld.world;
    const token = succeeded(await api.requestToken({ projectId, projectSecret, orgUserId }));
    return lifetimeMs === undefined
      ? token
      : { ...token, expiresAt: new Date(Date.now() + lifetimeMs).toISOString() };
  };

  beforeAll(async () => {
    [site, browser] = await Promise.all([startClientSite(issueToken), startBrowser()]);
    server = await startTestStandalone({
      ...CLIENT_CASE_SETTINGS,
      CORS_ORIGINS: site.origin,
    });
    page = await browser.newPage(site.origin);
    run = runIn(page);
    const { baseUrl, credentials } = server;
    clientWorld = {
      world: await makeStatusWorld(await createApi(credentials), credentials.adminOrgUserId),
      baseUrl,
      renewable: { baseUrl, tokenUrl: `${site.origin}/token` },
      run,
    };
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });
  afterEach(() => failFor(browser.takeProblems().filter((problem) => !NO_SUCCESS.test(problem))));

  describeClient(() => clientWorld);

  it.each([
    ['another token when the one before has ended', 1000, 2],
    ['one token for as long as it lasts', 60_000, 1],
  ])('fetches %s', async (_, lasts, tokens) => {
    lifetimeMs = lasts;
    const before = site.tokensGiven();
    expect(valueOf(await run('callTwice', clientWorld.renewable, 1000))).not.toEqual([]);
    lifetimeMs = undefined;
    expect(site.tokensGiven() - before).toBe(tokens);
  });

  it('throws the error of the function that fetches a token', async () => {
    const connection = { baseUrl: server.baseUrl, tokenUrl: `${site.origin}/nowhere` };
    const outcome = await run('call', connection, { operationId: 'listProjects', input: {} });
    expect(thrownOf(outcome)).toMatchObject({
      type: null,
      message: expect.stringMatching(/JSON/) as unknown,
    });
  });

  it('retries after the time that an overloaded server returns', async () => {
    const limits = { ...HELD_PLACE_SETTINGS, MAX_IN_FLIGHT: '1', CORS_ORIGINS: site.origin };
    await using small = await startTestStandalone(limits);
    const { admin } = await createApi(small.credentials);
    const connection: Connection = { baseUrl: small.baseUrl, accessToken: admin.token };
    const call = { operationId: 'createDashboard', input: { title: 'After the rush' } };
    await using held = await holdPlaces(admin, 1);
    const refused = await run('call', { ...connection, retry: { retries: 0 } }, call);
    expect(thrownOf(refused)).toMatchObject({ status: 503, code: 'UNAVAILABLE', retryAfterSeconds: 1 });
    const full = page.waitForResponse((response) => response.status() === 503);
    const called = run('call', connection, call);
    await full;
    await held.release();
    expect(valueOf(await called)).toMatchObject({ data: { dashboard: call.input }, isReplayed: false });
  });

  describe('through a network that fails', () => {
    let proxy: TcpProxy;
    let connection: Connection;
    beforeAll(async () => {
      proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server.baseUrl).port) });
      const baseUrl = `http://127.0.0.1:${proxy.port}`;
      connection = { baseUrl, accessToken: clientWorld.world.admin.token };
    });
    afterEach(() => {
      proxy.heal();
      failFor(browser.takeProblems().filter((problem) => !NO_ANSWER.test(problem)));
    });
    afterAll(() => proxy[Symbol.asyncDispose]());

    it('creates one record for a request whose first response was lost', async () => {
      const { admin } = clientWorld.world;
      const create = (title: string, retry: Connection['retry'] = {}) =>
        run('call', { ...connection, retry }, { operationId: 'createDashboard', input: { title } });
      // From here on, the browser has the result of the preflight, so the delay affects only the request
      // itself.
      valueOf(await create(unique('First')));
      const title = unique('Made once');
      const keys: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
      });
      proxy.fail({ delayMs: 1000 });
      const created = create(title, { retries: 9 });
      await expect.poll(() => findDashboards(admin, title), { interval: 20 }).toHaveLength(1);
      const failed = page.waitForEvent('requestfailed');
      proxy.fail('refuse');
      await failed;
      proxy.heal();
      const { data, isReplayed } = valueOf(await created);
      const found = await findDashboards(admin, title);
      expect([data, isReplayed, found.length]).toEqual([
        { dashboard: expect.objectContaining({ id: found[0]?.id }) as unknown },
        true,
        1,
      ]);
      expect(keys.length).toBeGreaterThan(1);
      expect([...new Set(keys)]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    });

    it.each([
      ['hang', 'timedOut'],
      ['refuse', 'unreachable'],
    ] as const)('reports for connections that %s: %s', async (fault, reason) => {
      proxy.fail(fault);
      const hasty = { ...connection, retry: { retries: 0 }, timeoutMs: 300 };
      const outcome = await run('call', hasty, { operationId: 'listProjects', input: {} });
      expect(thrownOf(outcome)).toMatchObject({ type: 'NoAnswerError', reason });
    });
  });

  /**
   * The error of each kind of call, the browser's own errors, and whether the platform carried the operation
   * out.
   */
  const callBlocked = async (runThere: RunProgram, baseUrl: string, admin: Session) => {
    const connection = { baseUrl, accessToken: admin.token, retry: { baseDelayMs: 0 } };
    const title = unique('Blocked');
    const outcomes = [
      await runThere('call', connection, { operationId: 'listProjects', input: {} }),
      await runThere('call', connection, { operationId: 'createDashboard', input: { title } }),
      await runThere('readIds', connection, { operationId: 'listDashboards', input: {} }),
      await runThere('readLines', connection, { operationId: 'validateAllDashboards', input: {} }),
    ];
    const problems = browser.takeProblems();
    const blocked = problems.filter((problem) => BLOCKED.test(problem));
    failFor(problems.filter((problem) => !BLOCKED.test(problem) && !NO_ANSWER.test(problem)));
    const created = await findDashboards(admin, title);
    return { errors: outcomes.map(thrownOf), blocked: blocked.length, created };
  };
  /** The browser hides its reason. All of these are retried, each time without success. */
  const refusedByBrowser = {
    errors: Array.from({ length: 4 }, () => ({
      name: 'NoAnswerError',
      type: 'NoAnswerError',
      reason: 'unreachable',
      message: 'Gatehouse cannot be reached',
      cause: 'TypeError: Failed to fetch',
    })),
    blocked: 4 * 3,
    created: [],
  };

  it('is blocked by the browser if only another origin is allowed', async () => {
    const stranger = await browser.newPage(site.otherOrigin);
    const { admin } = clientWorld.world;
    expect(await callBlocked(runIn(stranger), server.baseUrl, admin)).toEqual(refusedByBrowser);
    await stranger.close();
  });

  it('is blocked by the browser if no origin is allowed', async () => {
    await using closed = await startTestStandalone();
    const { admin } = await createApi(closed.credentials);
    expect(await callBlocked(run, closed.baseUrl, admin)).toEqual(refusedByBrowser);
  });
});

function failFor(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

async function findDashboards(session: Session, title: string): Promise<{ id: string }[]> {
  const { dashboards } = succeeded(
    await session.get<{ dashboards: { id: string }[] }>(`/dashboards?search=${encodeURIComponent(title)}`),
  );
  return dashboards;
}
