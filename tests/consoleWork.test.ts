import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { createConsoleWorld, HOSTILE_TITLE, type ConsoleWorld } from './src/console/world.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { cardOf, templateOf } from './src/validationWorld.js';

const PHONE = { name: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 800 } } as const;

let server: TestServer;
let browser: Browser;
let world: ConsoleWorld;
let page: Page;
let phone: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({ DEMO: '1' }), startBrowser()]);
  world = await createConsoleWorld(server);
  page = await openConsole(browser, world);
  phone = await openConsole(browser, world, PHONE);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** Inspects what the page shows, on a phone in dark too. */
async function inspectBoth(path: string, name: string, ready: (page: Page) => Promise<void>): Promise<void> {
  expect(await inspect(page, name)).toEqual([]);
  expect(await page.locator('main img, main iframe, main script').count()).toBe(0);
  await visit(phone, path);
  await ready(phone);
  expect(await inspect(phone, `${name} phone`)).toEqual([]);
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await phone.evaluate(overflow)).toBe(0);
}

describe('validation', () => {
  it('shows one dashboard by its address', async () => {
    const path = `/validation/${world.dashboardId}`;
    const ready = async (shown: Page) => {
      await heading(shown, HOSTILE_TITLE);
      await shown.getByRole('list', { name: 'Issues' }).waitFor();
    };
    await visit(page, path);
    await ready(page);
    await inspectBoth(path, 'validation of one dashboard', ready);
  });

  it('groups a renamed column by cause and repairs all dashboards of the group', async () => {
    const { api, connectionId } = world;
    const template = templateOf(cardOf(connectionId, 'orders', 'amout'));
    const first = await api.createDashboard(api.admin, { title: 'Orders by day', template });
    await api.createDashboard(api.admin, { title: 'Orders by week', template });
    await visit(page, '/validation');
    await page.getByRole('button', { name: 'Validate all dashboards' }).click();
    await page.getByRole('button', { name: 'Validate again' }).waitFor();
    const cause = page.locator('details', { hasText: 'orders.amout' });
    await cause.locator('summary').click();
    await cause.getByRole('link', { name: 'Orders by week' }).waitFor();
    await cause.getByRole('link', { name: HOSTILE_TITLE }).waitFor();
    await inspectBoth('/validation', 'validation', (shown) => heading(shown, 'Validation'));
    await cause.getByRole('button', { name: 'Repair' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repair the template' });
    await dialog.locator('ins').first().waitFor();
    expect(await inspect(page, 'repair')).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply to all 3' }).click();
    await dialog.getByText('3 repaired').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.locator('details', { hasText: 'orders.amout' }).waitFor({ state: 'detached' });
    const saved = succeeded(
      await api.admin.get<{ dashboard: { template: unknown } }>(`/dashboards/${first.id}`),
    );
    expect(JSON.stringify(saved.dashboard.template)).toContain('"amount"');
    expect(JSON.stringify(saved.dashboard.template)).not.toContain('amout');
  });
});

describe('access', () => {
  it('is drawn from a person to what it opens, and listed', async () => {
    const path = `/access?person=${world.cappedUserId}`;
    await visit(page, path);
    await page.getByRole('figure').getByText('Revenue team').waitFor();
    await page.getByRole('figure').getByText(HOSTILE_TITLE).waitFor();
    await inspectBoth(path, 'access of a person', async (shown) => {
      await shown.getByRole('button', { name: HOSTILE_TITLE }).waitFor();
    });
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('searchbox').or(page.getByLabel('Search what is listed')).first().fill('onerror');
    await page.getByRole('button', { name: HOSTILE_TITLE }).click();
    await page.getByRole('list', { name: 'Paths' }).getByText('Decides').waitFor();
    await page.getByRole('list', { name: 'Paths' }).getByText('Revenue team').waitFor();
    expect(page.url()).toContain(`resource=${world.dashboardId}`);
  });

  it('is explained for the past, and reports a moment that is not known', async () => {
    const path = `/access?person=${world.cappedUserId}&resource=${world.dashboardId}`;
    await visit(page, path);
    await page.getByRole('slider', { name: 'Moment of the access' }).waitFor();
    await inspectBoth(path, 'access explained', async (shown) => {
      await shown.getByText('Decides').waitFor();
    });
    await visit(page, `${path}&at=2020-01-01T00:00:00.000Z`);
    await page.getByRole('heading', { name: 'Not known for this moment' }).waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('Decides').waitFor();
  });

  it('is drawn from a resource to its people', async () => {
    const path = `/access?resource=${world.dashboardId}`;
    await visit(page, path);
    await page.getByRole('figure').getByText('Groups', { exact: true }).waitFor();
    await inspectBoth(path, 'access to a resource', async (shown) => {
      await shown.getByRole('button', { name: 'Hugo Brandt' }).waitFor();
    });
  });
});

describe('the start page', () => {
  it('shows what needs attention without validating by itself', async () => {
    const validated: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('validate-all')) validated.push(request.url());
    });
    await page.goto(`${world.baseUrl}/console`);
    await heading(page, 'Home');
    await page.getByText('Not validated since you opened the console.').waitFor();
    await page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect(validated).toEqual([]);
    await inspectBoth('/', 'home', async (shown) => {
      await shown.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').first().waitFor();
    });
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    await page.getByRole('button', { name: 'Validate again' }).waitFor();
    expect(validated).toHaveLength(1);
  });
});
