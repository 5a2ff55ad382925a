import { routes } from '@gatehouse/contract';
import { findAccessibilityFaults, loadPage, startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let api: Api;
let browser: Browser;
/** One page for all tests: with a profile of its own, each would compile the scripts of Scalar again. */
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({ DEMO: '1' }), startBrowser()]);
  api = await createApi(server.credentials);
  page = await browser.newPage(emptyPage());
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
/**
 * Console errors, including violations of the content security policy, belong to the test that causes them.
 */
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** How many tags are opened in one page. */
const TAGS_OF_PAGE = 4;
const SIZES = { wide: { width: 1400, height: 900 }, narrow: { width: 390, height: 800 } };

/** An address of the same origin, without scripts. */
const emptyPage = () => `${server.baseUrl}/healthz`;

/** Loads the reference as at a first visit. */
async function open(
  fragment = '',
  { colorScheme }: { colorScheme: 'light' | 'dark' } = { colorScheme: 'light' },
): Promise<void> {
  // Left first: Scalar writes to the storage some time after a change.
  await loadPage(page, emptyPage());
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(SIZES.wide);
  await loadPage(page, `${server.baseUrl}/docs${fragment}`);
  await page.getByRole('heading', { name: 'Gatehouse Management API' }).waitFor({ state: 'attached' });
}

const operationOf = (operationId: string) => page.locator(`[id$="/${operationId}"]`).last();
const editorOf = () => page.getByRole('dialog', { name: 'API Client' });

const urlOf = ({ tag, operationId }: (typeof routes)[number]) =>
  `${server.baseUrl}/docs#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`;

/** Opens the request editor of an operation. */
async function edit(operationId: string): Promise<void> {
  const [route] = routes.filter((known) => known.operationId === operationId);
  if (!route) throw new Error(`there is no ${operationId}`);
  await page.goto(urlOf(route));
  await operationOf(operationId).getByRole('button', { name: 'Test Request' }).click();
  await editorOf().waitFor();
}

async function send(): Promise<void> {
  await editorOf().getByRole('button', { name: /^Send/ }).first().click();
}

async function closeEditor(): Promise<void> {
  await page.keyboard.press('Escape');
  await editorOf().waitFor({ state: 'hidden' });
}

async function enterToken(): Promise<void> {
  await page.getByLabel('Bearer Token').first().fill(api.admin.token);
}

/** Expects no fault that stays: while the page draws itself, a label may come after what it names. */
async function expectAccessible(): Promise<void> {
  await expect.poll(() => findAccessibilityFaults(page), { interval: 500 }).toEqual([]);
}

const statusOf = () => editorOf().getByText(/^\d{3} [A-Z]/);
const responseOf = () => editorOf().locator('.cm-content[contenteditable=false]').first();

describe.each(['light', 'dark'] as const)('the reference in %s', (colorScheme) => {
  it.each(['wide', 'narrow'] as const)('is accessible on a %s screen', async (size) => {
    await open('#tag/dashboards/listDashboards', { colorScheme });
    await page.setViewportSize(SIZES[size]);
    await enterToken();
    await edit('shareDashboard');
    await expectAccessible();
    await closeEditor();
    await edit('listDashboards');
    await send();
    await statusOf().waitFor();
    await expectAccessible();
    await closeEditor();
    await expectAccessible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('share');
    await page.getByRole('option').first().waitFor();
    await expectAccessible();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

describe('the reference', () => {
  it('shows an operation of every tag, with its error codes and a code sample', async () => {
    const firsts = new Map(routes.toReversed().map((route) => [route.tag, route]));
    await open();
    for (const [index, route] of [...firsts.values()].entries()) {
      // The page keeps all that it has shown, and looks through it for each operation.
      if (index > 0 && index % TAGS_OF_PAGE === 0) await open();
      await page.goto(urlOf(route));
      const operation = operationOf(route.operationId);
      await operation.getByRole('button', { name: 'Test Request' }).waitFor();
      const text = (await operation.textContent()) ?? '';
      expect([route.summary, 'curl', ...route.errors].filter((part) => !text.includes(part))).toEqual([]);
    }
  });

  it('requests nothing from another origin, and keeps no token after it is reloaded', async () => {
    await open();
    const urls: string[] = [];
    const note = (request: { url(): string }) => void urls.push(request.url());
    page.on('request', note);
    await page.reload();
    await enterToken();
    await edit('listDashboards');
    await send();
    await statusOf().waitFor();
    expect(urls.length).toBeGreaterThan(10);
    const isOwn = (url: string) => url.startsWith(`${server.baseUrl}/`) || url.startsWith('data:');
    expect(urls.filter((url) => !isOwn(url))).toEqual([]);
    page.off('request', note);
    const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    // Scalar writes its settings to storage half a second after a change.
    await page.waitForTimeout(1000);
    const kept = await page.evaluate<string>(stored);
    expect(kept).toContain('shell/curl');
    expect(kept).not.toContain('eyJ');
    await page.reload();
    expect(await page.getByLabel('Bearer Token').first().inputValue()).toBe('');
  });

  it('reaches the search with the keyboard, and opens a result', async () => {
    await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('share dashboard');
    await page.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#tag\/sharing\//);
  });

  it('finds operations by path, field and error code', async () => {
    await open();
    const find = async (query: string) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(query);
      const text = await page.getByRole('option').first().textContent();
      await page.keyboard.press('Escape');
      return text;
    };
    expect(await find('/api/v1/token')).toContain('/api/v1/token');
    expect(await find('tokenExpiry')).toContain('/api/v1/token');
    expect(await find('explainDashboardAccess')).toContain('/access');
    expect(await find('MISSING_MAPPING')).toContain('/migrate');
  });

  it('issues a token for a project secret, and sends examples with it and with existing ids', async () => {
    await open();
    await edit('issueToken');
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = server.credentials;
    await editorOf().getByRole('textbox', { name: 'Body' }).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ projectId, projectSecret, orgUserId }));
    await send();
    await statusOf().getByText('200 OK').waitFor();
    await closeEditor();
    await edit('createDashboard');
    await send();
    await statusOf().getByText('201 Created').waitFor();
    await closeEditor();
    await edit('getDashboard');
    await editorOf().getByText('<dashboardId>').waitFor();
    await send();
    await statusOf().getByText('200 OK').waitFor();
    expect(await responseOf().textContent()).toContain('"Example dashboard"');
    await closeEditor();
    await edit('deleteDashboard');
    await send();
    await statusOf().getByText('200 OK').waitFor();
  });

  it('reports a record that an example needs and that does not exist', async () => {
    await open();
    await enterToken();
    await edit('getWebhook');
    await send();
    await page.getByText('There is no webhookId: listWebhooks lists none').first().waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('MissingFactError')]);
  });

  it('shows responses as text, errors too', async () => {
    const title = '<img src=x onerror="document.title=1">';
    const { id } = await api.createDashboard(api.admin, { title });
    await open();
    await enterToken();
    await edit('getDashboard');
    const value = editorOf().getByRole('combobox', { name: 'Value' }).first();
    await value.fill(id);
    await send();
    await statusOf().getByText('200 OK').waitFor();
    expect(await responseOf().textContent()).toContain(JSON.stringify(title));
    expect(await page.locator('img').count()).toBe(0);
    await value.fill('d_none');
    await send();
    await statusOf().getByText('404 Not Found').waitFor();
    expect(await responseOf().textContent()).toContain('requestId');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await api.admin.delete(`/dashboards/${id}`);
  });
});
