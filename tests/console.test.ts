import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { appearances, heading, inspect, openConsole, visit } from './src/console/pages.js';
import { consoleScreens } from './src/console/screens.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let browser: Browser;
let world: ConsoleWorld;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({ DEMO: '1' }), startBrowser()]);
  world = await createConsoleWorld(server);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

describe.each(appearances)('$name', (appearance) => {
  let page: Page;
  beforeAll(async () => {
    page = await openConsole(browser, world, appearance);
  });
  afterAll(() => page.close());

  it.each(consoleScreens)('the screen $name is accessible and inert', async ({ name, path, ready }) => {
    await visit(page, path(world));
    await ready(page, world);
    expect(await inspect(page, `${name} ${appearance.name}`)).toEqual([]);
    expect(await page.locator('main img, main iframe, main script').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
  });
});

describe('dashboards', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openConsole(browser, world);
  });
  afterAll(() => page.close());

  it('are created with a secret that is shown once, changed, found and deleted', async () => {
    await visit(page, '/dashboards');
    await page.getByRole('link', { name: 'New dashboard' }).click();
    await page.getByLabel('Title').fill('Quarterly plan');
    await page.getByRole('button', { name: 'Create the dashboard' }).click();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await heading(page, 'Quarterly plan');
    await page.getByLabel('Title').fill('Yearly plan');
    await page.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Yearly plan');
    await visit(page, '/dashboards');
    await page.keyboard.press('/');
    await page.keyboard.type('yearly');
    await page.getByText('1 found', { exact: true }).waitFor();
    expect(page.url()).toContain('search=yearly');
    await page.getByRole('link', { name: 'Yearly plan' }).click();
    await page.getByRole('button', { name: 'Actions on the dashboard' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Dashboards');
    const { dashboards } = succeeded(
      await world.api.admin.get<{ dashboards: unknown[] }>('/dashboards?search=yearly'),
    );
    expect(dashboards).toEqual([]);
  });

  it('show both versions when another person saved first', async () => {
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Contested' });
    await visit(page, `/dashboards/${id}`);
    await heading(page, 'Contested');
    succeeded(await world.api.admin.patch(`/dashboards/${id}`, { title: 'Theirs' }));
    await page.getByLabel('Title').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await dialog.getByRole('cell', { name: 'Theirs' }).waitFor();
    expect(await inspect(page, 'conflict')).toEqual([]);
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
    await heading(page, 'Mine');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('412')]);
  });

  it('keep unsaved changes until they are discarded', async () => {
    await visit(page, '/dashboards/new');
    await page.getByLabel('Title').fill('Unsaved');
    await page.getByRole('link', { name: 'Dashboards' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await expect(page.getByLabel('Title').inputValue()).resolves.toBe('Unsaved');
    await page.getByRole('link', { name: 'Dashboards' }).first().click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await heading(page, 'Dashboards');
  });

  it('are opened from the command palette with the keyboard', async () => {
    await heading(page, 'Dashboards');
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.type('Revenue overview');
    await page.getByRole('option', { name: /^Revenue overview/ }).waitFor();
    expect(await inspect(page, 'palette')).toEqual([]);
    await page.keyboard.press('Enter');
    await heading(page, 'Revenue overview');
  });
});
