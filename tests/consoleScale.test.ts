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
import { holdStreams } from './src/console/heldStream.js';
import { leave, openConsole, visit } from './src/console/pages.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

/** More of each kind than a part of its list has, and more dashboards than the largest part of any list. */
const SIZE = { dashboards: 1010, people: 105, groups: 102, policies: 102, others: 102 };

let server: TestServer;
let browser: Browser;
let page: Page;
let ids: LargeOrganization;
/** The owner of all dashboards. */
let ownerId: string;

type Element = ReturnType<Page['locator']>;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({}), startBrowser()]);
  const { baseUrl, credentials } = server;
  ownerId = credentials.adminOrgUserId;
  const api = await createApi(credentials);
  const send: SendRequest = async (_method, path, body) => succeeded(await api.admin.post(path, body));
  ids = await fillOrganization(send, credentials.projectId, SIZE);
  page = await openConsole(browser, { api, baseUrl, user: { id: ownerId } });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** Scrolls to the end, as often as further parts arrive, until it shows a text. */
async function reaches(list: Element, text: string): Promise<boolean> {
  const last = list.getByText(text, { exact: true }).first();
  await list.waitFor();
  await expect
    .poll(async () => {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return last.isVisible();
    })
    .toBe(true);
  return true;
}

/** Chooses a record in a picker, and returns the chosen name. */
async function pick(label: string, name: string): Promise<string> {
  const picker = page.getByRole('textbox', { name: label, exact: true });
  await picker.fill(name);
  await page.getByRole('option', { name }).click();
  await page.getByRole('listbox').getByRole('option').first().waitFor({ state: 'detached' });
  return picker.inputValue();
}

const last = nameOfRecord;

describe('with more than a hundred records of each kind', () => {
  it.each<[table: string, path: () => string, text: string]>([
    ['Dashboards', () => '/dashboards?sort=title&order=asc', last('Dashboard', SIZE.dashboards)],
    ['Visuals', () => '/visuals?sort=title&order=asc', last('Visual', SIZE.others)],
    ['Users', () => '/people?type=tenant', last('Person', SIZE.people)],
    ['Groups', () => '/groups', last('Group', SIZE.groups)],
    ['Tenants', () => '/tenants', last('Tenant', SIZE.others)],
    ['Connections', () => '/connections', last('Connection', SIZE.others)],
    ['Semantic domains', () => '/domains', last('Domain', SIZE.others)],
    ['Data models', () => '/datamodels', last('Model', SIZE.others)],
    ['Assistant profiles', () => '/assistants', last('Assistant', SIZE.others)],
    ['Policies', () => '/policies/definitions', last('Policy', SIZE.policies)],
    ['Members', () => `/groups/${ids.groupId}`, last('Person', SIZE.people)],
    ['Uses of the connection', () => `/connections/${ids.connectionId}?tab=uses`, last('Model', SIZE.others)],
  ])('the list %s ends with its last record', async (table, path, text) => {
    await visit(page, path());
    expect(await reaches(page.getByRole('table', { name: table, exact: true }), text)).toBe(true);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
  });

  it.each<[what: string, path: () => string, count: number]>([
    ['shares', () => `/dashboards/${ids.dashboardId}?tab=sharing`, SIZE.people + Math.ceil(SIZE.groups / 2)],
    ['policy assignments', () => '/policies/assignments', SIZE.policies],
    ['what a person can open', () => `/access?person=${ownerId}&view=list`, SIZE.dashboards],
    [
      'what a person could open',
      () => `/access?person=${ownerId}&view=list&at=${new Date().toISOString()}`,
      SIZE.dashboards,
    ],
  ])('the list of %s has all of them', async (_what, path, count) => {
    await visit(page, path());
    const found = page.getByText(`${count.toLocaleString('en')} found`, { exact: true });
    const table = page.getByRole('table');
    await table.waitFor();
    await expect
      .poll(async () => {
        await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return [await found.isVisible(), await table.getAttribute('aria-rowcount')];
      })
      .toEqual([true, String(count + 1)]);
  });

  it.each<[label: string, path: () => string, name: string]>([
    ['Person', () => '/access', last('Person', SIZE.people)],
    ['Dashboard', () => '/access', last('Dashboard', SIZE.dashboards)],
    ['Visual', () => '/access?type=visual', last('Visual', SIZE.others)],
    ['Connection', () => '/datamodels/new', last('Connection', SIZE.others)],
    ['Tenant', () => '/people/new/tenant', last('Tenant', SIZE.others)],
    ['Policy definition', () => '/policies/assignments/new', last('Policy', SIZE.policies)],
  ])('the picker %s finds the last record by its name', async (label, path, name) => {
    await leave(page);
    await visit(page, path());
    expect(await pick(label, name)).toBe(name);
  });

  it('the picker of a group finds the last one by its name', async () => {
    await visit(page, `/dashboards/${ids.dashboardId}?tab=sharing`);
    await page.getByRole('button', { name: 'Share', exact: true }).first().click();
    await page.getByRole('combobox', { name: 'Audience' }).click();
    await page.getByRole('option', { name: 'A group' }).click();
    expect(await pick('Group', last('Group', SIZE.groups))).toBe(last('Group', SIZE.groups));
    await page.keyboard.press('Escape');
  });

  it('a picker also reaches the last record without a search', async () => {
    await visit(page, '/datamodels/new');
    await page.getByRole('textbox', { name: 'Connection', exact: true }).click();
    const options = page.getByRole('listbox', { name: 'Connection' });
    expect(await reaches(options, last('Connection', SIZE.others))).toBe(true);
  });

  it('the palette leads to all matches beyond the first of a kind', async () => {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('dashboard 0');
    await page.getByRole('option', { name: 'All matching dashboards' }).click();
    await page.getByText(`${SIZE.dashboards.toLocaleString('en')} found`, { exact: true }).waitFor();
    expect(page.url()).toContain('search=dashboard');
  });

  it.each<[what: string, path: () => string, table: string, address: string]>([
    ['a person can open', () => `/access?person=${ownerId}&view=list`, 'What .* can open', 'access:list'],
    [
      'people can open a resource',
      () => `/access?resource=${ids.dashboardId}&view=list`,
      'Who can open .*',
      'access:subjects',
    ],
  ])('the list of what %s is shown while it arrives, and reports its end', async (...row) => {
    const [, path, name, address] = row;
    await page.reload();
    await leave(page);
    const stream = await holdStreams(page, address);
    await visit(page, path());
    await page.getByText(/^[\d,]+ found so far$/).waitFor();
    const table = page.getByRole('table', { name: new RegExp(`^${name}$`) });
    await table.getByRole('row').nth(3).waitFor();
    expect(await table.getAttribute('aria-rowcount')).toBe('-1');
    await stream.end('rest');
    await page.getByText(/^[\d,]+ found$/).waitFor();
    expect(Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(100);
  });

  it('a list of access that breaks off keeps what arrived, and is read again on demand', async () => {
    await page.reload();
    await leave(page);
    const stream = await holdStreams(page, 'access:list');
    await visit(page, `/access?person=${ownerId}&view=list`);
    await page.getByText(/ found so far$/).waitFor();
    await stream.end('cut');
    const notice = page.getByRole('alert').filter({ hasText: 'The list is incomplete' });
    await notice.waitFor();
    await page.getByRole('table').getByRole('row').nth(3).waitFor();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(`${SIZE.dashboards.toLocaleString('en')} found`, { exact: true }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('a list of access that was left while it arrived is complete when it is opened again', async () => {
    await page.reload();
    await leave(page);
    const path = `/access?person=${ownerId}&view=list`;
    const stream = await holdStreams(page, 'access:list');
    await visit(page, path);
    await page.getByText(/ found so far$/).waitFor();
    await leave(page);
    await stream.end('rest');
    await visit(page, path);
    await page.getByText(`${SIZE.dashboards.toLocaleString('en')} found`, { exact: true }).waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(SIZE.dashboards + 1));
  });
});
