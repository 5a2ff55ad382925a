import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { enter, expectFocus, expectTrap, press, tabTo } from './src/console/keyboard.js';
import { heading, inspect, leave, openConsole, visit } from './src/console/pages.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let browser: Browser;
let api: Api;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone(), startBrowser()]);
  api = await createApi(server.credentials);
  const { baseUrl, credentials } = server;
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

const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('the tokens', () => {
  const dialog = () => page.getByRole('dialog', { name: /^The (access token|sign-in link)$/ });
  const secret = () => page.getByLabel('Secret of the project');

  async function choose(label: string, option: string | RegExp): Promise<void> {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option }).click();
  }

  /** Issues what the form describes, and returns what is shown once. */
  async function issue(): Promise<string> {
    await secret().fill(api.project.projectSecret);
    await button('Issue').click();
    return (await dialog().locator('code').first().textContent()) ?? '';
  }

  const readWith = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${server.baseUrl}/api/management/v1/dashboards`, { headers });
    return response.status;
  };

  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

  it('are issued for a user by the page of the user, shown once, copied and revoked', async () => {
    const { id } = await api.createOrgUser('AUTHOR', { name: 'Toni <b>Token</b>' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(page, `/people/organization/${id}`);
    await button('Actions on the user').click();
    await page.getByRole('menuitem', { name: 'Issue a token or link' }).click();
    await heading(page, 'Tokens');
    const person = page.getByRole('textbox', { name: 'User' });
    await expect.poll(() => person.inputValue()).toBe('Toni <b>Token</b>');
    await choose('Expires after', '15 minutes');
    const token = await issue();
    expect(claimsOf(token)).toMatchObject({ orgUserId: id, projectId: api.project.projectId });
    expect(Number(claimsOf(token)['exp']) - Number(claimsOf(token)['iat'])).toBe(900);
    await expectFocus(button('Copy the token'));
    expect(await inspect(page, 'issued token')).toEqual([]);
    await button('Copy the token').focus();
    await page.keyboard.press('Enter');
    await button('Copied the token').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    expect(await readWith(token)).toBe(200);
    await button('Revoke it').click();
    await page.getByText('The token was revoked').waitFor();
    await expect.poll(() => readWith(token)).toBe(401);
    await page.reload();
    await heading(page, 'Tokens');
    expect(await page.content()).not.toContain(token);
    expect(await secret().inputValue()).toBe('');
  });

  it('are issued for tenant users, for the project and for SQL, with some semantic domains', async () => {
    const tenant = await api.createTenant();
    const { id, name } = await api.createTenantUser(tenant.id, 'VIEWER', { name: 'Tara Tenant' });
    await leave(page);
    await visit(page, '/tokens');
    await page.getByRole('textbox', { name: 'User' }).fill(name);
    await page.getByRole('option', { name: 'Tara Tenant' }).click();
    await choose('Semantic domains', 'None');
    expect(claimsOf(await issue())).toMatchObject({
      tenantUserId: id,
      semanticDomainAccess: { mode: 'none' },
    });
    await button('I copied it').click();
    await choose('What to issue', /of the project/);
    expect(claimsOf(await issue())).toMatchObject({ type: 'project', sub: api.project.projectId });
    await button('I copied it').click();
    await choose('What to issue', /compile SQL/);
    expect(await page.getByRole('combobox', { name: 'Semantic domains' }).count()).toBe(0);
    expect(claimsOf(await issue())).toMatchObject({ scope: 'sql:compile' });
    await button('I copied it').click();
  });

  it('show a rejection beside the field that it concerns, and keep the session', async () => {
    await leave(page);
    await visit(page, '/tokens?person=ou_missing');
    await secret().fill('wrong');
    await button('Issue').click();
    const alert = page.getByRole('alert').filter({ hasText: 'Nothing was issued' });
    await alert.getByText('Check the marked fields').waitFor();
    await expectFocus(secret());
    await page.getByText('The id or the secret is wrong').waitFor();
    await secret().fill(api.project.projectSecret);
    await button('Issue').click();
    await page.getByText(/names no org user/).waitFor();
    await page.keyboard.press('Escape');
    await choose('Semantic domains', 'Only these');
    await button('Issue').click();
    await expectFocus(page.getByRole('combobox', { name: 'Domains', exact: true }));
    await page.keyboard.type('no_such_domain\n');
    await api.createOrgUser('VIEWER', { name: 'Dina Deactivated', isActive: false });
    await button('Issue').click();
    await page.getByText('unknown semantic domains: no_such_domain').waitFor();
    await choose('Semantic domains', /^All$/);
    await page.getByRole('textbox', { name: 'User' }).fill('Dina');
    await page.getByRole('option', { name: 'Dina Deactivated' }).click();
    await button('Issue').click();
    // The choices of the field, which has the focus, do not cover the reason.
    const choices = await page.getByRole('listbox', { name: 'User' }).boundingBox();
    const reason = await page.getByText('The user is deactivated').boundingBox();
    expect((reason?.y ?? 0) + (reason?.height ?? 0)).toBeLessThanOrEqual(choices?.y ?? 0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).count()).toBe(0);
    for (const problem of browser.takeProblems()) expect(problem).toMatch(/40[01]/);
  });

  it('invite a user with a link that signs in once', async () => {
    const { id } = await api.createOrgUser('VIEWER', { name: 'Ivy Invited' });
    await leave(page);
    await visit(page, `/tokens?person=${id}`);
    await choose('What to issue', /Sign-in link/);
    const link = await issue();
    await button('I copied it').click();
    const other = await browser.newPage(link);
    await heading(other, 'Home');
    await other.getByText('Ivy Invited').first().waitFor();
    await other.close();
    const second = await browser.newPage(link);
    await heading(second, 'Sign in to Gatehouse');
    await second.close();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('401')]);
  });

  it('are revoked by their text, and only if they are tokens', async () => {
    await leave(page);
    await visit(page, '/tokens?tab=revoke');
    const field = page.getByLabel('Access token');
    await field.fill('neither token nor header \u2713');
    await button('Revoke').click();
    await page.getByText('must be an access token').waitFor();
    expect(browser.takeProblems()).toEqual([]);
    await field.fill('a.b.c');
    await button('Revoke').click();
    await page.getByText('is not a token of this Gatehouse').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('401')]);
    const { token } = await api.openSession({ orgUserId: server.credentials.adminOrgUserId });
    await field.fill(` ${token}\n`);
    await button('Revoke').click();
    await page.getByText('The token was revoked').last().waitFor();
    await expect.poll(() => readWith(token)).toBe(401);
    expect(await field.inputValue()).toBe('');
    await heading(page, 'Tokens');
  });

  it('are issued by keyboard alone, and a second Enter keeps the token', async () => {
    await leave(page);
    await visit(page, '/tokens');
    await heading(page, 'Tokens');
    await tabTo(page, page.getByRole('textbox', { name: 'User' }));
    await page.keyboard.insertText('Administrator');
    await page.getByRole('option', { name: /^Administrator/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await enter(page, secret(), api.project.projectSecret);
    await page.keyboard.press('Enter');
    await expectFocus(page.getByRole('button', { name: /the token$/ }));
    await page.keyboard.press('Enter');
    await expectTrap(page, dialog());
    await press(page, button('I copied it'));
    await dialog().waitFor({ state: 'detached' });
    await expectFocus(secret());
    expect(await secret().inputValue()).toBe('');
  });

  it('are issued once by a double click on a slow connection', async () => {
    await leave(page);
    await visit(page, `/tokens?person=${server.credentials.adminOrgUserId}`);
    await secret().fill(api.project.projectSecret);
    let requests = 0;
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/v1/token', async (route) => {
      requests += 1;
      await held;
      await route.fallback();
    });
    await button('Issue').dblclick();
    await secret().press('Enter');
    release();
    await dialog().waitFor();
    await button('I copied it').click();
    expect(requests).toBe(1);
    await page.unroute('**/api/v1/token');
  });

  it('show a failed connection as a fault that no field has, and can be issued then', async () => {
    await leave(page);
    await visit(page, `/tokens?person=${server.credentials.adminOrgUserId}`);
    await secret().fill(api.project.projectSecret);
    await page.route('**/api/v1/token', (route) => route.abort());
    await button('Issue').click();
    const alert = page.getByRole('alert').filter({ hasText: 'Nothing was issued' });
    await alert.getByText(/Check the connection/).waitFor();
    expect(await secret().inputValue()).toBe(api.project.projectSecret);
    browser.takeProblems();
    await page.unroute('**/api/v1/token');
    await button('Issue').click();
    await dialog().waitFor();
    expect(await alert.count()).toBe(0);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('are not shown again by Back and Forward, and leaving typed fields needs a confirmation', async () => {
    await leave(page);
    await visit(page, '/groups');
    await heading(page, 'Groups');
    await visit(page, `/tokens?person=${server.credentials.adminOrgUserId}`);
    const token = await issue();
    await button('I copied it').click();
    await page.evaluate('history.back()');
    await heading(page, 'Groups');
    await page.evaluate('history.forward()');
    await heading(page, 'Tokens');
    expect(await page.content()).not.toContain(token);
    expect(await secret().inputValue()).toBe('');
    await secret().fill('typed');
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    expect(await secret().inputValue()).toBe('typed');
    await secret().fill('');
  });

  it('of a session that ended in another tab are not reachable without signing in again', async () => {
    const second = await page.context().newPage();
    await second.goto(`${server.baseUrl}/console/tokens`);
    await heading(second, 'Tokens');
    await second.getByRole('button', { name: /Administrator/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(second, 'Sign in to Gatehouse');
    await second.close();
    await visit(page, '/people');
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });
});
