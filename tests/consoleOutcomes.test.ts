import type { ShareListEntry } from '@gatehouse/contract';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { createCode } from './src/sessions/consoleBrowser.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

type ShareList = Record<'specificGroups' | 'specificOrgUsers' | 'allTenantsOnly', ShareListEntry[]>;
type Locator = ReturnType<Page['getByRole']>;

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

describe('a share', () => {
  const readShares = async (id: string) => {
    const read = await world.api.admin.get<ShareList>(`/dashboards/${id}/shares`);
    const { specificGroups, specificOrgUsers, allTenantsOnly } = succeeded(read);
    return [...specificGroups, ...specificOrgUsers, ...allTenantsOnly].map(
      ({ target, role, expiresAt }) => `${target?.name ?? 'all'} ${role} ${expiresAt ?? 'forever'}`,
    );
  };

  /** Opens the dialog of a new share with a group, on a dashboard that the group can already edit. */
  async function openGrant() {
    const group = await world.api.createGroup();
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Shared twice' });
    await world.api.share(world.api.admin, id, [{ scope: 'group', groupId: group.id, role: 'EDITOR' }]);
    await visit(page, `/dashboards/${id}?tab=sharing`);
    await page.getByText('1 found', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    return { id, group, dialog };
  }

  async function chooseAudience(dialog: Locator, name: string): Promise<void> {
    await dialog.getByRole('combobox', { name: 'Audience' }).click();
    await page.getByRole('option', { name, exact: true }).click();
  }

  it('is not replaced without a notice, keeps its level with a new end, and is restored', async () => {
    const { id, group, dialog } = await openGrant();
    await chooseAudience(dialog, 'A group');
    await dialog.getByRole('textbox', { name: 'Group' }).fill(group.name);
    await page.getByRole('option', { name: group.name }).click();
    await dialog.getByText('There is already a share with the level Editor, without an end.').waitFor();
    expect(await inspect(page, 'replaced share')).toEqual([]);
    await dialog.getByLabel('Expires').fill('2020-01-01T12:00');
    await dialog.getByText('must be in the future').waitFor();
    expect(await dialog.getByRole('button', { name: 'Replace' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Expires').fill('2099-01-01T12:00');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    const notice = page.getByRole('alert').filter({ hasText: `Shared with ${group.name}` });
    await notice.waitFor();
    await expect(readShares(id)).resolves.toEqual([expect.stringMatching(/ EDITOR (2098-12-31|2099-01)/)]);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone', { exact: true }).waitFor();
    await expect(readShares(id)).resolves.toEqual([`${group.name} EDITOR forever`]);
  });

  it('with another audience begins as a viewer, is named, and can be undone', async () => {
    const { id, group, dialog } = await openGrant();
    await chooseAudience(dialog, 'A group');
    await dialog.getByRole('textbox', { name: 'Group' }).fill(group.name);
    await page.getByRole('option', { name: group.name }).click();
    await dialog.getByText('There is already a share').waitFor();
    await chooseAudience(dialog, 'All tenants, without organization users');
    await dialog.getByRole('button', { name: 'Share' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Shared with all tenants' });
    await notice.waitFor();
    await expect(readShares(id)).resolves.toContain('all VIEWER forever');
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readShares(id)).toEqual([`${group.name} EDITOR forever`]);
  });

  it('offers no level above your own, and is not revoked at once if it may give you that', async () => {
    const { api } = world;
    const author = await api.createOrgUser('AUTHOR', { name: 'Cora Contributor' });
    const { id } = await api.createDashboard(api.admin, { title: 'Shared by a contributor' });
    await api.share(api.admin, id, [
      { scope: 'specific_org_user', orgUserId: author.id, role: 'CONTRIBUTOR' },
      { scope: 'specific_org_user', orgUserId: world.cappedUserId, role: 'VIEWER' },
    ]);
    const other = await openConsole(browser, { ...world, user: author });
    await visit(other, `/dashboards/${id}?tab=sharing`);
    const level = other.getByRole('combobox', { name: 'Level of Hugo Brandt' });
    await level.waitFor();
    expect(await level.getByRole('option', { disabled: true }).allTextContents()).toEqual(['Owner']);
    await other.getByRole('button', { name: 'Revoke the share with Cora Contributor' }).click();
    const question = other.getByRole('dialog', { name: 'Revoke the share with Cora Contributor?' });
    await question.getByText('Without that right you cannot undo this.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await other.getByRole('combobox', { name: 'Level of Cora Contributor' }).selectOption('Viewer');
    const lower = other.getByRole('dialog', { name: 'Lower the level of Cora Contributor?' });
    await lower.getByRole('button', { name: 'Cancel' }).click();
    await lower.waitFor({ state: 'detached' });
    await expect(readShares(id)).resolves.toContain('Cora Contributor CONTRIBUTOR forever');
    await other.getByRole('button', { name: 'Revoke the share with Hugo Brandt' }).click();
    await other.getByText('The share with Hugo Brandt revoked').waitFor();
    await other.getByRole('button', { name: 'Revoke the share with Cora Contributor' }).click();
    await question.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => readShares(id)).toEqual([]);
    await other.close();
    for (const problem of browser.takeProblems()) expect(problem).toMatch(/40[34]/);
  });
});

describe('a session list', () => {
  it('states that it does not sign out its own browser, and counts one browser as one', async () => {
    const user = await world.api.createOrgUser('AUTHOR', { name: 'Sina Sessions' });
    const former = await openConsole(browser, { ...world, user });
    await former.close();
    const own = await openConsole(browser, { ...world, user });
    await visit(own, '/sessions');
    await own.getByText('2 found', { exact: true }).waitFor();
    const row = own.getByRole('row').filter({ hasText: 'This browser' });
    await row.getByRole('checkbox').check();
    await own.getByRole('button', { name: 'Sign out', exact: true }).click();
    await own.getByText('This browser stays signed in.').waitFor();
    await own.getByLabel('Select all loaded rows').check();
    await own.getByRole('button', { name: 'Sign out', exact: true }).click();
    await own.getByText('One browser signed out').waitFor();
    await own.getByText('1 found', { exact: true }).waitFor();
    expect(await own.getByText('This browser', { exact: true }).count()).toBe(1);
    await own.close();
  });
});

describe('the deletion of a user', () => {
  it.each([
    ['organization', 'stay without an owner until an Admin takes ownership'],
    ['tenant', 'pass to the default owner of the tenant'],
  ])('of the kind %s states what becomes of what the user owned', async (kind, text) => {
    const { api } = world;
    const { id } =
      kind === 'tenant' ? await api.createTenantUser('harbor-foods') : await api.createOrgUser('AUTHOR');
    await visit(page, `/people/${kind}/${id}`);
    await page.getByRole('button', { name: 'Actions on the user' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const question = page.getByRole('dialog');
    await expect(question.textContent()).resolves.toContain(text);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
  });
});
