import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const WORKER = new URL('../../../dist/sql/compiler/worker.js', import.meta.url);
const IMPORT = /^(?:import|export) .*?from '([^']+)';|\bimport\('([^']+)'\)/gm;

/** The packages that a built module imports, directly or through other modules of this service. */
async function packagesOf(module: URL, seen = new Set<string>()): Promise<Set<string>> {
  const packages = new Set<string>();
  if (seen.has(module.href)) return packages;
  seen.add(module.href);
  for (const [, imported, loaded] of (await readFile(module, 'utf8')).matchAll(IMPORT)) {
    const name = imported ?? loaded ?? '';
    const found = name.startsWith('.') ? await packagesOf(new URL(name, module), seen) : [name];
    for (const each of found) packages.add(each);
  }
  return packages;
}

const KEPT = [
  '@gatehouse/contract',
  '@gatehouse/contract/placeholders',
  '@gatehouse/service/synchronousWebAssembly',
  '@polyglot-sql/sdk',
  'libpg-query',
  'lru-cache',
  'node:v8',
  'node:worker_threads',
];

// The images exclude packages that are part of the bundle, such as the MongoDB driver. A thread does not load
// the bundle.
test('the thread imports only packages that are in the images', async () => {
  const packages = await packagesOf(WORKER);
  expect(packages).toContain('libpg-query');
  expect([...packages].filter((name) => !KEPT.includes(name))).toEqual([]);
});
