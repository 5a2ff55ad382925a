import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { ConsoleBrowser, createCode, type BrowserAnswer } from './src/sessions/consoleBrowser.js';
import { OIDC_CLIENT, OpenIdProvider, ProviderBrowser } from './src/sessions/openIdProvider.js';

const START = '/console/session/sign-in';
/** For each address and minute. */
const LIMIT = 20;
const FLOOD = 2000;
const CONCURRENT = 50;
/** The failed responses in the audit log, each minute. */
const REPORTS_MAX = 100;

let dataDir: string;
let provider: OpenIdProvider;
let server: TestServer;
let api: Api;

beforeAll(async () => {
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  provider = await OpenIdProvider.start(publicUrl);
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  // The mapping names the organization, so that it exists before it is read.
  const first = await startTestStandalone({ DATA_DIR: dataDir });
  const { organizationId } = first.credentials;
  await first.stop();
  server = await startTestStandalone({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_TOKEN: String(LIMIT),
    ...OIDC_CLIENT,
    OIDC_ISSUER: provider.issuer,
    OIDC_MAPPING: JSON.stringify({
      organizationId,
      people: [{ when: [{ claim: 'sub', value: 'nora' }], role: 'VIEWER', createsUsers: true }],
    }),
  });
  api = await createApi(server.credentials);
  const claims = { email: 'nora@example.com', email_verified: true, name: 'Nora' };
  provider.accounts.set('nora', { sub: 'nora', ...claims });
  provider.current = 'nora';
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await removeDataDir(dataDir);
});

const targetOf = ({ headers }: BrowserAnswer) => headers.get('location') ?? '';
const sendFrom = (browser: ConsoleBrowser, address: string, target: string) =>
  browser.send('GET', target, {
    headers: { 'x-forwarded-for': address, 'sec-fetch-site': 'cross-site' },
  });

/** Starts a sign-in, and returns the address at which the provider sends the browser back. */
async function authorize(browser: ConsoleBrowser, address: string): Promise<string> {
  const started = await sendFrom(browser, address, START);
  const { pathname, search } = await new ProviderBrowser().open(targetOf(started));
  return pathname + search;
}

/** Sends many requests, each of a browser of its own, and returns the responses. */
async function flood(
  count: number,
  addressOf: (index: number) => string,
  target: string,
): Promise<{ answer: BrowserAnswer; cookies: number }[]> {
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const answers: { answer: BrowserAnswer; cookies: number }[] = [];
  const work = async () => {
    for (const index of indexes) {
      const browser = new ConsoleBrowser(server.baseUrl);
      const answer = await sendFrom(browser, addressOf(index), target);
      answers.push({ answer, cookies: browser.cookies.size });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return answers;
}

describe('a stranger who tries sign-in codes', () => {
  const OFFICE = '203.0.113.77';
  const signInWith = async (code: string) => {
    const headers = { 'x-forwarded-for': OFFICE };
    const browser = new ConsoleBrowser(server.baseUrl);
    return (await browser.send('POST', '/console/session/code', { json: { code }, headers })).status;
  };
  const admin = () => ({ orgUserId: server.credentials.adminOrgUserId });

  it('is limited by address, and locks out no other person at this address', async () => {
    const spent = await createCode(api, admin());
    expect(await signInWith(spent)).toBe(204);
    const statuses: number[] = [];
    for (let tried = 0; tried < 3 * LIMIT; tried += 1) statuses.push(await signInWith(spent));
    expect(statuses.slice(0, LIMIT)).toEqual(statuses.slice(0, LIMIT).fill(401));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(LIMIT);
    expect(await signInWith(await createCode(api, admin()))).toBe(204);
    const path = '/audit-events?type=management.sign_in.failed.v1&limit=500';
    const { auditEvents } = succeeded(await api.admin.get<{ auditEvents: unknown[] }>(path));
    expect(auditEvents.length).toBeLessThanOrEqual(2 * LIMIT);
  });
});

describe('a stranger who starts thousands of sign-ins', () => {
  const STRANGER = '203.0.113.9';
  const PERSON = '198.51.100.7';

  it('is limited by address, and neither reaches the provider nor gets a cookie beyond', async () => {
    const browser = new ConsoleBrowser(server.baseUrl);
    const callback = await authorize(browser, PERSON);
    let reached = 0;
    provider.intercept = () => {
      reached += 1;
      return false;
    };
    const startedAt = Date.now();
    const answers = await flood(FLOOD, () => STRANGER, `${START}?returnTo=/console/${'x'.repeat(900)}`);
    provider.intercept = null;
    const allowed = answers.filter(({ answer }) => targetOf(answer).startsWith(provider.issuer));
    // The limit begins again with each minute that the flood takes.
    const minutes = Math.ceil((Date.now() - startedAt) / 60_000) + 1;
    expect(allowed.length).toBeGreaterThanOrEqual(LIMIT);
    expect(allowed.length).toBeLessThanOrEqual(LIMIT * minutes);
    for (const { cookies } of allowed) expect(cookies).toBe(1);
    const refused = answers.filter((each) => !allowed.includes(each));
    expect(refused).toHaveLength(FLOOD - allowed.length);
    for (const { answer, cookies } of refused)
      expect([answer.status, targetOf(answer), cookies]).toEqual([
        302,
        '/console/?signInError=RATE_LIMITED',
        0,
      ]);
    expect(reached).toBe(0);
    // What another person had begun is finished, and another one begins.
    expect(targetOf(await sendFrom(browser, PERSON, callback))).toBe('/console/');
    const next = new ConsoleBrowser(server.baseUrl);
    expect(targetOf(await sendFrom(next, PERSON, await authorize(next, PERSON)))).toBe('/console/');
  });

  it('from as many addresses leaves nothing that ends the sign-in of another person', async () => {
    const browser = new ConsoleBrowser(server.baseUrl);
    const callback = await authorize(browser, '198.51.100.8');
    const addressOf = (index: number) => `10.${index % 250}.${Math.floor(index / 250)}.1`;
    const answers = await flood(FLOOD, addressOf, START);
    // The state of a sign-in is in its cookie alone, so that none displaces another.
    const states = answers.map(({ answer }) => new URL(targetOf(answer)).searchParams.get('state'));
    expect(new Set(states).size).toBe(FLOOD);
    expect(targetOf(await sendFrom(browser, '198.51.100.8', callback))).toBe('/console/');
  });

  it('cannot fill the audit log with failed responses', async () => {
    const countOf = async () => {
      const path = '/audit-events?type=management.sign_in.failed.v1&limit=500';
      return succeeded(await api.admin.get<{ auditEvents: unknown[] }>(path)).auditEvents.length;
    };
    const startedAt = Date.now();
    const answers = await flood(400, (index) => `10.1.${index % 250}.2`, '/console/session/callback?state=x');
    for (const { answer } of answers) expect(targetOf(answer)).toBe('/console/?signInError=STATE');
    await expect.poll(countOf, { timeout: 60_000 }).toBeGreaterThanOrEqual(REPORTS_MAX);
    const minutes = Math.ceil((Date.now() - startedAt) / 60_000) + 1;
    expect(await countOf()).toBeLessThanOrEqual(REPORTS_MAX * minutes);
  });
});
