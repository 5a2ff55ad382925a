import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { createCode } from './src/sessions/consoleBrowser.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let browser: Browser;
let world: ConsoleWorld;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone(), startBrowser()]);
  world = await createConsoleWorld(server);
  page = await openConsole(browser, world);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe('a session that ends while a form is edited', () => {
  /** Opens a form of a dashboard, types into it, and saves it when the session has ended. */
  async function saveWithoutSession() {
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Half edited' });
    const edited = await openConsole(browser, world);
    await visit(edited, `/dashboards/${id}`);
    await edited.getByLabel('Description').fill('Typed before the session ended');
    await edited.context().clearCookies();
    await edited.getByRole('button', { name: 'Save', exact: true }).click();
    const cover = edited.getByRole('dialog', { name: 'Your session has ended' });
    await cover.waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('401')]);
    return { id, edited, cover };
  }

  async function signInElsewhere(edited: Page, identity: { orgUserId: string }): Promise<void> {
    const code = await createCode(world.api, identity);
    const other = await edited.context().newPage();
    await other.goto(`${world.baseUrl}/console#sign-in=${code}`);
    await heading(other, 'Home');
    await other.close();
  }

  it('keeps what was typed until the user has signed in again', async () => {
    const { id, edited, cover } = await saveWithoutSession();
    expect(await inspect(edited, 'ended session')).toEqual([]);
    await cover.getByRole('button', { name: 'Continue' }).click();
    await cover.waitFor();
    await signInElsewhere(edited, { orgUserId: world.user.id });
    await cover.getByRole('button', { name: 'Continue' }).click();
    await cover.waitFor({ state: 'detached' });
    await edited.getByText('Your session had ended').waitFor();
    await edited.getByRole('button', { name: 'Save', exact: true }).click();
    await edited.getByText('Saved', { exact: true }).waitFor();
    const read = await world.api.admin.get<{ dashboard: { description: string } }>(`/dashboards/${id}`);
    expect(succeeded(read).dashboard.description).toBe('Typed before the session ended');
    await edited.close();
  });

  it('shows nothing of the page to another user who signs in', async () => {
    const { edited, cover } = await saveWithoutSession();
    const author = await world.api.createOrgUser('AUTHOR', { name: 'Aron Other' });
    await signInElsewhere(edited, { orgUserId: author.id });
    await cover.getByRole('button', { name: 'Continue' }).click();
    await heading(edited, 'This dashboard cannot be opened');
    expect(await edited.getByText('Half edited').count()).toBe(0);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await edited.close();
  });
});
