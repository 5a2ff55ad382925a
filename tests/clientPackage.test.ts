import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { OpenApiDocument } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLER_NAMES, bundleAllOf } from './src/bundlers.js';
import { membersOf } from './src/declarations.js';
import { compileIn, evaluateIn, installAlone, installedIn, RESOLUTIONS } from './src/packedPackage.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'));
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
      for await (const { id } of client.items.listDashboards({ tag: 'a' })) {
        const text: string = id;
        void text;
      }
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

  it.each(RESOLUTIONS)('has named types of records, inputs and responses, with %s', async (_, options) => {
    const program = `
      import type { Client, CompiledStatement, CreateDashboardInput } from '@gatehouse/client';
      import type { Dashboard, Preview, ShareRecord } from '@gatehouse/client';
      import { GatehouseError, type ErrorCode, type FieldError, type OrgUserRole } from '@gatehouse/client';
      export const input: CreateDashboardInput = { title: 'Sales', tags: ['a'] };
      // @ts-expect-error a field is unknown
      export const misspelled: CreateDashboardInput = { title: 'Sales', tag: 'a' };
      export async function read(client: Client): Promise<[Dashboard, ShareRecord[]]> {
        const { dashboard } = await client.getDashboard({ id: 'd' });
        const { shares } = await client.shareDashboard({
          id: 'd', shares: [{ scope: 'all_org_users', role: 'VIEWER' }],
        });
        return [dashboard, shares];
      }
      // @ts-expect-error a role is unknown
      export const role: OrgUserRole = 'KING';
      export function sqlOf(statement: CompiledStatement): string {
        // @ts-expect-error null unless the status is compiled
        const sql: string = statement.sql;
        return statement.status === 'compiled' ? statement.sql : sql;
      }
      export function inlineSqlOf({ compiled }: Preview): string | null {
        // @ts-expect-error null unless the status is compiled
        const text: string = compiled.inlineSql;
        return compiled.status === 'compiled' ? compiled.inlineSql.trim() : text;
      }
      export function faultsOf(error: unknown): FieldError[] {
        if (!(error instanceof GatehouseError)) return [];
        const code: ErrorCode | null = error.code;
        // @ts-expect-error a code is unknown
        return code === 'NO_SUCH_CODE' ? [] : error.fieldErrors;
      }`;
    expect(await compileIn(project, program, options)).toBe('');
  });

  it('documents every operation and every field of its types', async () => {
    const contents = join(project, 'node_modules/@gatehouse/client/dist');
    const members = await membersOf(contents);
    expect(members.filter(({ hasComment }) => !hasComment)).toEqual([]);
    const owners = new Set(members.map(({ owner }) => owner));
    const namesIn = (wanted: string) =>
      members.filter(({ owner }) => owner === wanted).map(({ name }) => name);
    const text = await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8');
    const { paths, components } = JSON.parse(text) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(namesIn('Operations').toSorted()).toEqual(operations.map((one) => one.operationId).toSorted());
    const records = Object.entries(components.schemas).filter(([name]) => owners.has(name));
    expect(records.length).toBeGreaterThan(200);
    for (const [name, { properties = {} }] of records) expect(namesIn(name)).toEqual(Object.keys(properties));
    for (const name of ['ClientOptions', 'CallOptions', 'GatehouseError', 'Answer', 'RetryPolicy'])
      expect(owners).toContain(name);
  });

  it('imports no package, and nothing of Node', async () => {
    const contents = join(project, 'node_modules/@gatehouse/client/dist');
    const names = await readdir(contents, { recursive: true });
    const files = names.filter((name) => /\.(?:js|d\.ts)$/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join(contents, name), 'utf8')));
    const imported = texts.flatMap((text) => [
      ...text.matchAll(/^(?:import|export|\}).* from '([^']+)';$/gm),
    ]);
    expect(imported.length).toBeGreaterThan(files.length);
    expect(imported.map(([, name]) => name).filter((name) => !name?.startsWith('.'))).toEqual([]);
  });

  it.each(BUNDLER_NAMES)('is at most 60 kB compressed, bundled with %s, and works', async (bundler) => {
    const code = await bundleAllOf(project, '@gatehouse/client', bundler);
    expect(gzipSync(code).length).toBeLessThanOrEqual(60_000);
    await writeFile(join(project, 'bundle.mjs'), code);
    const program = `
      const { createClient, GatehouseError, NoAnswerError } = await import('./bundle.mjs');
      const client = createClient({ baseUrl: 'http://127.0.0.1:1', retry: { retries: 0 } });
      const error = await client.listDashboards().catch((thrown) => thrown);
      console.log(JSON.stringify([error instanceof NoAnswerError, typeof GatehouseError]));`;
    expect(await evaluateIn(project, program)).toEqual([true, 'function']);
  });
});
