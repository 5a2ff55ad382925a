import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { expectFocus } from './src/console/keyboard.js';
import { heading, inspect, leave, openConsole, visit } from './src/console/pages.js';
import { createCode } from './src/sessions/consoleBrowser.js';
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

describe('a list', () => {
  const COUNT = 150;
  let page: Page;
  beforeAll(async () => {
    const titles = Array.from({ length: COUNT }, (_, index) => `Z report ${index + 1}`);
    await Promise.all(titles.map((title) => world.api.createDashboard(world.api.admin, { title })));
    page = await openConsole(browser, world);
    await visit(page, '/dashboards?search=Z+report&sort=title&order=asc');
    await page.getByText(`${COUNT} found`, { exact: true }).waitFor();
  });
  afterAll(() => page.close());

  it('continues while it is scrolled, and draws only the rows in view', async () => {
    const table = page.getByRole('table', { name: 'Dashboards' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(COUNT + 1));
    const last = page.getByRole('link', { name: 'Z report 99', exact: true });
    await expect
      .poll(async () => {
        await table.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return last.isVisible();
      })
      .toBe(true);
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  });

  it('is exported as a whole, also beyond what is loaded', async () => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(COUNT + 1);
    expect(lines[0]).toBe('id,Title,Your access,Owner,Tags,Updated');
    expect(lines.filter((line) => line.includes(',ou_'))).toEqual([]);
  });

  it('is left and entered row by row with the arrow keys', async () => {
    await page.getByRole('table', { name: 'Dashboards' }).evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('link', { name: 'Z report 1', exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await expect.poll(focused).toBe('Z report 10');
    await page.keyboard.press('ArrowUp');
    await expect.poll(focused).toBe('Z report 1');
    await page.keyboard.press('Enter');
    await heading(page, 'Z report 1');
    await page.goBack();
    await page.getByText(`${COUNT} found`, { exact: true }).waitFor();
  });

  it('states no number of records if it could not be read', async () => {
    const other = await openConsole(browser, world);
    await other.route('**/api/management/v1/tenants?*', (route) => route.abort());
    await visit(other, '/tenants');
    await other.getByText('The list could not be read').waitFor();
    expect(await other.getByText(/ found$/).count()).toBe(0);
    browser.takeProblems();
    await other.close();
  });

  it('leads to an explanation if a record is missing', async () => {
    const other = await openConsole(browser, world);
    await visit(other, '/dashboards/d_missing');
    await other.getByRole('alert').getByText('belong to another project').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await other.close();
  });

  it('acts on selected rows only while they are listed', async () => {
    await page.getByRole('checkbox', { name: 'Select Z report 1', exact: true }).check();
    const bar = page.getByRole('region', { name: 'Actions on the selection' });
    await bar.getByText('1 selected', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Search dashboards' }).fill('Z report 150');
    await page.getByText('1 found', { exact: true }).waitFor();
    expect(await bar.count()).toBe(0);
  });
});

describe('sharing', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openConsole(browser, world);
  });
  afterAll(() => page.close());

  /** Opens the shares of a dashboard as an author who loses the right to share it while they are shown. */
  async function openAsFormerAuthor(name: string) {
    const { api } = world;
    const author = await api.createOrgUser('AUTHOR', { name });
    const { id } = await api.createDashboard(api.admin, { title: `Of ${name}` });
    const own = { scope: 'specific_org_user', orgUserId: author.id };
    const another = { scope: 'specific_org_user', orgUserId: world.cappedUserId, role: 'VIEWER' };
    await api.share(api.admin, id, [{ ...own, role: 'CONTRIBUTOR' }, another]);
    const other = await openConsole(browser, { ...world, user: author });
    await visit(other, `/dashboards/${id}?tab=sharing`);
    const revoke = other.getByRole('button', { name: 'Revoke the share with Hugo Brandt' });
    await revoke.waitFor();
    await api.share(api.admin, id, [{ ...own, role: 'VIEWER' }]);
    return { id, other, revoke };
  }

  /** Holds requests back until the returned function is called. */
  async function hold(on: Page, address: string): Promise<() => void> {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await on.route(address, async (route) => {
      await held;
      await route.fallback();
    });
    return release;
  }

  it('explains the ceiling of a role before a grant, changes a level, revokes and undoes', async () => {
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Shared' });
    const readShares = async () =>
      succeeded(
        await world.api.admin.get<{ specificOrgUsers: { role: string; target: { name: string } }[] }>(
          `/dashboards/${id}/shares`,
        ),
      ).specificOrgUsers.map(({ role, target }) => `${target.name} ${role}`);
    await visit(page, `/dashboards/${id}?tab=sharing`);
    await page.getByRole('button', { name: 'Share', exact: true }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    await dialog.getByRole('textbox', { name: 'Person' }).fill('hugo');
    await page.getByRole('option', { name: /^Hugo Brandt/ }).click();
    await dialog.getByRole('combobox', { name: 'Level' }).click();
    await page.getByRole('option', { name: 'Editor' }).click();
    await dialog.getByText('allows Viewer at most').waitFor();
    expect(await inspect(page, 'grant')).toEqual([]);
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.getByText('1 found', { exact: true }).waitFor();
    await expect.poll(readShares).toEqual(['Hugo Brandt EDITOR']);
    await page.getByRole('combobox', { name: 'Level of Hugo Brandt' }).selectOption('Contributor');
    await page.getByText('has the level Contributor').waitFor();
    await expect.poll(readShares).toEqual(['Hugo Brandt CONTRIBUTOR']);
    await page.getByRole('button', { name: 'Revoke the share with Hugo Brandt' }).click();
    await page.getByText('Shared with no one').waitFor();
    await expect.poll(readShares).toEqual([]);
    const notice = page.getByRole('alert').filter({ hasText: 'revoked' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 found', { exact: true }).waitFor();
    await expect.poll(readShares).toEqual(['Hugo Brandt CONTRIBUTOR']);
    await page.getByRole('checkbox', { name: 'Select Hugo Brandt' }).check();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 selected', { exact: true }).waitFor();
  });

  it('leads from the shares to the people who can open the dashboard', async () => {
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Who opens this' });
    await visit(page, `/dashboards/${id}?tab=sharing`);
    await page.getByRole('link', { name: 'See who can open it' }).click();
    await heading(page, 'Access');
    const chosen = page.getByRole('textbox', { name: 'Dashboard' });
    await expect.poll(() => chosen.inputValue()).toBe('Who opens this');
    await page.getByText('1 found', { exact: true }).waitFor();
  });

  it('keeps who was chosen until that is discarded, and has an address', async () => {
    const { id } = await world.api.createDashboard(world.api.admin, { title: 'Nearly shared' });
    await visit(page, `/dashboards/${id}?tab=sharing&dialog=share`);
    const dialog = page.getByRole('dialog', { name: 'Share this dashboard' });
    await dialog.getByRole('textbox', { name: 'Person' }).fill('hugo');
    await page.getByRole('option', { name: /^Hugo Brandt/ }).click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    // In the field of the person, Escape closes its choices first.
    await dialog.getByLabel('Expires').focus();
    const leaves = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
    ];
    for (const leaveDialog of leaves) {
      await leaveDialog();
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'detached' });
      await expect(dialog.getByRole('textbox', { name: 'Person' }).inputValue()).resolves.toBe('Hugo Brandt');
    }
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await expect(dialog.getByRole('textbox', { name: 'Person' }).inputValue()).resolves.toBe('Hugo Brandt');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Shared with no one').waitFor();
    expect(page.url()).not.toContain('dialog');
    await page.getByRole('button', { name: 'Share', exact: true }).first().click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows a share again, with the request, if its revocation is refused', async () => {
    const { id, other, revoke } = await openAsFormerAuthor('Nadia Former');
    const release = await hold(other, `**/dashboards/${id}/share`);
    await revoke.click();
    await revoke.waitFor({ state: 'detached' });
    release();
    const notice = other.getByRole('alert').filter({ hasText: 'This did not work' });
    await expect(notice.textContent()).resolves.toMatch(/\(request [\w-]{36}\)/);
    await other.getByText('Hugo Brandt', { exact: true }).waitFor();
    await other.getByText('2 found', { exact: true }).waitFor();
    await other.close();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('403')]);
  });

  it('adds members to a group and removes several at once', async () => {
    const group = await world.api.createGroup();
    await visit(page, `/groups/${group.id}`);
    for (const name of ['Hugo Brandt', 'Grace Okafor']) {
      await page.getByRole('textbox', { name: 'Add a member' }).fill(name);
      await page.getByRole('option', { name }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('link', { name }).waitFor();
    }
    await page.getByLabel('Select all loaded rows').check();
    await page.getByRole('region', { name: 'Actions on the selection' }).getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No members yet').waitFor();
    const path = `/groups/${group.id}/members`;
    const readTotal = async () => succeeded(await world.api.admin.get<{ total: number }>(path)).total;
    await expect.poll(readTotal).toBe(0);
  });

  it('can repeat a refused revocation before the shares are read again', async () => {
    const { id, other, revoke } = await openAsFormerAuthor('Olga Former');
    const release = await hold(other, `**/dashboards/${id}/shares?*`);
    const notices = other.getByRole('alert').filter({ hasText: 'This did not work' });
    for (const count of [1, 2]) {
      await revoke.click();
      await expect.poll(() => notices.count()).toBe(count);
      await other.getByText('Hugo Brandt', { exact: true }).waitFor();
      expect(await revoke.isEnabled()).toBe(true);
    }
    release();
    await other.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('403');
  });
});

describe('users', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openConsole(browser, world);
  });
  afterAll(() => page.close());

  it('are created with field errors beside their fields, changed and deleted', async () => {
    await visit(page, '/people/new/organization');
    await page.getByRole('textbox', { name: 'Name' }).fill('Nora Test');
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('no address');
    await page.getByRole('button', { name: 'Create the organization user' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'It was not saved' });
    await expect(alert.textContent()).resolves.toMatch(/INVALID_REQUEST.*Request [\w-]{36}/);
    expect(await page.getByRole('textbox', { name: 'E-mail address' }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('nora@test.example');
    await page.getByRole('button', { name: 'Create the organization user' }).click();
    await heading(page, 'Nora Test');
    await page.getByRole('textbox', { name: 'Department' }).fill('Finance');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { users } = succeeded(
      await world.api.admin.get<{ users: { department: string }[] }>('/org-users?search=nora'),
    );
    expect(users.map(({ department }) => department)).toEqual(['Finance']);
    await page.getByRole('button', { name: 'Actions on the user' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Users');
  });

  it('are created for the tenant whose page leads to the form, with an id of your own', async () => {
    await visit(page, '/tenants/harbor-foods');
    await page.getByRole('link', { name: 'New user' }).click();
    await heading(page, 'New tenant user');
    await expect.poll(() => page.getByRole('textbox', { name: 'Tenant' }).inputValue()).toBe('Harbor Foods');
    // Without a request: the browser would report its 400.
    await page.getByRole('button', { name: 'Create the tenant user' }).click();
    await expectFocus(page.getByRole('textbox', { name: 'Name' }));
    expect(await page.getByText('is required').count()).toBe(2);
    expect(await inspect(page, 'required fields')).toEqual([]);
    await page.getByRole('textbox', { name: 'Name' }).fill('Piet Own');
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('piet@harbor.example');
    await page.getByRole('textbox', { name: 'Id', exact: true }).fill('piet-own');
    await page.getByRole('button', { name: 'Create the tenant user' }).click();
    await heading(page, 'Piet Own');
    const { user } = succeeded(
      await world.api.admin.get<{ user: { tenantId: string } }>('/tenant-users/piet-own'),
    );
    expect(user.tenantId).toBe('harbor-foods');
    await page.getByRole('link', { name: 'What this user can open' }).click();
    await heading(page, 'Access');
    await expect.poll(() => page.getByRole('textbox', { name: 'Person' }).inputValue()).toBe('Piet Own');
  });

  it('are not created without a tenant, whose field shows that', async () => {
    await visit(page, '/people/new/tenant');
    await page.getByRole('textbox', { name: 'Name' }).fill('Lost');
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('lost@harbor.example');
    await page.getByRole('button', { name: 'Create the tenant user' }).click();
    const tenant = page.getByRole('textbox', { name: 'Tenant' });
    await expectFocus(tenant);
    expect(await tenant.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('option', { name: 'Harbor Foods' }).click();
    expect(await page.getByText('is required').count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await heading(page, 'Users');
  });

  it('lose their access to the console when their session is revoked', async () => {
    const other = await openConsole(browser, world);
    await visit(page, `/people/organization/${world.user.id}?tab=sessions`);
    await page.getByText('This browser').waitFor();
    await page.getByLabel('Select all loaded rows').check();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('browsers signed out').waitFor();
    await visit(other, '/groups');
    await other.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    await other.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });
});

describe('an administrator of a tenant', () => {
  it('sees on every screen only that tenant', async () => {
    const { api, baseUrl } = world;
    const foreign = 'Of another tenant';
    const [own, other] = [await api.createTenant(), await api.createTenant({ name: foreign })];
    const { id } = await api.createTenantUser(own.id, 'POWER_USER', { name: 'Tessa Own' });
    const stranger = await api.createTenantUser(other.id, 'POWER_USER', { name: foreign });
    const session = await api.openSession({ endUserId: stranger.id });
    const { id: foreignId } = await api.createDashboard(session, { title: foreign });
    const code = await createCode(api, { endUserId: id });
    const page = await browser.newPage(`${baseUrl}/console#sign-in=${code}`);
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/')) bodies.push(response.text().catch(() => ''));
    });
    await heading(page, 'Home');
    const links = await page.getByRole('navigation').getByRole('link').all();
    const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(paths).toContain('/console/people');
    for (const path of paths) {
      await visit(page, path?.replace(/^\/console/, '') ?? '');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    }
    await visit(page, '/people');
    await page.getByRole('link', { name: 'Tessa Own' }).waitFor();
    const read = await Promise.all(bodies);
    expect(read.some((body) => body.includes('Tessa Own'))).toBe(true);
    for (const secret of [foreign, foreignId, stranger.id, other.id])
      expect(read.filter((body) => body.includes(secret))).toEqual([]);
    expect(browser.takeProblems()).toEqual([]);
    for (const path of [
      `/people/tenant/${stranger.id}`,
      `/dashboards/${foreignId}`,
      `/tenants/${other.id}`,
    ]) {
      await visit(page, path);
      await page.getByText('NOT_FOUND').first().waitFor();
      await leave(page);
    }
    for (const problem of browser.takeProblems()) expect(problem).toContain('404');
    await page.close();
  });
});

describe('data', () => {
  it('has connections whose catalog is edited, and shows what changed', async () => {
    const page = await openConsole(browser, world);
    const catalogOf = (name: string) => {
      const columns = [
        { name: 'id', type: 'integer' },
        { name, type: 'numeric' },
      ];
      return JSON.stringify({ schemas: [{ name: 'public', tables: [{ name: 'sales', columns }] }] });
    };
    await visit(page, '/connections/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Own catalog');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: /^Static/ }).click();
    await page.getByRole('textbox', { name: 'Catalog' }).fill(catalogOf('amount'));
    await page.getByRole('button', { name: 'Create the connection' }).click();
    await heading(page, 'Own catalog');
    await page.getByRole('cell', { name: 'amount' }).waitFor();
    await page.getByRole('button', { name: 'Edit the catalog' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the catalog' });
    await dialog.getByRole('textbox', { name: 'Catalog' }).fill(catalogOf('total'));
    expect(await inspect(page, 'introspection')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save the catalog' }).click();
    await page.getByRole('cell', { name: 'total' }).waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByText('Column renamed').waitFor();
    await page.close();
  });

  it('has domains whose template is saved, and rejects invalid JSON before a request', async () => {
    const page = await openConsole(browser, world);
    await visit(page, `/domains/${world.domainId}?tab=template`);
    const editor = page.getByRole('textbox', { name: 'Template' });
    await editor.fill('{ "datasets": ');
    await page.getByText('Unexpected end of JSON input').first().waitFor();
    const datasets = [{ name: 'Orders', connectionId: world.connectionId, table: 'orders' }];
    await editor.fill(JSON.stringify({ datasets }));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const path = `/api/v1/domains/${world.domainId}/template`;
    const { template } = succeeded(await world.api.admin.get<{ template: { datasets: unknown } }>(path));
    expect(template.datasets).toEqual(datasets);
    await page.close();
  });
});

describe('signing in', () => {
  it('works once with a link, and leaves neither code nor token in the page', async () => {
    const code = await createCode(world.api, { orgUserId: world.user.id });
    const link = `${world.baseUrl}/console#sign-in=${code}`;
    const page = await browser.newPage(link);
    await heading(page, 'Home');
    const kept = await page.evaluate<string>(
      'location.href + JSON.stringify({ ...localStorage, ...sessionStorage }) + ' +
        'document.cookie + document.body.innerHTML',
    );
    expect(kept).not.toContain(code);
    expect(kept).not.toContain('eyJ');
    await page.reload();
    await heading(page, 'Home');
    await page.getByRole('button', { name: world.user.name }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    await page.close();
    const again = await browser.newPage(link);
    await again.getByRole('alert').filter({ hasText: 'This link was already used' }).waitFor();
    expect(await inspect(again, 'sign in')).toEqual([]);
    await again.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });

  it('opens the project of the link, which is not the first one', async () => {
    const { api, user, baseUrl } = world;
    const project = await api.createProject('A first project');
    for (const id of [api.project.projectId, project.projectId]) {
      const code = await createCode(api, { orgUserId: user.id });
      const page = await browser.newPage(`${baseUrl}/console?project=${id}#sign-in=${code}`);
      await heading(page, 'Home');
      expect(new URL(page.url()).searchParams.get('project')).toBe(id);
      await page.close();
    }
  });

  it('sends the code of a link once, also if the page is built again after an error', async () => {
    const page = await openConsole(browser, world);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    const json = { sessions: [null], nextCursor: null };
    await page.route('**/api/v1/sessions*', (route) => route.fulfill({ json }));
    await visit(page, '/sessions');
    await page.getByText('This page failed').waitFor();
    await leave(page);
    expect(sent.some((url) => url.includes('/api/v1/sessions'))).toBe(true);
    expect(sent.filter((url) => url.includes('/console/session/code'))).toEqual([]);
    await page.close();
    browser.takeProblems();
  });

  it('works with a link that is opened in the tab of the sign-in page', async () => {
    const page = await browser.newPage(`${world.baseUrl}/console`);
    await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
    const code = await createCode(world.api, { orgUserId: world.user.id });
    await page.goto(`${world.baseUrl}/console#sign-in=${code}`);
    await heading(page, 'Home');
    expect(await page.evaluate('location.hash')).toBe('');
    await page.close();
  });

  it('shows an error for a link whose code is malformed', async () => {
    const page = await browser.newPage(`${world.baseUrl}/console#sign-in=%E0%A4%A`);
    await page.getByRole('alert').filter({ hasText: 'This link was already used' }).waitFor();
    await page.close();
    for (const problem of browser.takeProblems()) expect(problem).toContain('401');
  });

  it('explains each reason for which a sign-in at the provider fails, and shows no other text', async () => {
    const docs = await readFile(join(import.meta.dirname, '../docs/sign-in.md'), 'utf8');
    const [, section = ''] = docs.split('### Why a sign-in failed');
    const reasons = [...section.matchAll(/^- `([A-Z_]+)`:/gm)].map(([, reason]) => reason);
    expect(reasons).toContain('STATE');
    const page = await browser.newPage(`${world.baseUrl}/console`);
    for (const reason of reasons) {
      await page.goto(`${world.baseUrl}/console/?signInError=${reason}`);
      const alert = page.getByRole('alert');
      await alert.getByText(String(reason), { exact: true }).waitFor();
      expect(await alert.innerText()).toMatch(/Signing in failed\n+.+\.\n/);
    }
    for (const other of ['Call+%2B1+555+0100', 'constructor', 'UNAUTHENTICATED']) {
      await page.goto(`${world.baseUrl}/console/?signInError=${other}`);
      await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await page.close();
  });
});

describe('a screen', () => {
  it('whose code cannot be loaded leaves the sidebar, and offers to load the page again', async () => {
    const page = await openConsole(browser, world);
    await page.context().setOffline(true);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'Gatehouse cannot be reached' });
    await failure.waitFor();
    expect(await pages.isVisible()).toBe(true);
    await page.context().setOffline(false);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Webhooks');
    await page.close();
    for (const problem of browser.takeProblems())
      expect(problem).toMatch(/DISCONNECTED|dynamically imported|reached/);
  });

  it('shows its whole title on a phone, above its actions', async () => {
    const page = await openConsole(browser, world);
    await page.setViewportSize({ width: 360, height: 740 });
    const title = 'Revenue and margin by region, channel and product family';
    const { id } = await world.api.createDashboard(world.api.admin, { title });
    await visit(page, `/dashboards/${id}`);
    await heading(page, title);
    await page.getByRole('button', { name: 'Actions on the dashboard' }).waitFor();
    const isCut = await page
      .getByRole('heading', { level: 1 })
      .evaluate((all) => all.scrollWidth > all.clientWidth || all.scrollHeight > all.clientHeight + 1);
    expect(isCut).toBe(false);
    await page.close();
  });

  it('shows the label of the first wrong field of a form', async () => {
    const page = await openConsole(browser, world);
    await visit(page, '/policies/definitions/new');
    const button = page.getByRole('button', { name: 'Create the policy definition' });
    await button.scrollIntoViewIfNeeded();
    await button.click();
    await expectFocus(page.getByRole('textbox', { name: 'Name', exact: true }));
    const label = await page.locator('label').filter({ hasText: /^Name/ }).boundingBox();
    expect(label?.y).toBeGreaterThan(0);
    await page.close();
  });
});

describe('a typed address', () => {
  it('opens each page of the sidebar by its title and by the last part of its own address', async () => {
    const page = await openConsole(browser, world);
    const links = await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .evaluateAll((all) =>
        all.map((link) => ({ title: link.textContent, url: (link as { href: string }).href })),
      );
    expect(links.map(({ title }) => title)).toContain('Policies');
    for (const { title, url } of links) {
      const own = new URL(url).pathname.replace(/^\/console/, '').replace(/^$/, '/');
      const byTitle = `/${title.toLowerCase().replaceAll(' ', '-')}`;
      for (const typed of new Set([own, byTitle, own.replace(/.*\//, '/')])) {
        await leave(page);
        await visit(page, `${typed}?search=x`);
        const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]');
        await current.waitFor();
        expect([typed, await current.textContent()]).toEqual([typed, title]);
        expect(page.url().replace(/\?.*/, '')).toBe(url.replace(/\?.*/, ''));
        expect(new URL(page.url()).searchParams.get('search')).toBe('x');
      }
    }
    await page.close();
  });

  it('without a page is reported beside the sidebar, with a link to the start', async () => {
    const page = await openConsole(browser, world);
    for (const path of ['/nothing', '/policies/nothing/at/all']) {
      await page.goto(`${world.baseUrl}/console${path}`);
      await heading(page, 'Page not found');
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    }
    await page.getByRole('link', { name: 'Go to the start' }).click();
    await heading(page, 'Home');
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/);
    await page.close();
  });

  it.each([
    ['/people/new', '/people/new/organization'],
    ['/people/tenant', '/people'],
  ])('%s opens %s', async (typed, path) => {
    const page = await openConsole(browser, world);
    await page.goto(`${world.baseUrl}/console${typed}`);
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console${path}`);
    await page.close();
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
    // A slow browser finds it before the last letter.
    await expect.poll(() => page.url()).toContain('search=yearly');
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

  it('are created private unless the form states otherwise, as by the API', async () => {
    const create = async (title: string) => {
      await visit(page, '/dashboards/new');
      await page.getByLabel('Title').fill(title);
      if (title === 'Open to colleagues') await page.getByLabel('Private').click({ force: true });
      await page.getByRole('button', { name: 'Create the dashboard' }).click();
      await page.getByRole('button', { name: 'I stored it' }).click();
      await heading(page, title);
    };
    await create('Draft of mine');
    await create('Open to colleagues');
    await page.getByRole('tab', { name: 'Sharing' }).click();
    await page.getByText('every user of the organization may view it').waitFor();
    const isPrivate = async (search: string) => {
      const path = `/dashboards?search=${encodeURIComponent(search)}`;
      const { dashboards } = succeeded(
        await world.api.admin.get<{ dashboards: { isPrivate: boolean }[] }>(path),
      );
      return dashboards.map((dashboard) => dashboard.isPrivate);
    };
    expect(await isPrivate('Draft of mine')).toEqual([true]);
    expect(await isPrivate('Open to colleagues')).toEqual([false]);
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

  it('show both versions when another person saved first and the record was read again', async () => {
    const { admin } = world.api;
    const { id } = await world.api.createDashboard(admin, { title: 'Left' });
    await visit(page, `/dashboards/${id}`);
    await heading(page, 'Left');
    await page.getByLabel('Title').fill('Mine');
    succeeded(await admin.patch(`/dashboards/${id}`, { description: 'Theirs' }));
    const read = page.waitForResponse((response) => response.url().endsWith(`/dashboards/${id}`));
    // The person returns to the page after a minute.
    await page.evaluate(`{
      const now = Date.now;
      Date.now = () => now() + 60_000;
      window.dispatchEvent(new Event('visibilitychange'));
    }`);
    await (await read).finished();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await dialog.getByRole('cell', { name: 'Theirs' }).waitFor();
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
    await heading(page, 'Mine');
    const { dashboard } = succeeded(
      await admin.get<{ dashboard: { title: string; description: string } }>(`/dashboards/${id}`),
    );
    expect(dashboard).toMatchObject({ title: 'Mine', description: 'Theirs' });
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

  it.each([
    ['Own rows', 'Policy definition'],
    ['Meridian warehouse', 'Connection'],
  ])('of every kind are found by the palette: %s', async (name, noun) => {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill(name);
    await page
      .getByRole('option', { name: new RegExp(`^${name}`) })
      .first()
      .click();
    await page.getByRole('button', { name: `Actions on the ${noun.toLowerCase()}` }).waitFor();
    expect(page.url()).not.toContain('search=');
  });

  it('keep unsaved changes when a tab is opened, on the way back and when the page is closed', async () => {
    await world.api.createDashboard(world.api.admin, { title: 'Drafted' });
    await page.goto(`${world.baseUrl}/console/dashboards?search=Drafted`);
    await page.getByRole('link', { name: 'Drafted' }).click();
    await heading(page, 'Drafted');
    await page.getByLabel('Title').fill('Unsaved');
    const dialog = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    const leaves = [
      () => page.getByRole('tab', { name: 'Sharing' }).click(),
      () => page.evaluate('history.back()'),
      () => page.evaluate('history.back()'),
    ];
    for (const go of leaves) {
      await go();
      await dialog.getByRole('button', { name: 'Keep editing' }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect(page.getByLabel('Title').inputValue()).resolves.toBe('Unsaved');
      expect(page.url()).not.toContain('search');
    }
    const [question] = await Promise.all([
      page.waitForEvent('dialog'),
      page.close({ runBeforeUnload: true }),
    ]);
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await page.getByRole('tab', { name: 'Sharing' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Shared with no one').waitFor();
  });

  it('show both versions again when another person saves during the decision', async () => {
    const { admin } = world.api;
    const { id } = await world.api.createDashboard(admin, { title: 'Twice' });
    await visit(page, `/dashboards/${id}`);
    await heading(page, 'Twice');
    const save = async (title: string) => succeeded(await admin.patch(`/dashboards/${id}`, { title }));
    await save('Second');
    await page.getByLabel('Title').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await dialog.getByRole('cell', { name: 'Second' }).waitFor();
    await save('Third');
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
    await dialog.getByRole('cell', { name: 'Third' }).waitFor();
    await dialog.getByRole('button', { name: 'Overwrite with mine' }).click();
    await heading(page, 'Mine');
    for (const problem of browser.takeProblems()) expect(problem).toContain('412');
  });
});
