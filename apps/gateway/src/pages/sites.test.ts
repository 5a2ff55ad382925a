import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../testing/rawRequest.js';
import { startTestGateway, type TestGateway } from '../testing/testGateway.js';
import { readSite } from './siteFiles.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

describe('the pages of the gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  const ask = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, init);

  it.each(['/docs', '/docs/', '/console', '/console/'])(
    '%s needs no token and runs our scripts alone',
    async (path) => {
      const { status, headers } = await ask(path);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-cache',
      });
    },
  );

  it.each(['/docs', '/console'])('%s/main.js is a script with the same headers', async (base) => {
    const { status, headers } = await ask(`${base}/main.js`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('Content-Security-Policy')).toBe(POLICY);
  });

  it('are not sent again to who has them', async () => {
    const first = await ask('/docs/main.js');
    const entityTag = first.headers.get('ETag') ?? '';
    expect(entityTag).toMatch(/^"[\w-]{22}"$/);
    const again = await ask('/docs/main.js', { headers: { 'If-None-Match': entityTag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await ask('/docs/main.js', { headers: { 'If-None-Match': '"another"' } });
    expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  });

  it('have a HEAD, and no other method', async () => {
    const { status, headers } = await ask('/docs', { method: 'HEAD' });
    expect([status, Number(headers.get('Content-Length')) > 0]).toEqual([200, true]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await ask('/docs/main.js', { method });
      expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
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
    '/docs/dist/main.js',
    '/docs/examples',
    '/docs/examples/',
    '/console/../docs/main.js',
  ])('hold no %s', async (path) => {
    // `fetch` would tidy the path up before it sends it.
    const answer = await sendRaw(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('"NOT_FOUND"');
  });
});

describe('a site', () => {
  it('is the files of its package that a page may have, and nothing that a link leads to', async () => {
    const root = await mkdtemp(join(tmpdir(), 'gatehouse-site-'));
    try {
      await mkdir(join(root, 'public'));
      await mkdir(join(root, 'dist/views'), { recursive: true });
      const written = [
        'secret.js',
        'public/index.html',
        'public/notes.txt',
        'dist/main.js',
        'dist/main.d.ts',
      ];
      await Promise.all([...written, 'dist/views/list.js'].map((name) => writeFile(join(root, name), name)));
      await symlink(join(root, 'secret.js'), join(root, 'dist/link.js'));
      await symlink(root, join(root, 'dist/folder'));
      const files = await readSite(root, '/site');
      expect(Object.fromEntries(files.map(({ path, body }) => [path, body]))).toEqual({
        '/site': 'public/index.html',
        '/site/': 'public/index.html',
        '/site/main.js': 'dist/main.js',
        '/site/views/list.js': 'dist/views/list.js',
      });
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it('that is not built is not passed over', async () => {
    await expect(readSite('/nonexistent', '/site')).rejects.toThrow('ENOENT');
  });
});
