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

/** The walks of docs/architecture.md: the request of each, and the lines of its list. */
async function readWalks(): Promise<{ title: string; text: string; items: string }[]> {
  const page = await readFile(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, walks = ''] = /## Four requests, file by file\n(.*?)\n## /s.exec(page) ?? [];
  return walks.split(/^(?=\*\*|Every request)/m).map((text) => ({
    title: text.split(' (')[0] ?? '',
    text: text.replaceAll(/\s+/g, ' '),
    items: [...text.matchAll(/^ *- .*(?:\n {2,}.*)*/gm)].join('\n'),
  }));
}

const filesIn = (text: string) => [...text.matchAll(/`([\w/]+\.ts)`/g)].map(([, name = '']) => name);

it('docs/architecture.md names only files that exist in its walks', async () => {
  const walks = await readWalks();
  const sources = await listSources();
  const named = walks.flatMap(({ text }) => filesIn(text));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !sources.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});

it('docs/architecture.md counts the files of each walk', async () => {
  const walks = (await readWalks()).slice(1);
  const counts = walks.map(({ title, text, items }) => {
    const [, own, all] = /\((\d+) files(?: [^,)]*)?(?:, (\d+) in all)?/.exec(text) ?? [];
    return { title, own: Number(own), all: Number(all ?? own), listed: filesIn(items).length };
  });
  const [gateway, ...requests] = counts;
  expect(requests.length).toBe(4);
  expect(counts.filter(({ own, listed }) => own !== listed)).toEqual([]);
  for (const { title, own, all } of requests) {
    // `readBody.ts` has nothing to read of a GET.
    const shared = (gateway?.own ?? 0) - (title.includes('GET') ? 1 : 0);
    expect([title, all]).toEqual([title, own + shared]);
  }
});
