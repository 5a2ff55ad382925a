import { createHmac } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api } from './src/api.js';
import { forms, type Form, type TestServer } from './src/servers.js';
import { ConsoleBrowser, type BrowserAnswer } from './src/sessions/consoleBrowser.js';
import {
  OIDC_CLIENT,
  OpenIdProvider,
  ProviderBrowser,
  type TokenParts,
} from './src/sessions/openIdProvider.js';

const DASHBOARDS = '/api/management/v1/dashboards';
const START = '/console/session/sign-in';
const LOGOUT = '/console/session/back-channel-logout';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The claims of Keycloak: roles in a nested object, groups as paths, a tenant in a claim of its own. */
const mappingOf = (organizationId: string, groupId: string) => ({
  organizationId,
  people: [
    {
      when: [{ claim: 'tenant', value: 'from-claim' }],
      tenantId: { claim: ['realm_access', 'tenantId'] },
      role: 'VIEWER',
      createsUsers: true,
    },
    { when: [{ claim: ['realm_access', 'roles'], value: 'gatehouse-admin' }], role: 'ADMIN' },
    {
      when: [{ claim: ['realm_access', 'roles'], value: 'gatehouse-author' }],
      role: 'AUTHOR',
      createsUsers: true,
    },
    { when: [{ claim: 'roles', value: 'any' }] },
  ],
  groups: [{ when: [{ claim: 'groups', value: '/finance' }], groupId }],
});

describe.each(forms)('$form', ({ start }: { form: Form; start: (typeof forms)[number]['start'] }) => {
  let server: TestServer;
  let api: Api;
  let provider: OpenIdProvider;
  let groupId: string;
  let dataDir: string;

  beforeAll(async () => {
    const port = await findFreePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await OpenIdProvider.start(publicUrl);
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const organizationId = await prepareInstallation();
    server = await start({
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ...OIDC_CLIENT,
      OIDC_ISSUER: provider.issuer,
      OIDC_SCOPE: 'openid email profile roles',
      OIDC_MATCH_EMAIL: '1',
      OIDC_MAPPING: JSON.stringify(mappingOf(organizationId, groupId)),
    });
    api = await createApi(server.credentials);
  });

  /** The mapping names ids of records, so that the installation exists before it is read. */
  async function prepareInstallation(): Promise<string> {
    const first = await start({ DATA_DIR: dataDir });
    const { organizationId } = first.credentials;
    groupId = (await (await createApi(first.credentials)).createGroup()).id;
    await first.stop();
    return organizationId;
  }
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await removeDataDir(dataDir);
  });
  beforeEach(() => {
    provider.tamper = null;
    provider.replaceToken = null;
    provider.intercept = null;
  });

  const open = () => new ConsoleBrowser(server.baseUrl);
  type Entries = { auditEvents: { data: Record<string, unknown> }[] };
  const readAudit = async (path: string) => succeeded(await api.admin.get<Entries>(path)).auditEvents;

  /** An account of an author, who is created at the first sign-in unless a user has the e-mail. */
  function addAccount(claims: Record<string, unknown> = {}): string {
    const sub = unique('sub');
    const email = `${sub.toLowerCase()}@example.com`;
    const roles = { realm_access: { roles: ['gatehouse-author'] } };
    provider.accounts.set(sub, { sub, email, email_verified: true, name: 'Nora', ...roles, ...claims });
    provider.current = sub;
    return sub;
  }

  const targetOf = ({ headers }: BrowserAnswer) => headers.get('location') ?? '';

  /** Starts a sign-in, and returns the address at which the provider sends the browser back. */
  async function authorize(
    browser: ConsoleBrowser,
    atProvider = new ProviderBrowser(),
    returnTo = '',
  ): Promise<URL> {
    const started = await browser.send('GET', START + returnTo);
    expect(started.status).toBe(302);
    return atProvider.open(targetOf(started));
  }

  const finish = (browser: ConsoleBrowser, callback: URL) => {
    // The redirect comes from another site, so that only the cookie that is not `Strict` comes with it.
    const attempt = browser.cookies.get('gatehouse-sign-in');
    const cookie = attempt === undefined ? '' : `gatehouse-sign-in=${attempt}`;
    const headers = { 'sec-fetch-site': 'cross-site', cookie };
    return browser.send('GET', callback.pathname + callback.search, { headers });
  };

  /** Signs in, and returns the address at the end. */
  async function signIn(
    browser: ConsoleBrowser,
    atProvider = new ProviderBrowser(),
    returnTo = '',
  ): Promise<string> {
    return targetOf(await finish(browser, await authorize(browser, atProvider, returnTo)));
  }

  const failed = (reason: string) => `/console/?signInError=${reason}`;

  /** Sends the response of the provider, and returns what the browser has then. */
  async function outcomeOf(browser: ConsoleBrowser, callback: URL) {
    const target = targetOf(await finish(browser, callback));
    const { status } = await browser.send('GET', DASHBOARDS);
    return { target, hasSession: browser.cookies.has('gatehouse'), status };
  }
  const failure = (reason: string) => ({ target: failed(reason), hasSession: false, status: 401 });

  describe('signing in at the provider', () => {
    it('opens a session of the person of the claims, and returns to the wanted page', async () => {
      addAccount({ groups: ['/finance'] });
      const browser = open();
      const target = await signIn(
        browser,
        new ProviderBrowser(),
        '?returnTo=/console/access/d_1%3Ftab%3D2%23x',
      );
      expect(target).toBe('/console/access/d_1?tab=2#x');
      const session = await browser.session();
      expect(session).toMatchObject({
        signedIn: true,
        methods: { oidc: true, code: true },
        user: { name: 'Nora', role: 'AUTHOR', kind: 'orgUser' },
      });
      expect(JSON.stringify(session)).not.toContain('eyJ');
      const created = await browser.call('POST', DASHBOARDS, { json: { title: 'Sales' } });
      expect(created.status).toBe(201);
      const { members } = succeeded(
        await api.admin.get<{ members: { name: string }[] }>(`/groups/${groupId}/members`),
      );
      expect(members.map(({ name }) => name)).toContain('Nora');
    });

    it('sends the provider the challenge of a secret that stays in the gateway and its cookie', async () => {
      const browser = open();
      const started = await browser.send('GET', START);
      const { searchParams } = new URL(targetOf(started));
      expect(Object.fromEntries(searchParams)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
        state: expect.stringMatching(/^[\w-]{43}$/) as string,
        nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
        redirect_uri: `${server.baseUrl}/console/session/callback`,
      });
      const [cookie = ''] = browser.received;
      expect(cookie).toMatch(/^gatehouse-sign-in=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect(cookie).not.toContain(searchParams.get(name));
      const other = await open().send('GET', START);
      for (const name of ['state', 'nonce', 'code_challenge'])
        expect(new URL(targetOf(other)).searchParams.get(name)).not.toBe(searchParams.get(name));
    });

    it('is in the audit log with its method, address and browser', async () => {
      addAccount();
      const browser = open();
      await signIn(browser);
      const { session } = (await browser.session()) as { session: { id: string } };
      await expect
        .poll(
          async () => {
            const path = '/audit-events?type=management.session.created.v1&limit=100';
            return (await readAudit(path)).find(({ data }) => data['id'] === session.id)?.data;
          },
          { timeout: 60_000 },
        )
        .toMatchObject({ method: 'oidc', address: '127.0.0.1', userAgent: 'Test browser/1.0' });
    });

    it('finds an existing person by a verified e-mail, with the role of the claims', async () => {
      const viewer = await api.createOrgUser('VIEWER');
      addAccount({ email: viewer.email.toUpperCase() });
      const browser = open();
      await signIn(browser);
      expect(await browser.session()).toMatchObject({ user: { id: viewer.id, role: 'AUTHOR' } });
    });

    it('puts a person into the tenant of its claims', async () => {
      const tenant = await api.createTenant();
      addAccount({ tenant: 'from-claim', realm_access: { tenantId: tenant.id, roles: ['gatehouse-admin'] } });
      const browser = open();
      await signIn(browser);
      expect(await browser.session()).toMatchObject({
        user: { kind: 'tenantUser', role: 'VIEWER', tenantId: tenant.id },
      });
    });

    it('ends the former session of the browser, whose cookie does not come with the redirect', async () => {
      addAccount();
      const browser = open();
      await signIn(browser);
      const former = browser.cookies.get('gatehouse') ?? '';
      expect(await signIn(browser)).toBe('/console/');
      expect(await browser.session()).toMatchObject({ signedIn: true });
      const copy = open();
      copy.cookies.set('gatehouse', former);
      expect(await copy.session()).toMatchObject({ signedIn: false });
    });

    it('works after the provider has replaced its key', async () => {
      addAccount();
      expect(await signIn(open())).toBe('/console/');
      provider.rotateKey();
      expect(await signIn(open())).toBe('/console/');
    });
  });

  describe('a sign-in is rejected', () => {
    it.each<[string, Record<string, unknown>, string]>([
      ['an e-mail that is not verified', { email_verified: false }, 'EMAIL_NOT_VERIFIED'],
      ['an e-mail that is verified in another form', { email_verified: 'true' }, 'EMAIL_NOT_VERIFIED'],
      ['no e-mail', { email: undefined }, 'EMAIL_NOT_VERIFIED'],
      ['claims that no rule names', { realm_access: { roles: ['other'] } }, 'NOT_MAPPED'],
      [
        'a tenant that does not exist',
        { tenant: 'from-claim', realm_access: { tenantId: 't_none' } },
        'UNKNOWN_USER',
      ],
      [
        'a tenant with a malformed id',
        { tenant: 'from-claim', realm_access: { tenantId: { $ne: 1 } } },
        'NOT_MAPPED',
      ],
      ['a rule that creates no person', { roles: ['any'], realm_access: {} }, 'UNKNOWN_USER'],
    ])('for %s', async (_what, claims, reason) => {
      addAccount(claims);
      const browser = open();
      expect(await outcomeOf(browser, await authorize(browser))).toEqual(failure(reason));
    });

    it('for a deactivated person', async () => {
      const user = await api.createOrgUser('VIEWER', { isActive: false });
      addAccount({ email: user.email });
      const browser = open();
      expect(await outcomeOf(browser, await authorize(browser))).toEqual(failure('USER_INACTIVE'));
    });

    it('if the person rejects it there, without the text of the provider', async () => {
      provider.current = null;
      const browser = open();
      const callback = await authorize(browser);
      expect(callback.search).toContain('script');
      expect(await outcomeOf(browser, callback)).toEqual(failure('PROVIDER_REFUSED'));
    });

    it.each<[string, (parts: TokenParts) => void]>([
      ['another nonce', ({ claims }) => void (claims['nonce'] = 'another')],
      ['no nonce', ({ claims }) => void delete claims['nonce']],
      ['another issuer', ({ claims }) => void (claims['iss'] = 'https://other.example')],
      ['another audience', ({ claims }) => void (claims['aud'] = 'another-client')],
      [
        'an audience of several, for another party',
        ({ claims }) => Object.assign(claims, { aud: ['gatehouse', 'x'], azp: 'x' }),
      ],
      ['an end in the past', ({ claims }) => void (claims['exp'] = Math.floor(Date.now() / 1000) - 600)],
      ['no subject', ({ claims }) => void delete claims['sub']],
      ['an unknown key', ({ header }) => void (header['kid'] = 'unknown')],
      ['a critical extension', ({ header }) => void (header['crit'] = ['x'])],
    ])('for an ID token with %s', async (_what, tamper) => {
      addAccount();
      provider.tamper = tamper;
      const browser = open();
      expect(await outcomeOf(browser, await authorize(browser))).toEqual(failure('INVALID_RESPONSE'));
    });

    const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
    it.each<[string, (token: string) => string]>([
      ['no signature', (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`],
      [
        'a signature with the secret of the client',
        (token) => {
          const signed = `${encode({ alg: 'HS256' })}.${token.split('.')[1]}`;
          const key = OIDC_CLIENT.OIDC_CLIENT_SECRET;
          return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
        },
      ],
      ['a changed signature', (token) => `${token.slice(0, -12)}AAAAAAAAAAAA`],
      ['no form of a token', () => 'x'],
    ])('for an ID token with %s', async (_what, replace) => {
      addAccount();
      provider.replaceToken = replace;
      const browser = open();
      expect(await outcomeOf(browser, await authorize(browser))).toEqual(failure('INVALID_RESPONSE'));
    });

    it('for a wrong, missing or repeated state', async () => {
      addAccount();
      for (const change of [
        (query: URLSearchParams) => query.set('state', 'a'.repeat(43)),
        (query: URLSearchParams) => query.delete('state'),
        (query: URLSearchParams) => query.append('state', 'a'.repeat(43)),
      ]) {
        const browser = open();
        const callback = await authorize(browser);
        change(callback.searchParams);
        expect(await outcomeOf(browser, callback)).toEqual(failure('STATE'));
      }
    });

    it('for a response that belongs to another browser, or to none', async () => {
      addAccount();
      const [victim, attacker] = [open(), open()];
      const callback = await authorize(attacker);
      expect(await outcomeOf(victim, callback)).toEqual(failure('STATE'));
      await authorize(victim);
      expect(await outcomeOf(victim, callback)).toEqual(failure('STATE'));
    });

    it('for the code of another sign-in, although the state is right', async () => {
      addAccount();
      const [victim, attacker] = [open(), open()];
      const stolen = await authorize(attacker);
      const callback = await authorize(victim);
      callback.searchParams.set('code', stolen.searchParams.get('code') ?? '');
      expect(await outcomeOf(victim, callback)).toEqual(failure('INVALID_RESPONSE'));
    });

    it('for a response that names another issuer, or two', async () => {
      addAccount();
      for (const change of [
        (query: URLSearchParams) => query.set('iss', 'https://other.example'),
        (query: URLSearchParams) => query.append('iss', 'https://other.example'),
        (query: URLSearchParams) => query.delete('iss'),
      ]) {
        const browser = open();
        const callback = await authorize(browser);
        change(callback.searchParams);
        expect(await outcomeOf(browser, callback)).toEqual(failure('INVALID_RESPONSE'));
      }
    });

    it('for a response that is used again, also with a copy of the cookie', async () => {
      addAccount();
      const browser = open();
      const callback = await authorize(browser);
      const copy = open();
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      expect(targetOf(await finish(browser, callback))).toBe('/console/');
      expect(browser.cookies.has('gatehouse-sign-in')).toBe(false);
      expect(targetOf(await finish(browser, callback))).toBe(failed('STATE'));
      expect(await outcomeOf(copy, callback)).toEqual(failure('INVALID_RESPONSE'));
    });

    it('for a cookie that was changed: neither its age nor its target is trusted', async () => {
      addAccount();
      for (const change of [
        (cookie: string) => cookie.replace(/\.\d+\./, `.${Math.floor(Date.now() / 1000) - 5}.`),
        (cookie: string) => cookie.replace(/\.\d+\./, '.1.'),
        (cookie: string) => cookie.replace(/[^.]+$/, Buffer.from('//evil.example').toString('base64url')),
        () => 'x',
      ]) {
        const browser = open();
        const callback = await authorize(browser);
        browser.cookies.set('gatehouse-sign-in', change(browser.cookies.get('gatehouse-sign-in') ?? ''));
        expect(await outcomeOf(browser, callback)).toEqual(failure('STATE'));
      }
    });

    it('and the failures of responses are in the audit log', async () => {
      await expect
        .poll(
          async () => {
            const path = '/audit-events?type=management.sign_in.failed.v1&limit=500';
            const events = await readAudit(path);
            return [...new Set(events.map(({ data }) => String(data['reason'])))].toSorted();
          },
          { timeout: 60_000 },
        )
        .toEqual(
          expect.arrayContaining([
            'EMAIL_NOT_VERIFIED',
            'INVALID_RESPONSE',
            'NOT_MAPPED',
            'PROVIDER_REFUSED',
            'STATE',
          ]),
        );
    });
  });

  describe('the target of a sign-in', () => {
    it.each([
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/console@evil.example',
      '/consolex',
      '/api/v1/sessions',
      '/console/../api',
      '/console/%2e%2e/api',
      '/console\\..\\..\\evil',
      '/console/session/sign-in',
      '/console/session',
      'console/',
      'javascript:alert(1)',
      '\t//evil.example',
      `/console/${'a'.repeat(2000)}`,
    ])('is a page of the console, and not %j', async (target) => {
      const browser = open();
      const { status } = await browser.send('GET', `${START}?returnTo=${encodeURIComponent(target)}`);
      expect([status, browser.received]).toEqual([400, []]);
    });
  });

  describe('a provider that fails', () => {
    it.each<[string, NonNullable<OpenIdProvider['intercept']>, string]>([
      ['does not respond', () => true, 'PROVIDER_UNAVAILABLE'],
      [
        'responds without end',
        (_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const chunk = 'x'.repeat(64 * 1024);
          const write = () => {
            while (!response.destroyed && response.write(chunk));
            if (!response.destroyed) response.once('drain', write);
          };
          write();
          return true;
        },
        'PROVIDER_UNAVAILABLE',
      ],
      [
        'redirects to another host',
        (_request, response) => {
          response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
          return true;
        },
        'INVALID_RESPONSE',
      ],
      [
        'responds with a page instead of JSON',
        (_request, response) => {
          response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
          return true;
        },
        'INVALID_RESPONSE',
      ],
      [
        'closes the connection',
        (request) => {
          request.socket.destroy();
          return true;
        },
        'PROVIDER_UNAVAILABLE',
      ],
    ])('and %s, ends one sign-in and nothing else', async (_what, intercept, reason) => {
      addAccount();
      const browser = open();
      const callback = await authorize(browser);
      provider.intercept = (request, response) => request.url === '/token' && intercept(request, response);
      const pending = outcomeOf(browser, callback);
      expect((await api.admin.get('/dashboards')).status).toBe(200);
      expect(await pending).toEqual(failure(reason));
      provider.intercept = null;
      expect(await signIn(open())).toBe('/console/');
    });
  });

  describe('the end of a session at the provider', () => {
    it('is requested by signing out, through the page and without a token', async () => {
      addAccount();
      const browser = open();
      await signIn(browser);
      await browser.session();
      const { status, body } = await browser.call('POST', '/console/session/sign-out');
      expect(status).toBe(200);
      const redirectTo = new URL(String(body?.['redirectTo']));
      expect(redirectTo.origin).toBe(provider.issuer);
      expect(Object.fromEntries(redirectTo.searchParams)).toEqual({
        client_id: 'gatehouse',
        post_logout_redirect_uri: `${server.baseUrl}/console/`,
      });
      expect(await browser.session()).toMatchObject({ signedIn: false });
    });

    it('ends the session here, through the back channel', async () => {
      addAccount();
      const [browser, elsewhere] = [open(), open()];
      const atProvider = new ProviderBrowser();
      await signIn(browser, atProvider);
      await signIn(elsewhere);
      expect((await browser.call('GET', DASHBOARDS)).status).toBe(200);
      await atProvider.signOut(`${provider.issuer}/session/end?client_id=gatehouse`);
      expect((await browser.call('GET', DASHBOARDS)).status).toBe(401);
      expect(await browser.session()).toMatchObject({ signedIn: false });
      expect(await elsewhere.session()).toMatchObject({ signedIn: true });
    });

    const seconds = () => Math.floor(Date.now() / 1000);
    const claimsOf = (sub: string, changes: Record<string, unknown> = {}) => ({
      iss: provider.issuer,
      aud: 'gatehouse',
      iat: seconds(),
      exp: seconds() + 120,
      jti: unique('jti'),
      sub,
      events: { [LOGOUT_EVENT]: {} },
      ...changes,
    });
    const post = (token: string, type = 'application/x-www-form-urlencoded') =>
      fetch(server.baseUrl + LOGOUT, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new URLSearchParams({ logout_token: token }).toString(),
      });

    it('of a whole subject ends all of its sessions', async () => {
      const sub = addAccount();
      const browsers = [open(), open()];
      for (const browser of browsers) await signIn(browser);
      expect((await post(provider.signToken(claimsOf(sub), { typ: 'logout+jwt' }))).status).toBe(200);
      for (const browser of browsers) expect(await browser.session()).toMatchObject({ signedIn: false });
    });

    it.each<[string, (sub: string) => string]>([
      ['a nonce, as an ID token has', (sub) => provider.signToken(claimsOf(sub, { nonce: 'x' }))],
      ['no event', (sub) => provider.signToken(claimsOf(sub, { events: undefined }))],
      ['another event', (sub) => provider.signToken(claimsOf(sub, { events: { other: {} } }))],
      ['another audience', (sub) => provider.signToken(claimsOf(sub, { aud: 'other' }))],
      ['another issuer', (sub) => provider.signToken(claimsOf(sub, { iss: 'https://other.example' }))],
      ['no id', (sub) => provider.signToken(claimsOf(sub, { jti: undefined }))],
      ['no time', (sub) => provider.signToken(claimsOf(sub, { iat: undefined }))],
      ['an end in the past', (sub) => provider.signToken(claimsOf(sub, { exp: seconds() - 60 }))],
      ['a time long ago', (sub) => provider.signToken(claimsOf(sub, { iat: seconds() - 3600 }))],
      ['no subject', () => provider.signToken(claimsOf('', { sub: undefined }))],
      ['another type', (sub) => provider.signToken(claimsOf(sub), { typ: 'at+jwt' })],
      ['no signature', (sub) => provider.signToken(claimsOf(sub)).replace(/[^.]+$/, '')],
    ])('is rejected for a token with %s', async (_what, makeToken) => {
      const sub = addAccount();
      const browser = open();
      await signIn(browser);
      const answer = await post(makeToken(sub));
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
      expect(await browser.session()).toMatchObject({ signedIn: true });
    });

    it('is rejected for a token that was used, which ends no later session', async () => {
      const sub = addAccount();
      const token = provider.signToken(claimsOf(sub));
      expect((await post(token)).status).toBe(200);
      const browser = open();
      await signIn(browser);
      expect((await post(token)).status).toBe(400);
      expect(await browser.session()).toMatchObject({ signedIn: true });
    });

    it('is a form', async () => {
      expect((await post(provider.signToken(claimsOf('x')), 'application/json')).status).toBe(415);
      expect((await post('')).status).toBe(400);
    });
  });
});
