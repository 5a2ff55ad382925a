import { ERROR_STATUS, routes } from '@gatehouse/contract';
import { findAccessibilityFaults, startBrowser, type Browser } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

type Page = Awaited<ReturnType<Browser['newPage']>>;

let server: TestServer;
let api: Api;
let browser: Browser;

beforeAll(async () => {
  server = await startTestStandalone({ DEMO: '1' });
  api = await createApi(server.credentials);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
/** Errors on the console, which violations of the content security policy are too, belong to the test that causes them. */
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

async function open(fragment = '', options?: { colorScheme: 'light' | 'dark' }): Promise<Page> {
  const page = await browser.newPage(`${server.baseUrl}/docs${fragment}`, options);
  // It has listed the routes when it has read the document.
  await page.locator('nav a').first().waitFor({ state: 'attached' });
  return page;
}
const heading = (page: Page) => page.locator('h1').textContent();
const pasteToken = (page: Page, token = api.admin.token) => page.getByLabel('Access token').fill(token);
const statusOf = (page: Page) => page.locator('form [role=status]');
const bodyOf = (page: Page) => page.getByRole('region', { name: 'Body of the answer' });

async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Send / }).click();
  await statusOf(page)
    .getByText(/^\d{3} /)
    .waitFor();
}

/** What a page of the reference says. */
interface Shown {
  title: string;
  codes: string[];
  links: string[];
}

/** Shows fragments one after the other, each with all its details open. A text, as it runs where there is a DOM. */
const VISIT = `async (targets) => {
  const shown = [];
  for (const target of targets) {
    const changed = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
    location.hash = target;
    await changed;
    const main = document.querySelector('main');
    for (const details of main.querySelectorAll('details')) details.setAttribute('open', '');
    const opened = new Promise((resolve) => setTimeout(resolve));
    await opened;
    const links = [...main.querySelectorAll('a[href^="#"]')];
    const codes = links.filter((link) => link.hash.startsWith('#error-'));
    shown.push({
      title: main.querySelector('h1').textContent,
      codes: codes.map((link) => link.textContent),
      links: links.map((link) => link.hash),
    });
  }
  return shown;
}`;

async function visit(page: Page, targets: readonly string[]): Promise<Map<string, Shown>> {
  const shown = await page.evaluate<Shown[]>(`(${VISIT})(${JSON.stringify(targets)})`);
  return new Map(shown.map((one, index) => [targets[index] ?? '', one]));
}

const go = (page: Page, fragment: string) => page.goto(`${server.baseUrl}/docs${fragment}`);
const fragmentOf = (page: Page) => new URL(page.url()).hash;

describe.each(['light', 'dark'] as const)('the reference in %s', (colorScheme) => {
  it('is accessible on every kind of page', async () => {
    const page = await open('', { colorScheme });
    expect(await findAccessibilityFaults(page)).toEqual([]);
    for (const fragment of ['#area-Sharing', '#shareDashboard', '#schema-Dashboard', '#error-CONFLICT']) {
      await visit(page, [fragment]);
      expect(await findAccessibilityFaults(page)).toEqual([]);
    }
    await page.getByRole('combobox').fill('share');
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.close();
  });
});

describe('the reference', () => {
  it('has a page for every route, with all its error codes, and links to nothing that it does not have', async () => {
    const page = await open();
    const listed = await page
      .locator('nav a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    // What the pages say is all that is asked of them here, and to draw hundreds is a third of the work.
    await page.evaluate("document.documentElement.style.display = 'none'");
    expect(new Set(listed)).toEqual(new Set(routes.map(({ operationId }) => `#${operationId}`)));
    const pages = await visit(page, listed.map(String));
    for (const { operationId, summary, errors } of routes) {
      const shown = pages.get(`#${operationId}`);
      expect([shown?.title, ...(shown?.codes ?? [])]).toEqual(expect.arrayContaining([summary, ...errors]));
    }
    for (let rounds = 0; rounds < 5; rounds += 1) {
      const linked = new Set([...pages.values()].flatMap(({ links }) => links));
      const next = [...linked].filter((link) => !pages.has(link));
      for (const [target, shown] of await visit(page, next)) pages.set(target, shown);
    }
    expect(pages.size).toBeGreaterThan(routes.length + Object.keys(ERROR_STATUS).length);
    const missing = [...pages].filter(([, { title }]) => title.startsWith('There is no'));
    expect(missing).toEqual([]);
    await page.close();
  });

  it('is searched by keyboard alone: slash, words, arrows, Enter', async () => {
    const page = await open('#listDashboards');
    await page.keyboard.press('/');
    await page.keyboard.type('dashboards share');
    const options = page.getByRole('option');
    expect(await options.count()).toBeGreaterThan(1);
    const second = (await options.nth(1).textContent()) ?? '';
    await page.keyboard.press('ArrowDown');
    const active = await page.getByRole('combobox').getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active}`).textContent()).toBe(second);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.hash !== '#listDashboards');
    expect(await page.getByRole('listbox').isHidden()).toBe(true);
    expect(second).toContain(await heading(page));
    expect(await page.locator('main:focus').count()).toBe(1);
    expect(fragmentOf(page)).not.toBe('');
    await page.close();
  });

  it('finds paths, summaries, fields of requests and answers, error codes and records', async () => {
    const page = await open();
    const find = async (query: string) => {
      await page.getByRole('combobox').fill(query);
      return page.getByRole('option').first().textContent();
    };
    expect(await find('/api/v1/token')).toContain('POST /api/v1/token');
    expect(await find('explain access dashboard')).toContain('GET /api/management/v1/dashboards/{id}/access');
    expect(await find('tokenExpiry')).toContain('POST /api/v1/token');
    expect(await find('resolvedExpression')).toContain('/unified-security/preview');
    expect(await find('MISSING_MAPPING')).toContain('MISSING_MAPPING');
    expect(await find('sharerecord')).toContain('ShareRecord');
    await page.getByRole('combobox').fill('no such thing');
    expect(await page.getByRole('option').count()).toBe(0);
    expect(await page.locator('#found').textContent()).toBe('0 found');
    await page.close();
  });

  it('opens at a deep link, and says so of one that leads nowhere', async () => {
    const page = await open('#error-RATE_LIMITED');
    expect(await heading(page)).toBe('RATE_LIMITED');
    expect(await page.locator('main').textContent()).toContain(String(ERROR_STATUS.RATE_LIMITED));
    const lost = await open('#nothing');
    expect(await heading(lost)).toBe('There is no nothing');
    await Promise.all([page.close(), lost.close()]);
  });

  it('sends an example, with ids that it looked up, and keeps the token to itself', async () => {
    const page = await open('#createDashboard');
    await pasteToken(page);
    await send(page);
    expect(await statusOf(page).textContent()).toMatch(/^201 Created/);
    await go(page, '#getDashboard');
    await page.getByRole('heading', { name: 'Read a dashboard' }).waitFor();
    expect(await page.getByRole('region', { name: 'Command' }).textContent()).toContain('<dashboardId>');
    await send(page);
    expect(await statusOf(page).textContent()).toMatch(/^200 OK.*ETag "1-/);
    expect(await page.getByRole('region', { name: 'Command' }).textContent()).toMatch(
      /dashboards\/d_[\w-]+'$/,
    );
    await go(page, '#deleteDashboard');
    await page.getByRole('heading', { name: 'Delete a dashboard' }).waitFor();
    await send(page);
    expect(await statusOf(page).textContent()).toMatch(/^200 OK/);
    const kept = await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]');
    expect([page.url(), kept]).toEqual([`${server.baseUrl}/docs#deleteDashboard`, ['', 0, 0]]);
    expect(await page.locator('main').textContent()).not.toContain(api.admin.token);
    await page.close();
  });

  it('says what is missing before it sends anything', async () => {
    const page = await open('#getWebhook');
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('Paste an access token at the top of the page first.').waitFor();
    await pasteToken(page);
    await page.getByRole('button', { name: 'Send GET' }).click();
    await page.getByText('There is no webhookId').waitFor();
    expect(await statusOf(page).textContent()).toMatch(/listWebhooks lists none/);
    await page.close();
  });

  it('shows what a server says as text, errors too', async () => {
    const title = '<img src=x onerror="document.title=1">';
    const { id } = await api.createDashboard(api.admin, { title });
    const page = await open('#getDashboard');
    await pasteToken(page);
    await page.getByLabel('id (path)').fill(id);
    await send(page);
    expect(await bodyOf(page).textContent()).toContain(JSON.stringify(title));
    expect(await page.locator('main img').count()).toBe(0);
    await page.getByLabel('id (path)').fill('<none>/../x');
    await send(page);
    expect(await statusOf(page).textContent()).toMatch(/^40[04] /);
    expect(await bodyOf(page).textContent()).toContain('requestId');
    expect(browser.takeProblems()).toEqual([expect.stringMatching(/status of 40[04]/)]);
    await api.admin.delete(`/dashboards/${id}`);
    await page.close();
  });
});
