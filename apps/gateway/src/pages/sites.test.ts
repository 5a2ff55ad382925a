import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../testing/rawRequest.js';
import { startTestGateway, type TestGateway } from '../testing/testGateway.js';
import { listSite } from './siteFiles.js';

/** The content security policy of each page. */
const POLICIES: Readonly<Record<string, RegExp>> = {
  '/docs': policy("style-src-elem 'self'(?: 'sha256-[\\w+/]{43}='){4}; style-src-attr 'unsafe-inline'"),
  '/console': policy("style-src 'self'"),
};

function policy(styles: string): RegExp {
  return new RegExp(
    `^default-src 'none'; script-src 'self'; ${styles}; ` +
      "img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'$",
  );
}

describe('the pages of the gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  const request = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, init);

  it('send a browser from the root to the console', async () => {
    const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const response = await request('/', { headers, redirect: 'manual' });
    expect([response.status, response.headers.get('Location')]).toEqual([302, '/console']);
    expect((await request('/', { headers })).headers.get('Content-Type')).toContain('text/html');
  });

  it('link a program from the root to what it can read', async () => {
    const response = await request('/');
    expect([response.status, response.headers.get('Vary')]).toEqual([200, 'Accept']);
    const { name, management, ...links } = (await response.json()) as Record<string, string>;
    expect([name, management]).toEqual(['Gatehouse', '/api/management/v1']);
    const responses = await Promise.all(Object.values(links).map((link) => request(link)));
    const statuses = responses.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it.each(['/docs', '/docs/', '/console', '/console/'])(
    '%s needs no token and runs only scripts of this origin',
    async (path) => {
      const { status, headers } = await request(path);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': expect.stringMatching(POLICIES[path.replace(/\/$/, '')] ?? ''),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-cache',
      });
    },
  );

  it.each(['/docs', '/console'])('the script of %s has the same policy', async (base) => {
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await (await request(base)).text()) ?? [];
    const { status, headers } = await request(new URL(script, `${gateway.url}${base}/`).pathname);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('Content-Security-Policy')).toMatch(POLICIES[base] ?? '');
  });

  it.each(['/console/access', '/console/access/d_1', '/console/access/d_1/', '/console/a?next=/b.js#x'])(
    'serve the console at %s, which it routes itself',
    async (path) => {
      const { status, headers } = await request(path);
      expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('Content-Security-Policy')).toMatch(POLICIES['/console'] ?? '');
      expect((await request(path, { method: 'POST' })).status).toBe(405);
    },
  );

  it('cache files permanently whose names contain a hash', async () => {
    const [, chunk = ''] =
      /["'`]\.\/(chunks\/[^"'`]+)/.exec(await (await request('/docs/main.js')).text()) ?? [];
    const { status, headers } = await request(`/docs/${chunk}`);
    expect([status, headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  });

  it('serve fonts as bytes', async () => {
    const page = await (await request('/console')).text();
    const links = [...page.matchAll(/href="([^"]+\.css)"/g)].map(([, link = '']) => link);
    const styles = await Promise.all(links.map(async (link) => (await request(link)).text()));
    const font = await request(/url\(([^)]+\.woff2)\)/.exec(styles.join(''))?.[1] ?? '');
    expect(font.headers.get('Content-Type')).toBe('font/woff2');
    // The signature of the format.
    expect(Buffer.from(await font.arrayBuffer()).toString('latin1', 0, 4)).toBe('wOF2');
  });

  it.each(['/docs', '/console'])('%s includes the licenses of its libraries, as text', async (base) => {
    const { status, headers } = await request(`${base}/THIRD-PARTY-NOTICES.txt`);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
  });

  it('are not sent again to a browser that has them', async () => {
    const first = await request('/docs/main.js');
    const entityTag = first.headers.get('ETag') ?? '';
    expect(entityTag).toMatch(/^"[\w-]{22}"$/);
    const again = await request('/docs/main.js', { headers: { 'If-None-Match': entityTag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await request('/docs/main.js', { headers: { 'If-None-Match': '"another"' } });
    expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  });

  it('have a HEAD, and no other method', async () => {
    const { status, headers } = await request('/docs', { method: 'HEAD' });
    expect([status, Number(headers.get('Content-Length')) > 0]).toEqual([200, true]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const rejected = await request('/docs/main.js', { method });
      expect([rejected.status, rejected.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each([
    '/docs/index.html',
    '/docs/nothing.js',
    '/docs/main.d.ts',
    '/docs/package.json',
    '/docs/tsconfig.json',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs/..\\package.json',
    '/docs//etc/passwd',
    '/docs/main.js%00',
    '/docs/dist/site/main.js',
    '/docs/index.js',
    '/docs/site/main.js',
    '/docs/examples',
    '/docs/examples/',
    '/console/../docs/main.js',
    '/console/nothing.js',
    '/console/assets/nothing.css',
    '/console/.env',
    '/console/a/../b',
    '/console/a%2fb',
    '/console/a//b',
    '/console/session/none',
    '/console/session/callback/x',
    '/docs/dashboards',
  ])('do not contain %s', async (path) => {
    // `fetch` would normalize the path.
    const response = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 404 /);
    expect(response).toContain('"NOT_FOUND"');
  });
});

describe('a site', () => {
  it('contains the files of its folders that a page can use, and no target of a link', async () => {
    const root = await mkdtemp(join(tmpdir(), 'gatehouse-site-'));
    try {
      await mkdir(join(root, 'public'));
      await mkdir(join(root, 'dist/views'), { recursive: true });
      const written = ['secret.js', 'public/index.html', 'public/notes.md', 'dist/main.js', 'dist/main.d.ts'];
      await Promise.all([...written, 'dist/views/list.js'].map((name) => writeFile(join(root, name), name)));
      await symlink(join(root, 'secret.js'), join(root, 'dist/link.js'));
      await symlink(root, join(root, 'dist/folder'));
      const files = await listSite([join(root, 'public'), join(root, 'dist')], '/site');
      const bodies = files.map(async (file) => [file.path, (await file.read()).body] as const);
      expect(Object.fromEntries(await Promise.all(bodies))).toEqual({
        '/site': 'public/index.html',
        '/site/': 'public/index.html',
        '/site/main.js': 'dist/main.js',
        '/site/views/list.js': 'dist/views/list.js',
      });
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it('cannot be listed if it is not built', async () => {
    await expect(listSite(['/nonexistent'], '/site')).rejects.toThrow('ENOENT');
  });
});
