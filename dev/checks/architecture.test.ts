import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** The source files of apps and packages, relative to the root. */
async function listSources(): Promise<string[]> {
  const folders = ['apps', 'packages'].map((name) => path.join(root, name));
  const workspaces = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((name) => path.join(folder, name, 'src'))),
  );
  const listed = await Promise.all(
    workspaces.flat().map(async (folder) => {
      const names = await readdir(folder, { recursive: true }).catch(() => []);
      return names.map((name) => path.join(path.relative(root, folder), name));
    }),
  );
  return listed.flat();
}

it('docs/architecture.md names only files that exist in its walks', async () => {
  const page = await readFile(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, walks = ''] = /## Four requests, file by file\n(.*?)\n## /s.exec(page) ?? [];
  const named = [...walks.matchAll(/`([\w/]+\.ts)`/g)].map(([, name = '']) => name);
  const sources = await listSources();
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !sources.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});
