import { startBrowser, type Browser, type Page, type Route } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { inspect, signIn, tabTo, visit, waitForStatus } from './src/consolePage.js';
import { consoleViews, SQL } from './src/consoleViews.js';
import { createConsoleWorld, HOSTILE_TITLE, type ConsoleWorld } from './src/consoleWorld.js';
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

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  let page: Page;

  beforeAll(async () => {
    page = await signIn(browser, server, { colorScheme });
  });
  afterAll(() => page.close());

  it.each(consoleViews)('the view $name is accessible', async ({ name, open }) => {
    await open(page, world);
    expect(await inspect(page, `${name}-${colorScheme}`)).toEqual([]);
  });

  it('an error is shown accessibly, with its code and the id of the request', async () => {
    await visit(page, '#/access/d_unknown');
    const alert = page.getByRole('alert');
    await expect(alert.textContent()).resolves.toMatch(/NOT_FOUND.*Request [\w-]{36}/);
    expect(await inspect(page, `refused-${colorScheme}`)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
  });
});

describe('signing in', () => {
  it('leaves neither secret nor token in the address or in storage, and reloading signs out', async () => {
    const page = await signIn(browser, server, { colorScheme: 'light', hash: '#/matrix' });
    const { projectSecret } = server.credentials;
    const kept = await page.evaluate<string>(
      'location.href + JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + document.body.innerHTML',
    );
    expect(kept).toContain('#/matrix');
    expect(kept).not.toContain(projectSecret);
    expect(kept).not.toContain('eyJ');
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await inspect(page, 'sign-in')).toEqual([]);
    await page.close();
  });

  it('works once with a link, whose code stays in neither the address nor the history', async () => {
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = server.credentials;
    const body = JSON.stringify({ projectId, projectSecret, orgUserId });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.baseUrl}/api/v1/sign-in-codes`, { method: 'POST', headers, body });
    const { signInCode } = (await answer.json()) as { signInCode: string };
    const link = `${server.baseUrl}/console#sign-in=${signInCode}`;
    const page = await browser.newPage(link);
    await page.getByRole('heading', { name: 'Who can see a dashboard' }).waitFor();
    expect(await page.evaluate<string>('location.href')).not.toContain(signInCode);
    await page.close();
    const again = await browser.newPage(link);
    await again.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect(again.getByRole('alert').textContent()).resolves.toContain('UNAUTHENTICATED');
    await again.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });

  it('shows why a secret is rejected, and accepts a pasted token', async () => {
    const page = await browser.newPage(`${server.baseUrl}/console`);
    await page.getByLabel('Project id').fill(server.credentials.projectId);
    await page.getByLabel('Project secret').fill('wrong');
    await page.getByLabel('User id').fill(server.credentials.adminOrgUserId);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert').textContent()).resolves.toMatch(/UNAUTHENTICATED.*Request/);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('401')]);
    await page.getByLabel('Access token').fill(world.api.admin.token);
    await page.getByRole('button', { name: 'Use the token' }).click();
    await page.getByRole('heading', { name: 'Who can see a dashboard' }).waitFor();
    await page.close();
  });

  it('ends when the token expires: the page shows that and requests another one', async () => {
    const page = await browser.newPage(`${server.baseUrl}/console#/matrix`);
    const session = await world.api.openSession({ orgUserId: server.credentials.adminOrgUserId });
    await page.getByLabel('Access token').fill(session.token);
    await page.getByRole('button', { name: 'Use the token' }).click();
    await waitForStatus(page, /dashboards read/);
    succeeded(await session.post('/api/v1/invalidate-token'));
    await visit(page, '#/access');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect(page.getByRole('alert').textContent()).resolves.toContain('UNAUTHENTICATED');
    await page.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });
});

describe('with the keyboard only', () => {
  let page: Page;

  beforeAll(async () => {
    page = await signIn(browser, server, { colorScheme: 'light' });
  });
  afterAll(() => page.close());

  it('explains why a user sees a dashboard, and shows its title as text', async () => {
    await tabTo(page, 'Search dashboards');
    await page.keyboard.type('onerror');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /1 dashboards found/);
    await tabTo(page, 'Dashboard');
    await page.keyboard.type('<img');
    await tabTo(page, 'Show');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HOSTILE_TITLE }).waitFor();
    await waitForStatus(page, /people have access/);
    await tabTo(page, 'Hugo Brandt');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Why Hugo Brandt' }).waitFor();
    await expect(page.locator('.outcome').textContent()).resolves.toBe(
      'Hugo Brandt has VIEWER: EDITOR was granted, and the role VIEWER allows VIEWER at most.',
    );
    const words = await page.locator('.paths li').allTextContents();
    expect(words[0]).toMatch(/^Hugo Brandt → .+: EDITOR, and this one wins$/);
    expect(await page.locator('svg .path').count()).toBe(words.length);
    expect(await page.locator('svg .edge-level').allTextContents()).toEqual(
      words.map((text) => /: (\w+)/.exec(text)?.[1]),
    );
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).toBe('Who can see a dashboard - Gatehouse console');
  });

  it('walks the matrix and opens the explanation of a cell', async () => {
    await tabTo(page, 'Permission matrix');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /(\d+) of \1 dashboards read/);
    expect(await page.getByRole('gridcell').allTextContents()).not.toContain('not known');
    const cell = page.locator('td:focus');
    await tabTo(page, 'Permission matrix');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+Home');
    const first = await cell.getAttribute('data-href');
    expect(first).toBe(await page.getByRole('gridcell').first().getAttribute('data-href'));
    await page.keyboard.press('Control+End');
    expect(await cell.getAttribute('data-href')).toBe(
      await page.getByRole('gridcell').last().getAttribute('data-href'),
    );
    await page.keyboard.press('Control+Home');
    const people = await page.getByRole('rowheader').allTextContents();
    for (let row = 0; row < people.indexOf('Hugo Brandt'); row += 1) await page.keyboard.press('ArrowDown');
    expect(await cell.getAttribute('data-href')).toBe(
      `#/access/${world.dashboardId}?user=${world.cappedUserId}`,
    );
    expect(await cell.textContent()).toBe('VIEWER');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Why Hugo Brandt' }).waitFor();
  });

  it('previews a policy, and follows the mark of a condition to its rules', async () => {
    await visit(page, `#/preview/${world.connectionId}?kind=TENANT&who=harbor-foods`);
    await page.getByRole('option', { name: 'Harbor Foods' }).waitFor({ state: 'attached' });
    await tabTo(page, 'Statement');
    await page.keyboard.type(SQL);
    await tabTo(page, 'Preview');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /The statement is compiled/);
    const mark = page.locator('.mark');
    expect(await mark.count()).toBe(1);
    const condition = (await mark.textContent()) ?? '';
    expect(condition).toContain("tenant_id = 'harbor'");
    await tabTo(page, condition.trim());
    await page.keyboard.press('Enter');
    await expect(page.locator('li:focus').textContent()).resolves.toContain(
      'by the rules: own tenant, not the free ones',
    );
    expect(page.url()).not.toContain('SELECT');
  });

  it('validates all dashboards and opens the worst report', async () => {
    await visit(page, '#/validation');
    await tabTo(page, 'Validate all dashboards');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /dashboards: \d+ valid, \d+ invalid/);
    const report = page.locator('details', { hasText: HOSTILE_TITLE });
    await report.locator('summary').focus();
    await page.keyboard.press('Enter');
    const issue = report.getByRole('listitem').filter({ hasText: 'amout' });
    await expect(issue.textContent()).resolves.toMatch(
      /\/sheets\/0\/frames\/0\/cards\/0\/.*Did you mean amount\?/,
    );
  });

  it('rejects a report that is truncated or ends in an error', async () => {
    const validateWith = async (change: (lines: string[]) => string[]) => {
      const cut = async (route: Route) => {
        const response = await route.fetch();
        const lines = (await response.text()).trim().split('\n');
        await route.fulfill({ response, body: change(lines).join('\n') });
      };
      await page.route('**/validate-all', cut, { times: 1 });
      await visit(page, '#/access');
      await visit(page, '#/validation');
      await page.getByRole('button', { name: 'Validate all dashboards' }).click();
      const said = await page.getByRole('alert').textContent();
      return `${said} ${await page.locator('details').count()}`;
    };
    expect(await validateWith((lines) => lines.slice(0, -1))).toMatch(/ended before it was whole.* 0$/);
    const error = JSON.stringify({ type: 'error', error: 'Too busy', code: 'UNAVAILABLE', requestId: 'r-1' });
    expect(await validateWith((lines) => [...lines.slice(0, 2), error])).toBe(
      'UNAVAILABLE Too busyRequest r-1 0',
    );
  });

  it('switches the colours until the next reload', async () => {
    const readScheme = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme');
    expect(await readScheme()).toBe('light');
    await tabTo(page, 'Dark colours');
    await page.keyboard.press('Enter');
    expect(await readScheme()).toBe('dark');
    await page.keyboard.press('Enter');
    expect(await readScheme()).toBe('light');
  });

  it('plans a migration, and runs it only after a confirmation', async () => {
    const countMigrations = async () =>
      succeeded(await world.api.admin.get<{ migrations: unknown[] }>('/migrations')).migrations.length;
    await visit(page, `#/migration/${world.dashboardId}?target=${world.target.projectId}`);
    await page.getByRole('button', { name: 'Show the plan' }).waitFor();
    const openConfirmation = async () => {
      await tabTo(page, 'Show the plan');
      await page.keyboard.press('Enter');
      await waitForStatus(page, /Nothing was written/);
      await tabTo(page, 'Carry out …');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
    };
    await openConfirmation();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await countMigrations()).toBe(0);
    await tabTo(page, 'Carry out …');
    await page.keyboard.press('Enter');
    expect(await inspect(page, 'migration-confirmation')).toEqual([]);
    // The response is lost on its way, so the same plan runs again, and must not create a second copy.
    await page.route(
      '**/migrate',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await tabTo(page, 'Yes, carry it out');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert').textContent()).resolves.toContain('The server did not answer');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('ERR_FAILED')]);
    await tabTo(page, 'Carry out …');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Yes, carry it out');
    await page.keyboard.press('Enter');
    await waitForStatus(page, /The migration is completed/);
    expect(await countMigrations()).toBe(1);
    await expect(page.getByLabel('Plan').textContent()).resolves.toContain('shown this once');
  });
});

describe('with more dashboards than fit on a page of the matrix', () => {
  it('shows one page, and a link to the next', async () => {
    const more = Array.from({ length: 50 }, (_, index) => `Z report ${index + 1}`);
    await Promise.all(more.map((title) => world.api.createDashboard(world.api.admin, { title })));
    const page = await signIn(browser, server, { colorScheme: 'light', hash: '#/matrix' });
    await waitForStatus(page, /50 of 50 dashboards read/);
    const columns = page.getByRole('columnheader');
    expect(await columns.count()).toBe(51);
    const shown = new Set(await columns.allTextContents());
    await page.getByRole('link', { name: 'Next dashboards' }).click();
    await waitForStatus(page, /^(\d+) of \1 dashboards read/);
    await page.getByRole('link', { name: 'First dashboards' }).waitFor();
    const others = (await columns.allTextContents()).filter((title) => title !== 'Person');
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((title) => shown.has(title))).toEqual([]);
    await page.close();
  });
});
