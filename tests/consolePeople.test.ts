import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { expectFocus } from './src/console/keyboard.js';
import { heading, leave, openConsole, visit } from './src/console/pages.js';
import { createCode } from './src/sessions/consoleBrowser.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

let server: TestServer;
let browser: Browser;
let api: Api;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone(), startBrowser()]);
  api = await createApi(server.credentials);
  page = await open({ id: server.credentials.adminOrgUserId });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

const open = (user: { id: string }) => openConsole(browser, { api, baseUrl: server.baseUrl, user });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });

async function openAsTenantUser(id: string): Promise<Page> {
  const code = await createCode(api, { endUserId: id });
  const other = await browser.newPage(`${server.baseUrl}/console#sign-in=${code}`);
  await heading(other, 'Home');
  return other;
}

describe('the users', () => {
  const nameOfSelf = async () => {
    const path = `/org-users/${server.credentials.adminOrgUserId}`;
    return succeeded(await api.admin.get<{ user: { name: string; isActive: boolean } }>(path)).user;
  };

  it('keep the signed-in ADMIN active when all rows are selected and deactivated or deleted', async () => {
    // The API keeps the last active ADMIN, which the signed-in one is not.
    await api.createOrgUser('ADMIN', { name: 'Alan Third' });
    await api.createOrgUser('ADMIN', { name: 'Ada Second' });
    const { name } = await nameOfSelf();
    await visit(page, '/people?type=organization');
    await row(name).check();
    await row('Ada Second').check();
    await button('Deactivate').click();
    await page.getByText('Ada Second deactivated').waitFor();
    expect(await nameOfSelf()).toMatchObject({ isActive: true });
    await row(name).check();
    await row('Ada Second').check();
    await button('Delete').click();
    const dialog = page.getByRole('dialog', { name: 'Delete Ada Second?' });
    await dialog.getByText('You are not deleted').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 user deleted', { exact: true }).waitFor();
    expect(await nameOfSelf()).toMatchObject({ isActive: true });
  });

  it('do not let an ADMIN take the own role or activity, which no undo returns', async () => {
    await visit(page, `/people/organization/${server.credentials.adminOrgUserId}`);
    await page.getByRole('textbox', { name: 'Department' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Role' }).count()).toBe(0);
    expect(await page.getByRole('switch', { name: 'Active' }).count()).toBe(0);
    await page.getByText('Another Admin changes your role').waitFor();
  });
});

describe('a form that the role does not permit', () => {
  const FORMS = [
    '/dashboards/new',
    '/visuals/new',
    '/people/new/organization',
    '/people/new/tenant',
    '/groups/new',
    '/tenants/new',
    '/projects/new',
    '/connections/new',
    '/domains/new',
    '/datamodels/new',
    '/assistants/new',
    '/policies/definitions/new',
    '/policies/assignments/new',
    '/webhooks/new',
    '/migrations/new',
    '/tokens',
  ];

  it('is not shown to a VIEWER, who reads which role it needs', async () => {
    const viewer = await api.createOrgUser('VIEWER');
    const other = await open(viewer);
    for (const path of FORMS) {
      await leave(other);
      await visit(other, path);
      await other.getByText(/^This page needs the role \w.*\. Yours is Viewer\. /).waitFor();
      expect(await other.getByRole('main').getByRole('textbox').count()).toBe(0);
    }
    await other.close();
  });
});

describe('a tenant user', () => {
  it('reads that an owner is outside the tenant, not an id', async () => {
    const tenant = await api.createTenant();
    const { id } = await api.createTenantUser(tenant.id, 'POWER_USER', { name: 'Tessa Own' });
    const shared = await api.createDashboard(api.admin, { title: 'From the organization' });
    const entry = { scope: 'specific_tenant_user', tenantUserId: id, role: 'VIEWER' };
    await api.share(api.admin, shared.id, [entry]);
    const other = await openAsTenantUser(id);
    await visit(other, '/dashboards');
    const line = other.getByRole('row').filter({ hasText: 'From the organization' });
    await line.getByText('Outside your tenant').waitFor();
    await visit(other, `/dashboards/${shared.id}`);
    await other.getByText('Outside your tenant').first().waitFor();
    expect(await other.getByRole('main').getByText(/^ou_/).count()).toBe(0);
    await other.close();
  });
});

describe('a dialog', () => {
  it('begins with its first field or its safe answer, not with Close', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Focused' });
    await visit(page, `/dashboards/${id}?tab=sharing&dialog=share`);
    await expectFocus(page.getByRole('dialog').getByRole('combobox', { name: 'Audience' }));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Actions on the dashboard').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expectFocus(page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.admin.get(`/dashboards/${id}`)).status).toBe(200);
  });
});

describe('the end of a share', () => {
  it('is a date beside its distance', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Ending' });
    const expiresAt = new Date(Date.now() + 40 * 86_400_000).toISOString();
    const entry = { scope: 'all_org_users', role: 'VIEWER', expiresAt };
    await api.share(api.admin, id, [entry]);
    await visit(page, `/dashboards/${id}?tab=sharing`);
    const shown = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(expiresAt));
    const cell = page.getByRole('cell').filter({ hasText: `${shown} (` });
    await cell.waitFor();
    expect(await cell.textContent()).toBe(`${shown} (next month)`);
    const onPhone = page.getByText(`until ${shown}`);
    expect(await onPhone.isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => onPhone.isVisible()).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('the filters of the audit log', () => {
  it('offer events and kinds of resources by readable names', async () => {
    await api.createDashboard(api.admin, { title: 'Audited' });
    await visit(page, '/audit');
    await page.getByRole('combobox', { name: 'Event', exact: true }).click();
    await page.getByRole('option', { name: 'Dashboard share: all events' }).waitFor();
    expect(await page.getByRole('option', { name: /management|_/ }).count()).toBe(0);
    await page.getByRole('option', { name: 'Dashboard created', exact: true }).click();
    await expect.poll(() => page.url()).toContain('type=management.dashboard.created.v1');
    await page.getByRole('combobox', { name: 'Kind of resource' }).click();
    await page.getByRole('option', { name: 'Dashboard', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'Audited' }).waitFor();
    const unknown = 'management.dashboard.created.v2';
    await visit(page, `/audit?type=${unknown}`);
    const chosen = page.getByRole('combobox', { name: 'Event', exact: true });
    await expect.poll(() => chosen.inputValue()).toBe(unknown);
    await page.getByText('No entry matches').waitFor();
  });
});
