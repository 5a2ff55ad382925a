import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, sendRequest, succeeded, type Api } from './src/api.js';
import { exchange } from './src/exchange.js';
import { forms, type Form, type TestServer } from './src/servers.js';
import { ConsoleBrowser, createCode, signIn } from './src/sessions/consoleBrowser.js';

const ELSEWHERE: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
];
const DASHBOARDS = '/api/management/v1/dashboards';
const title = 'Sales';

describe.each(forms)('$form', ({ start }: { form: Form; start: (typeof forms)[number]['start'] }) => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const admin = () => ({ orgUserId: server.credentials.adminOrgUserId });
  const open = () => new ConsoleBrowser(server.baseUrl);

  describe('signing in with a one-time code', () => {
    it('gives a cookie that no script reads and no other site sends, and no token', async () => {
      const browser = await signIn(api, admin());
      const [cookie = ''] = browser.received;
      expect(cookie).toMatch(/^gatehouse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
      const body = JSON.stringify(await browser.session());
      expect(body).not.toContain('eyJ');
      expect(body).not.toContain([...browser.cookies.values()][0]);
    });

    it('shows who is signed in, where, and until when', async () => {
      const author = await api.createOrgUser('AUTHOR', { name: 'Ada' });
      const browser = await signIn(api, { orgUserId: author.id });
      expect(await browser.session()).toMatchObject({
        signedIn: true,
        methods: { oidc: false, code: true },
        session: { id: expect.stringMatching(/^ses_/) as string, createdAt: expect.any(String) as string },
        user: { id: author.id, kind: 'orgUser', name: 'Ada', role: 'AUTHOR', email: author.email },
        projects: expect.arrayContaining([
          { id: api.project.projectId, name: expect.any(String) as string },
        ]) as object,
        csrfToken: expect.stringMatching(/^[\w-]{43}$/) as string,
      });
      const { headers } = await browser.send('GET', '/console/session');
      expect(headers.get('cache-control')).toBe('no-store');
    });

    it('works once: a used, wrong or malformed code is rejected and sets no cookie', async () => {
      const code = await createCode(api, admin());
      expect((await open().signInWith(code)).status).toBe(204);
      for (const rejected of [code, 'wrong']) {
        const browser = open();
        const answer = await browser.signInWith(rejected);
        expect([answer.status, answer.body?.['code'], browser.received]).toEqual([
          401,
          'UNAUTHENTICATED',
          [],
        ]);
      }
      for (const json of [{}, { code: '' }, { code: 1 }, { code, more: 1 }, { signInCode: code }])
        expect((await open().send('POST', '/console/session/code', { json })).status).toBe(400);
    });

    it('takes a code that the token endpoint would have taken, and the other way round', async () => {
      const code = await createCode(api, admin());
      expect((await open().signInWith(code)).status).toBe(204);
      expect((await api.requestToken({ signInCode: code })).status).toBe(401);
      const other = await createCode(api, admin());
      expect((await api.requestToken({ signInCode: other })).status).toBe(200);
      expect((await open().signInWith(other)).status).toBe(401);
    });
  });

  describe('a session', () => {
    it('sends requests to the API, in the first project or in the one that they name', async () => {
      const other = await api.createProject('Zebra');
      const browser = await signIn(api, admin());
      const created = await browser.call('POST', DASHBOARDS, {
        json: { title },
        headers: { 'x-gatehouse-project': other.projectId },
      });
      expect([created.status, created.body?.['dashboard']]).toMatchObject([
        201,
        { projectId: other.projectId },
      ]);
      const { dashboard } = created.body as { dashboard: { id: string } };
      const [{ id: first } = { id: '' }] = (await browser.session())['projects'] as { id: string }[];
      const inFirst = await browser.call('POST', DASHBOARDS, { json: { title } });
      expect(inFirst.body?.['dashboard']).toMatchObject({ projectId: first });
      const path = `${DASHBOARDS}/${dashboard.id}`;
      expect((await browser.call('GET', path)).status).toBe(404);
      const headers = { 'x-gatehouse-project': other.projectId };
      expect((await browser.call('GET', path, { headers })).status).toBe(200);
    });

    it.each(['p_unknown', '', 'a b', '../p'])('reaches no project %j', async (project) => {
      const browser = await signIn(api, admin());
      const headers = { 'x-gatehouse-project': project };
      const { status, body } = await browser.call('GET', DASHBOARDS, { headers });
      expect([status, body?.['code']]).toEqual([403, 'FORBIDDEN']);
    });

    it('counts for nothing beside an Authorization header', async () => {
      const author = await api.createOrgUser('AUTHOR');
      const browser = await signIn(api, admin());
      const token = (await api.openSession({ orgUserId: author.id })).token;
      const answer = await browser.send('POST', DASHBOARDS, {
        json: { title },
        headers: { authorization: `Bearer ${token}` },
      });
      expect([answer.status, answer.body?.['dashboard']]).toMatchObject([201, { ownerId: author.id }]);
      const headers = { authorization: 'Bearer wrong' };
      expect((await browser.call('GET', DASHBOARDS, { headers })).status).toBe(401);
    });

    it('ends by signing out, for the browser and for a copy of its cookie', async () => {
      const browser = await signIn(api, admin());
      const copy = open();
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      expect((await copy.call('GET', DASHBOARDS)).status).toBe(200);
      expect((await browser.call('POST', '/console/session/sign-out')).status).toBe(204);
      expect(browser.cookies.size).toBe(0);
      expect(await browser.session()).toEqual({ signedIn: false, methods: { oidc: false, code: true } });
      expect((await copy.call('GET', DASHBOARDS)).status).toBe(401);
      expect(await copy.session()).toMatchObject({ signedIn: false });
      expect(copy.cookies.size).toBe(0);
    });

    it('is never the one that a browser had before it signed in', async () => {
      const browser = await signIn(api, admin());
      const planted = browser.cookies.get('gatehouse') ?? '';
      const author = await api.createOrgUser('AUTHOR');
      expect((await browser.signInWith(await createCode(api, { orgUserId: author.id }))).status).toBe(204);
      expect(browser.cookies.get('gatehouse')).not.toBe(planted);
      const attacker = open();
      attacker.cookies.set('gatehouse', planted);
      expect(await attacker.session()).toMatchObject({ signedIn: false });
      const chosen = open();
      chosen.cookies.set('gatehouse', 'a'.repeat(43));
      expect((await chosen.signInWith(await createCode(api, admin()))).status).toBe(204);
      expect(chosen.cookies.get('gatehouse')).not.toBe('a'.repeat(43));
    });
  });

  describe('another site', () => {
    const rejected = (answer: { status: number; body: Record<string, unknown> | null }) => [
      answer.status,
      answer.body?.['code'],
    ];

    it.each<[string, Record<string, string>]>([
      ['no CSRF token', { 'x-csrf-token': '' }],
      ['a wrong CSRF token', { 'x-csrf-token': 'a'.repeat(43) }],
      ['another origin', { origin: 'https://evil.example' }],
      ['an opaque origin', { origin: 'null' }],
      ['an origin with another port', { origin: 'http://127.0.0.1:1' }],
      ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
      ['a request of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
      ['a form that is opened by hand', { 'sec-fetch-site': 'none' }],
    ])('changes nothing: %s', async (_what, headers) => {
      const browser = await signIn(api, admin());
      const answer = await browser.call('POST', DASHBOARDS, { json: { title }, headers });
      expect(rejected(answer)).toEqual([403, 'CSRF_REJECTED']);
      const signOut = await browser.call('POST', '/console/session/sign-out', { headers });
      expect(rejected(signOut)).toEqual([403, 'CSRF_REJECTED']);
      expect(await browser.session()).toMatchObject({ signedIn: true });
    });

    it('changes nothing with the CSRF token of another session', async () => {
      const [browser, other] = [await signIn(api, admin()), await signIn(api, admin())];
      const headers = { 'x-csrf-token': other.csrfToken };
      const answer = await browser.call('DELETE', `${DASHBOARDS}/d_1`, { headers });
      expect(rejected(answer)).toEqual([403, 'CSRF_REJECTED']);
    });

    it('changes nothing without any statement of where the request comes from', async () => {
      const browser = await signIn(api, admin());
      const { status } = await sendRequest(server.baseUrl, ['POST', DASHBOARDS], {
        body: { title },
        headers: { cookie: browser.cookieHeader(), 'x-csrf-token': browser.csrfToken },
      });
      expect(status).toBe(403);
    });

    it('reads nothing', async () => {
      const browser = await signIn(api, admin());
      for (const target of [DASHBOARDS, '/console/session'])
        for (const headers of ELSEWHERE)
          expect(rejected(await browser.send('GET', target, { headers }))).toEqual([403, 'CSRF_REJECTED']);
    });

    it('signs no user in: neither with a form nor with plain text', async () => {
      const code = await createCode(api, admin());
      const text = JSON.stringify({ code });
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ]) {
        const browser = open();
        const headers = { 'content-type': type };
        expect((await browser.send('POST', '/console/session/code', { text, headers })).status).toBe(415);
      }
      for (const headers of ELSEWHERE) {
        const browser = open();
        const answer = await browser.send('POST', '/console/session/code', { json: { code }, headers });
        expect([...rejected(answer), browser.received]).toEqual([403, 'CSRF_REJECTED', []]);
      }
      expect((await open().signInWith(code)).status).toBe(204);
    });
  });

  describe('a cookie', () => {
    const readWith = async (cookie: string, host?: string) => {
      const { status, text, headers } = await exchange(new URL(`${server.baseUrl}/console/session`), {
        method: 'GET',
        headers: { cookie, ...(host === undefined ? {} : { host }) },
      });
      return { status, body: JSON.parse(text) as { signedIn: boolean }, headers };
    };

    it('that occurs twice is rejected: one of both was planted', async () => {
      const browser = await signIn(api, admin());
      const own = browser.cookieHeader();
      for (const cookie of [`${own}; gatehouse=${'a'.repeat(43)}`, `gatehouse=; ${own}`, `${own}; ${own}`])
        expect((await readWith(cookie)).body.signedIn).toBe(false);
      expect((await readWith(`other=1; ${own}; more=2`)).body.signedIn).toBe(true);
    });

    it.each(['gatehouse=', 'gatehouse=x', `gatehouse="${'a'.repeat(43)}"`, `Gatehouse=${'a'.repeat(43)}`])(
      'of another form signs no user in: %s',
      async (cookie) => {
        expect((await readWith(cookie)).body.signedIn).toBe(false);
        const headers = { cookie, 'sec-fetch-site': 'same-origin' };
        expect((await sendRequest(server.baseUrl, ['GET', DASHBOARDS], { headers })).status).toBe(401);
      },
    );

    it('is bound to its host with HTTPS everywhere but on the machine of the browser', async () => {
      const host = 'gatehouse.example.com';
      const code = await createCode(api, admin());
      const { status, headers } = await exchange(new URL(`${server.baseUrl}/console/session/code`), {
        method: 'POST',
        headers: { host, origin: `https://${host}`, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
      expect(status).toBe(204);
      const cookie = headers.get('set-cookie') ?? '';
      expect(cookie).toMatch(/^__Host-gatehouse=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
      const [pair = ''] = cookie.split(';');
      expect((await readWith(pair, host)).body.signedIn).toBe(true);
      // A page on plain HTTP, or a host beside it, can set only the name without the prefix.
      expect((await readWith(pair.replace('__Host-', ''), host)).body.signedIn).toBe(false);
      expect((await readWith(pair)).body.signedIn).toBe(false);
    });
  });

  it('a person who is deactivated is signed out within a second', async () => {
    const author = await api.createOrgUser('AUTHOR');
    const browser = await signIn(api, { orgUserId: author.id });
    expect((await browser.call('GET', DASHBOARDS)).status).toBe(200);
    succeeded(await api.admin.patch(`/org-users/${author.id}`, { isActive: false }));
    expect((await browser.call('GET', DASHBOARDS)).status).toBe(401);
    expect(await browser.session()).toMatchObject({ signedIn: false });
  });

  it('the operations of the session have their methods, and no other', async () => {
    for (const [method, path] of [
      ['POST', '/console/session'],
      ['GET', '/console/session/code'],
      ['GET', '/console/session/sign-out'],
      ['DELETE', '/console/session'],
    ] as const)
      expect((await open().send(method, path)).status).toBe(405);
  });
});
