import { readFile } from 'node:fs/promises';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { createDefinition } from './src/policyRecords.js';
import { createDatamodel } from './src/semanticRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { createStaticConnection, replaceCatalog } from './src/validationWorld.js';
import { makeVersionedProject } from './src/versionControl/world.js';

let server: TestServer;
let browser: Browser;
let api: Api;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone(), startBrowser()]);
  const { baseUrl, credentials } = server;
  api = await createApi(credentials);
  page = await openConsole(browser, { api, baseUrl, user: { id: credentials.adminOrgUserId } });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
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
