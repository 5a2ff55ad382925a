import { routes } from '@gatehouse/contract';
import { findAccessibilityFaults, startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let api: Api;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone({ DEMO: '1' }), startBrowser()]);
  api = await createApi(server.credentials);
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

async function open(fragment = '', options?: { colorScheme: 'light' | 'dark' }): Promise<Page> {
  const page = await browser.newPage(`${server.baseUrl}/docs${fragment}`, options);
  await page.getByRole('heading', { name: 'Gatehouse Management API' }).waitFor({ state: 'attached' });
  return page;
}

const operationOf = (page: Page, operationId: string) => page.locator(`[id$="/${operationId}"]`).last();
const editorOf = (page: Page) => page.getByRole('dialog', { name: 'API Client' });

const urlOf = ({ tag, operationId }: (typeof routes)[number]) =>
  `${server.baseUrl}/docs#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`;

/** Opens the request editor of an operation. */
async function edit(page: Page, operationId: string): Promise<void> {
  const [route] = routes.filter((known) => known.operationId === operationId);
  if (!route) throw new Error(`there is no ${operationId}`);
  await page.goto(urlOf(route));
  await operationOf(page, operationId).getByRole('button', { name: 'Test Request' }).click();
  await editorOf(page).waitFor();
}

async function send(page: Page): Promise<void> {
  await editorOf(page).getByRole('button', { name: /^Send/ }).first().click();
}

async function closeEditor(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await editorOf(page).waitFor({ state: 'hidden' });
}

async function enterToken(page: Page): Promise<void> {
  await page.getByLabel('Bearer Token').first().fill(api.admin.token);
}

/** Expects no fault that stays: while the page draws itself, a label may come after what it names. */
async function expectAccessible(page: Page): Promise<void> {
  await expect.poll(() => findAccessibilityFaults(page), { interval: 500 }).toEqual([]);
}

const statusOf = (page: Page) => editorOf(page).getByText(/^\d{3} [A-Z]/);
const responseOf = (page: Page) => editorOf(page).locator('.cm-content[contenteditable=false]').first();

describe.each(['light', 'dark'] as const)('the reference in %s', (colorScheme) => {
  it.each(['wide', 'narrow'] as const)('is accessible on a %s screen', async (size) => {
    const page = await open('#tag/dashboards/listDashboards', { colorScheme });
    await page.setViewportSize(SIZES[size]);
    await enterToken(page);
    await edit(page, 'shareDashboard');
    await expectAccessible(page);
    await closeEditor(page);
    await edit(page, 'listDashboards');
    await send(page);
    await statusOf(page).waitFor();
    await expectAccessible(page);
    await closeEditor(page);
    await expectAccessible(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('share');
    await page.getByRole('option').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.close();
  });
});

describe('the reference', () => {
  it('shows an operation of every tag, with its error codes and a code sample', async () => {
    const firsts = new Map(routes.toReversed().map((route) => [route.tag, route]));
    let page = await open();
    for (const [index, route] of [...firsts.values()].entries()) {
      // The page keeps all that it has shown, and looks through it for each operation.
      if (index > 0 && index % TAGS_OF_PAGE === 0) {
        await page.close();
        page = await open();
      }
      await page.goto(urlOf(route));
      const operation = operationOf(page, route.operationId);
      await operation.getByRole('button', { name: 'Test Request' }).waitFor();
      const text = (await operation.textContent()) ?? '';
      expect([route.summary, 'curl', ...route.errors].filter((part) => !text.includes(part))).toEqual([]);
    }
    await page.close();
  });

  it('requests nothing from another origin, and keeps no token after it is reloaded', async () => {
    const page = await open();
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.reload();
    await enterToken(page);
    await edit(page, 'listDashboards');
    await send(page);
    await statusOf(page).waitFor();
    expect(urls.length).toBeGreaterThan(10);
    const isOwn = (url: string) => url.startsWith(`${server.baseUrl}/`) || url.startsWith('data:');
    expect(urls.filter((url) => !isOwn(url))).toEqual([]);
    const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    // Scalar writes its settings to storage half a second after a change.
    await page.waitForTimeout(1000);
    const kept = await page.evaluate<string>(stored);
    expect(kept).toContain('shell/curl');
    expect(kept).not.toContain('eyJ');
    await page.reload();
    expect(await page.getByLabel('Bearer Token').first().inputValue()).toBe('');
    await page.close();
  });

  it('reaches the search with the keyboard, and opens a result', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('share dashboard');
    await page.getByRole('option').nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#tag\/sharing\//);
    await page.close();
  });

  it('finds operations by path, field and error code', async () => {
    const page = await open();
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
    await page.close();
  });

  it('issues a token for a project secret, and sends examples with it and with existing ids', async () => {
    const page = await open();
    await edit(page, 'issueToken');
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = server.credentials;
    await editorOf(page).getByRole('textbox', { name: 'Body' }).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify({ projectId, projectSecret, orgUserId }));
    await send(page);
    await statusOf(page).getByText('200 OK').waitFor();
    await closeEditor(page);
    await edit(page, 'createDashboard');
    await send(page);
    await statusOf(page).getByText('201 Created').waitFor();
    await closeEditor(page);
    await edit(page, 'getDashboard');
    await editorOf(page).getByText('<dashboardId>').waitFor();
    await send(page);
    await statusOf(page).getByText('200 OK').waitFor();
    expect(await responseOf(page).textContent()).toContain('"Example dashboard"');
    await closeEditor(page);
    await edit(page, 'deleteDashboard');
    await send(page);
    await statusOf(page).getByText('200 OK').waitFor();
    await page.close();
  });

  it('reports a record that an example needs and that does not exist', async () => {
    const page = await open();
    await enterToken(page);
    await edit(page, 'getWebhook');
    await send(page);
    await page.getByText('There is no webhookId: listWebhooks lists none').first().waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('MissingFactError')]);
    await page.close();
  });

  it('shows responses as text, errors too', async () => {
    const title = '<img src=x onerror="document.title=1">';
    const { id } = await api.createDashboard(api.admin, { title });
    const page = await open();
    await enterToken(page);
    await edit(page, 'getDashboard');
    const value = editorOf(page).getByRole('combobox', { name: 'Value' }).first();
    await value.fill(id);
    await send(page);
    await statusOf(page).getByText('200 OK').waitFor();
    expect(await responseOf(page).textContent()).toContain(JSON.stringify(title));
    expect(await page.locator('img').count()).toBe(0);
    await value.fill('d_none');
    await send(page);
    await statusOf(page).getByText('404 Not Found').waitFor();
    expect(await responseOf(page).textContent()).toContain('requestId');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await api.admin.delete(`/dashboards/${id}`);
    await page.close();
  });
});
