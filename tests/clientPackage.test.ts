import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileIn, evaluateIn, installAlone, installedIn, RESOLUTIONS } from './src/packedPackage.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (place: string) => readFile(join(ROOT, place), 'utf8');
const readEntries = () =>
  Promise.all(['packages/client/dist/index.js', 'packages/client/dist/index.d.ts'].map(read));

let folder: string;
let entriesBefore: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
  entriesBefore = await readEntries();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the client, installed alone into an empty project', () => {
  let project: string;
  beforeAll(async () => {
    project = await installAlone('@gatehouse/client', folder);
  });

  it('has no dependencies', async () => {
    expect(await installedIn(project)).toEqual([join(project, 'node_modules/@gatehouse/client')]);
  });

  it('creates a client with all operations, lists and streams', async () => {
    const program = `
      import { createClient, GatehouseError, NoAnswerError } from '@gatehouse/client';
      const client = createClient({ baseUrl: 'http://127.0.0.1:1', retry: { retries: 0 } });
      const error = await client.listDashboards().catch((thrown) => thrown);
      console.log(JSON.stringify([
        error instanceof NoAnswerError, typeof GatehouseError, typeof client.shareDashboard,
        typeof client.items.listDashboards, typeof client.stream.validateAllDashboards,
      ]));`;
    const kind = 'function';
    expect(await evaluateIn(project, program)).toEqual([true, kind, kind, kind, kind]);
  });

  it.each(RESOLUTIONS)('has types of inputs and outputs, with module resolution %s', async (_, options) => {
    const program = `
      import { createClient, type OperationInput } from '@gatehouse/client';
      const client = createClient({ baseUrl: 'https://gatehouse.example.com' });
      const input: OperationInput<'createDashboard'> = { title: 'Sales' };
      const { dashboard } = await client.createDashboard(input);
      export const title: string = dashboard.title;
      for await (const { id } of client.items.listDashboards({ tag: 'a' })) { const text: string = id; void text; }
      // @ts-expect-error a required field is missing
      await client.createDashboard({});
      // @ts-expect-error a number is no title
      await client.createDashboard({ title: 1 });
      // @ts-expect-error a field of the output is unknown
      void dashboard.unknown;
      // @ts-expect-error a role is unknown
      await client.shareDashboard({ id: 'd', shares: [{ scope: 'all_org_users', role: 'KING' }] });`;
    expect(await compileIn(project, program, options)).toBe('');
  });

  it('leaves the built files of the workspace unchanged', async () => {
    expect(await readEntries()).toEqual(entriesBefore);
  });

  it('names the license of what it contains', async () => {
    const contents = join(project, 'node_modules/@gatehouse/client');
    const notices = await readFile(join(contents, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices).toContain(await read('node_modules/zod/LICENSE'));
    const bundle = await readFile(join(contents, 'dist/package/index.js'), 'utf8');
    const contained = [...bundle.matchAll(/^\/\/.*node_modules\/((?:@[^/]+\/)?[^/\n]+)/gm)];
    expect([...new Set(contained.map(([, name]) => name))]).toEqual(['zod']);
  });
});
