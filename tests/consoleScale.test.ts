import {
  fillOrganization,
  nameOfRecord,
  startBrowser,
  type Browser,
  type LargeOrganization,
  type Page,
  type SendRequest,
} from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import { openConsole, visit } from './src/console/pages.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

/** More than a hundred of each kind, and more than a part of a list has where that is cheap. */
const SIZE = { dashboards: 1050, people: 250, groups: 105, policies: 105, others: 105 };

let server: TestServer;
let browser: Browser;
let page: Page;
let ids: LargeOrganization;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({}), startBrowser()]);
  const { baseUrl, credentials } = server;
  const api = await createApi(credentials);
  const send: SendRequest = async (_method, path, body) => succeeded(await api.admin.post(path, body));
  ids = await fillOrganization(send, credentials.projectId, SIZE);
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

/** Scrolls a list to its end, as often as further parts arrive, until a text is in view. */
async function scrollTo(list: ReturnType<Page['locator']>, text: string): Promise<void> {
  const last = list.getByText(text, { exact: true }).first();
  await list.waitFor();
  await expect
    .poll(async () => {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return last.isVisible();
    })
    .toBe(true);
}

const last = nameOfRecord;

describe('with more than a hundred records of each kind', () => {
  it.each<[path: () => string, table: string, text: string]>([
    [() => '/dashboards?sort=title&order=asc', 'Dashboards', last('Dashboard', SIZE.dashboards)],
    [() => '/visuals?sort=title&order=asc', 'Visuals', last('Visual', SIZE.others)],
    [() => '/people?type=tenant', 'Users', last('Person', SIZE.people)],
    [() => '/groups', 'Groups', last('Group', SIZE.groups)],
    [() => '/tenants', 'Tenants', last('Tenant', SIZE.others)],
    [() => '/connections', 'Connections', last('Connection', SIZE.others)],
    [() => '/domains', 'Semantic domains', last('Domain', SIZE.others)],
    [() => '/datamodels', 'Data models', last('Model', SIZE.others)],
    [() => '/assistants', 'Assistant profiles', last('Assistant', SIZE.others)],
    [() => '/policies/definitions', 'Policies', last('Policy', SIZE.policies)],
    [() => `/groups/${ids.groupId}`, 'Members', last('Person', SIZE.people)],
    [() => `/dashboards/${ids.dashboardId}?tab=sharing`, 'Shares', last('Person', SIZE.people)],
    [() => `/connections/${ids.connectionId}?tab=uses`, 'Uses of the connection', last('Model', SIZE.others)],
  ])('the list %# ends with its last record', async (path, table, text) => {
    await visit(page, path());
    await scrollTo(page.getByRole('table', { name: table, exact: true }), text);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
  });

  const pick = async (label: string, text: string) => {
    const field = page.getByRole('textbox', { name: label, exact: true });
    await field.fill(text);
    await page.getByRole('option', { name: text }).click();
    await expect.poll(() => field.inputValue()).toBe(text);
  };

  it('every picker finds the last record by its name', async () => {
    await visit(page, '/access');
    await pick('Person', last('Person', SIZE.people));
    await pick('Dashboard', last('Dashboard', SIZE.dashboards));
    await visit(page, '/access?type=visual');
    await pick('Visual', last('Visual', SIZE.others));
    await visit(page, '/datamodels/new');
    await pick('Connection', last('Connection', SIZE.others));
    await visit(page, '/people/new/tenant');
    await pick('Tenant', last('Tenant', SIZE.others));
    await visit(page, '/policies/assignments/new');
    await pick('Policy definition', last('Policy', SIZE.policies));
    await visit(page, `/dashboards/${ids.dashboardId}?tab=sharing`);
    await page.getByRole('button', { name: 'Share', exact: true }).first().click();
    await page.getByRole('combobox', { name: 'Audience' }).click();
    await page.getByRole('option', { name: 'A group' }).click();
    await pick('Group', last('Group', SIZE.groups));
    await page.keyboard.press('Escape');
  });

  it('a picker also reaches it without a search', async () => {
    await visit(page, '/datamodels/new');
    await page.getByRole('textbox', { name: 'Connection', exact: true }).click();
    await scrollTo(page.getByRole('listbox', { name: 'Connection' }), last('Connection', SIZE.others));
  });

  it('the palette leads to all matches beyond the first of a kind', async () => {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('dashboard 0');
    await page.getByRole('option', { name: 'All matching dashboards' }).click();
    await page.getByText(`${SIZE.dashboards.toLocaleString('en')} found`, { exact: true }).waitFor();
    expect(page.url()).toContain('search=dashboard');
  });
});
