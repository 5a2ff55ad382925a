import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { createDefinition } from './src/policyRecords.js';
import { createConnection, createDatamodel } from './src/semanticRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { createStaticConnection, replaceCatalog } from './src/validationWorld.js';
import { makeVersionedProject } from './src/versionControl/world.js';

let folder: string;
let server: TestServer;
let browser: Browser;
let api: Api;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-console-'));
  [server, browser] = await Promise.all([startTestStandalone({ SQLITE_DIR: folder }), startBrowser()]);
  const { baseUrl, credentials } = server;
  api = await createApi(credentials);
  page = await openConsole(browser, { api, baseUrl, user: { id: credentials.adminOrgUserId } });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** Clicks Export, and returns the lines of the file. */
async function exportLines(): Promise<{ name: string; lines: string[] }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  return { name: file.suggestedFilename(), lines };
}

describe('the export', () => {
  it('has the tables of a catalog that match the search, and what changed in it', async () => {
    const id = await createStaticConnection(api.admin, { orders: ['id', 'amount'], people: ['id'] });
    await replaceCatalog(api.admin, id, { orders: ['id', 'total'], people: ['id'] });
    await visit(page, `/connections/${id}?search=orders`);
    await page.getByText('1 found', { exact: true }).waitFor();
    expect(await exportLines()).toEqual({
      name: `catalog-${id}.csv`,
      lines: [
        'id,Table,Schema,Kind,Columns',
        expect.stringMatching(/^,orders,\w+,table,"id \w+, total \w+"$/),
      ],
    });
    await visit(page, `/connections/${id}?tab=changes`);
    await page.getByText('Column renamed').waitFor();
    expect(await exportLines()).toEqual({
      name: `catalog-changes-1-2-${id}.csv`,
      lines: [
        'id,Change,Place,"From, to"',
        expect.stringMatching(/^,Column renamed,\w+\.orders\.total,amount → total$/),
      ],
    });
  });

  it('has the uses of a connection of every kind', async () => {
    const id = await createStaticConnection(api.admin, { orders: ['id'] });
    const { id: definitionId } = await createDefinition(api, id);
    const { id: datamodelId } = await createDatamodel(api.admin, id, { name: 'Orders' });
    await visit(page, `/connections/${id}?tab=uses`);
    await page.getByRole('link', { name: 'Orders', exact: true }).waitFor();
    expect(await exportLines()).toEqual({
      name: `uses-${id}.csv`,
      lines: [
        'id,Name,Kind',
        expect.stringMatching(new RegExp(`^${definitionId},.+,Policy$`)),
        `${datamodelId},Orders,Data model`,
      ],
    });
  });

  it('has the versions of a dashboard with their whole commits', async () => {
    const project = await makeVersionedProject(server, api);
    await project.put({});
    const { id, sha } = await project.createCommitted('First, with a comma');
    await page.goto(`${server.baseUrl}/console/dashboards/${id}?tab=versions&project=${project.projectId}`);
    await page.getByText('1 found', { exact: true }).waitFor();
    const { name, lines } = await exportLines();
    expect(name).toBe(`versions-${id}.csv`);
    expect(lines).toEqual([
      'id,Message,Author,Commit,Committed',
      expect.stringMatching(new RegExp(`^,"First, with a comma",[^,]+,${sha},\\d{4}-`)),
    ]);
  });
});

describe('reading a catalog', () => {
  const dialog = () => page.getByRole('dialog', { name: 'Read the catalog' });
  const bar = () => dialog().getByRole('progressbar', { name: 'Progress of the reading' });
  let id: string;
  beforeAll(async () => {
    const own = join(folder, server.credentials.organizationId);
    await mkdir(own);
    const database = new sqlite.Database(join(own, 'shop.db'));
    database.exec('CREATE TABLE orders (id INTEGER); CREATE TABLE people (id INTEGER)');
    database.close();
    const file = { type: 'sqlite', config: { file: 'shop.db' }, catalog: undefined };
    ({ id } = await createConnection(api.admin, file));
    await page.goto(`${server.baseUrl}/console/connections/${id}?project=${api.project.projectId}`);
  });

  /** Starts a reading whose request is held until the returned function is called. */
  async function startHeld(): Promise<() => Promise<void>> {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const address = `**/connections/${id}/introspect`;
    await page.route(address, async (route) => {
      await held;
      await route.fallback();
    });
    await dialog().getByRole('button', { name: 'Read it now' }).click();
    return async () => {
      release();
      await dialog().waitFor({ state: 'detached' });
      await page.unroute(address);
    };
  }

  it('shows no share of what was never read, and what the last reading was', async () => {
    await page.getByRole('button', { name: 'Read the catalog' }).click();
    await dialog().getByText('It was not read yet.').waitFor();
    expect(page.url()).toContain('dialog=catalog');
    const release = await startHeld();
    await dialog().getByRole('status').getByText('It continues if you close this dialog.').waitFor();
    expect(await bar().getAttribute('aria-valuenow')).toBeNull();
    await expect(dialog().getByRole('status').textContent()).resolves.not.toContain('left');
    expect(await inspect(page, 'first reading of a catalog')).toEqual([]);
    await release();
    await page.getByRole('cell', { name: 'people' }).waitFor();
    await page.getByRole('button', { name: 'Read the catalog' }).click();
    await dialog()
      .getByText(/^Last read just now: 2 tables in (less than a|about .+) seconds?\.$/)
      .waitFor();
  });

  it('shows the share and the remaining time by the last reading, and that it takes longer', async () => {
    let lastMs = 600_000;
    // As if the database were large.
    await page.route(`**/connections/${id}`, async (route) => {
      const response = await route.fetch();
      const { connection } = (await response.json()) as { connection: object };
      await route.fulfill({
        response,
        json: { connection: { ...connection, catalogReadDurationMs: lastMs } },
      });
    });
    await page.goto(`${server.baseUrl}/console/connections/${id}?dialog=catalog`);
    await dialog().getByText('2 tables in about 10 minutes.').waitFor();
    const release = await startHeld();
    await dialog().getByText('about 10 minutes left by the last reading').waitFor();
    expect(await bar().getAttribute('aria-valuenow')).toMatch(/^\d+$/);
    expect(await inspect(page, 'reading of a catalog')).toEqual([]);
    await release();
    lastMs = 1;
    await page.goto(`${server.baseUrl}/console/connections/${id}?dialog=catalog`);
    const releaseLater = await startHeld();
    await dialog().getByText('longer than the last time').waitFor();
    expect(await bar().getAttribute('aria-valuenow')).toBeNull();
    await releaseLater();
    await page.unroute(`**/connections/${id}`);
  });

  it('continues when its dialog is closed, and reports its end', async () => {
    await page.goto(`${server.baseUrl}/console/connections/${id}?dialog=catalog`);
    const release = await startHeld();
    await bar().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    const notice = page.getByRole('alert').getByText('The catalog is unchanged');
    expect(await notice.count()).toBe(0);
    await release();
    await notice.waitFor();
  });

  it('keeps the edited catalog of a static connection until that is discarded', async () => {
    const own = await createStaticConnection(api.admin, { orders: ['id'] });
    await visit(page, `/connections/${own}?dialog=catalog`);
    const editor = page.getByRole('dialog', { name: 'Edit the catalog' });
    await editor.getByRole('textbox', { name: 'Catalog' }).fill('{"schemas": []}');
    await editor.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await editor.getByRole('button', { name: 'Save the catalog' }).click();
    await editor.waitFor({ state: 'detached' });
    await page.getByText('No catalog yet').waitFor();
    const read = await api.admin.get<{ connection: { catalog: object } }>(`/api/v1/connections/${own}`);
    expect(succeeded(read).connection.catalog).toEqual({ schemas: [] });
  });
});

describe('a version of a dashboard', () => {
  it('is not restored over what another person saved, until both are compared', async () => {
    const project = await makeVersionedProject(server, api);
    await project.put({});
    const { id, sha } = await project.createCommitted('First', { title: 'First' });
    const titleOf = async () => (await project.dashboard(id)).title;
    await project.update(id, { title: 'Second' });
    const versions = `/console/dashboards/${id}?tab=versions&version=${sha}&project=${project.projectId}`;
    await page.goto(`${server.baseUrl}${versions}`);
    const dialog = page.getByRole('dialog', { name: 'First' });
    await dialog.getByRole('table', { name: 'Differences' }).waitFor();
    await project.update(id, { title: 'Theirs' });
    await dialog.getByRole('textbox', { name: 'Commit message' }).fill('Back');
    await dialog.getByRole('button', { name: 'Restore this version' }).click();
    const conflict = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await conflict.getByRole('row', { name: 'Title First Theirs' }).waitFor();
    expect(await inspect(page, 'conflict of a restoration')).toEqual([]);
    expect(await titleOf()).toBe('Theirs');
    await conflict.getByRole('button', { name: 'Take the saved version' }).click();
    await heading(page, 'Theirs');
    await project.update(id, { title: 'Theirs again' });
    await dialog.getByRole('textbox', { name: 'Commit message' }).fill('Back');
    await dialog.getByRole('button', { name: 'Restore this version' }).click();
    await conflict.getByRole('row', { name: 'Title First Theirs again' }).waitFor();
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await heading(page, 'First');
    expect(await titleOf()).toBe('First');
    for (const problem of browser.takeProblems()) expect(problem).toContain('412');
  });

  it('keeps the message of its restoration until that is discarded', async () => {
    const project = await makeVersionedProject(server, api);
    await project.put({});
    const { id, sha } = await project.createCommitted('First', { title: 'First' });
    await project.update(id, { title: 'Second' });
    const versions = `/console/dashboards/${id}?tab=versions&version=${sha}&project=${project.projectId}`;
    await page.goto(`${server.baseUrl}${versions}`);
    const dialog = page.getByRole('dialog', { name: 'First' });
    await dialog.getByRole('textbox', { name: 'Commit message' }).fill('Back');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await project.dashboard(id)).title).toBe('Second');
  });
});
