import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { enter, expectFocus, expectTrap, press, tabTo } from './src/console/keyboard.js';
import { recordKinds, type RecordKind } from './src/console/kinds.js';
import { heading, openConsole, visit } from './src/console/pages.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { createStaticConnection } from './src/validationWorld.js';

let server: TestServer;
let browser: Browser;
let api: Api;
let page: Page;
let connectionId: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([
    startTestStandalone({ WEBHOOK_HOSTS: '127.0.0.1' }),
    startBrowser(),
  ]);
  api = await createApi(server.credentials);
  connectionId = await createStaticConnection(api.admin, { orders: ['id', 'tenant_id'] });
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

const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const link = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).first();

/** Waits for a screen, whose title has the focus: there the next Tab continues. */
async function arrive(title: string): Promise<void> {
  await heading(page, title);
  await expectFocus(page.getByRole('heading', { level: 1, name: title, exact: true }));
}

/** Which of the names the API lists. */
async function storedOf({ apiPath }: RecordKind, ...names: readonly string[]): Promise<string[]> {
  const text = JSON.stringify(succeeded(await api.admin.get(apiPath(api))));
  return names.filter((name) => text.includes(JSON.stringify(name)));
}

async function create(kind: RecordKind): Promise<void> {
  const { noun, list, title, fields, complete, newQuery, hasSecret } = kind;
  await visit(page, list);
  await heading(page, title);
  if (newQuery === undefined) await press(page, link(`New ${noun}`));
  else await visit(page, `${list}/new${newQuery(connectionId)}`);
  await arrive(`New ${noun}`);
  for (const [label, text] of fields) await enter(page, field(label), text);
  await complete?.(page);
  await press(page, button(`Create the ${noun}`));
  if (hasSecret === true) await press(page, button('I stored it'));
}

/** Changes a field of the open record. */
async function change({ change: [label, text], tab }: RecordKind): Promise<void> {
  if (tab !== undefined) {
    await tabTo(page, page.getByRole('tab', { selected: true }));
    await page.keyboard.press('End');
    await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  }
  await enter(page, field(label), text);
  await press(page, button('Save'));
  await heading(page, text);
}

/** Opens a record from its list, whose search finds it. */
async function openFromList({ title, isSearched }: RecordKind, name: string): Promise<void> {
  await press(page, link(title));
  await heading(page, title);
  await link(name).waitFor();
  if (isSearched === true) {
    await page.keyboard.press('/');
    await expectFocus(page.getByRole('textbox', { name: /^Search/ }));
    await page.keyboard.insertText(name);
    await page.getByText('1 found', { exact: true }).waitFor();
  }
  await press(page, link(name));
  await arrive(name);
}

/** Opens the dialog that deletes the open record. */
async function openDeletion(noun: string) {
  await press(page, button(`Actions on the ${noun}`));
  await tabTo(page, page.getByRole('menuitem', { name: 'Delete' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  return page.getByRole('dialog', { name: /^Delete / });
}

async function remove(
  { noun, title, isTyped }: Pick<RecordKind, 'noun' | 'title' | 'isTyped'>,
  name: string,
): Promise<void> {
  const dialog = await openDeletion(noun);
  if (isTyped === true) await enter(page, dialog.getByRole('textbox'), name);
  await press(page, dialog.getByRole('button', { name: 'Delete' }));
  await arrive(title);
  await link(name).waitFor({ state: 'detached' });
}

describe('by keyboard alone', () => {
  it.each(recordKinds)('a $noun is created, changed, found and deleted', async (kind) => {
    const [[, name] = ['', '']] = kind.fields;
    const [, renamed] = kind.change;
    await create(kind);
    await heading(page, name);
    expect(await storedOf(kind, name, renamed)).toEqual([name]);
    await change(kind);
    expect(await storedOf(kind, name, renamed)).toEqual([renamed]);
    await openFromList(kind, renamed);
    if (kind.isPermanent === true) return;
    await remove(kind, renamed);
    expect(await storedOf(kind, name, renamed)).toEqual([]);
  });

  it('a menu and a dialog keep the focus, and return it when they are left', async () => {
    const { id } = await api.createGroup();
    await visit(page, `/groups/${id}`);
    const menu = button('Actions on the group');
    await press(page, menu);
    const item = page.getByRole('menuitem', { name: 'Delete' });
    await item.waitFor();
    await page.keyboard.press('Escape');
    await item.waitFor({ state: 'detached' });
    await expectFocus(menu);
    const dialog = await openDeletion('group');
    await expectTrap(page, dialog);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(menu);
    expect((await api.admin.get(`/groups/${id}`)).status).toBe(200);
  });

  it('a new project can be chosen at once', async () => {
    const project = await api.createProject('Chosen');
    await visit(page, '/projects/new');
    await enter(page, field('Name'), 'Second');
    await press(page, button('Create the project'));
    await press(page, button('I stored it'));
    await heading(page, 'Second');
    await press(page, page.getByLabel('Sidebar').getByRole('button').first());
    await page.getByRole('menuitem', { name: 'Second' }).waitFor();
    await tabTo(page, page.getByRole('menuitem', { name: 'Chosen' }), 'ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByLabel('Sidebar').getByText('Chosen').waitFor();
    expect(page.url()).toContain(`project=${project.projectId}`);
    await page.goBack();
    await heading(page, 'Second');
  });

  it('version control is set up, changed and ended', async () => {
    const read = async () => {
      const path = '/version-control';
      const { status, body } = await api.admin.get<{ versionControl?: { branch: string } }>(path);
      return [status, body.versionControl?.branch];
    };
    await visit(page, '/version-control');
    await enter(page, field('Branch'), 'trunk');
    await press(page, button('Set up version control'));
    await button('End version control').waitFor();
    expect(await read()).toEqual([200, 'trunk']);
    await enter(page, field('Branch'), 'releases');
    await press(page, button('Save'));
    await expect.poll(read).toEqual([200, 'releases']);
    await press(page, button('End version control'));
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'End' }));
    await button('Set up version control').waitFor();
    await arrive('Version control');
    expect(await read()).toEqual([404, undefined]);
    for (const problem of browser.takeProblems()) expect(problem).toContain('404');
  });

  it('a webhook gets its event types, and is disabled', async () => {
    await visit(page, '/webhooks/new');
    await enter(page, field('URL'), 'http://127.0.0.1:9/');
    await enter(page, field('Description'), 'Own webhook');
    await tabTo(page, page.getByPlaceholder('management.dashboard.*.v1'));
    await page.keyboard.insertText('management.group.*.v1');
    await page.keyboard.press('Enter');
    await press(page, button('Create the webhook'));
    await press(page, button('I stored it'));
    await heading(page, 'Own webhook');
    await tabTo(page, page.getByRole('switch', { name: 'Enabled' }));
    await page.keyboard.press('Space');
    await press(page, button('Save'));
    await page.getByText('Disabled', { exact: true }).waitFor();
    const { webhooks } = succeeded(await api.admin.get<{ webhooks: object[] }>('/webhooks'));
    expect(webhooks).toMatchObject([{ description: 'Own webhook', eventTypes: ['management.group.*.v1'] }]);
    await remove({ noun: 'webhook', title: 'Webhooks' }, 'Own webhook');
  });

  it('the access of a person is explored, and a dashboard validated', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Reached' });
    await visit(page, '/access');
    await press(page, button('Begin with yourself'));
    const form = page.getByRole('radio', { name: 'List' });
    await tabTo(page, page.getByRole('radio', { name: 'Graph' }));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => form.isChecked()).toBe(true);
    await press(page, button('Reached'));
    await page.getByText('Decides').waitFor();
    await visit(page, '/validation');
    await press(page, button('Validate all dashboards'));
    await button('Validate again').waitFor();
    await visit(page, `/validation/${id}`);
    await heading(page, 'Reached');
  });

  it('the palette returns the focus to where it was', async () => {
    await visit(page, '/groups');
    await heading(page, 'Groups');
    await tabTo(page, link('New group'));
    await page.keyboard.press('Control+K');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await expectTrap(page, palette);
    await page.keyboard.press('Escape');
    await expectFocus(link('New group'));
    expect(await palette.count()).toBe(0);
  });

  it('a revoked share leaves the focus on the next one, and the last one on the title', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Shared with three' });
    const names = ['Ada First', 'Ben Second', 'Cid Third'];
    const people = await Promise.all(names.map((name) => api.createOrgUser('VIEWER', { name })));
    for (const { id: orgUserId } of people)
      await api.share(api.admin, id, [{ scope: 'specific_org_user', orgUserId, role: 'VIEWER' }]);
    await visit(page, `/dashboards/${id}?tab=sharing`);
    await heading(page, 'Shared with three');
    const revoke = (name: string) => button(`Revoke the share with ${name}`);
    await press(page, revoke('Ada First'));
    await expectFocus(revoke('Ben Second'));
    await press(page, revoke('Cid Third'));
    await expectFocus(revoke('Ben Second'));
    await page.keyboard.press('Enter');
    await page.getByText('Shared with no one').waitFor();
    await arrive('Shared with three');
    const shares = succeeded(await api.admin.get<object>(`/dashboards/${id}/shares`));
    expect(shares).toMatchObject({ specificOrgUsers: [] });
  });

  it('selected records are deleted, and the focus is on the title', async () => {
    const titles = ['Selected one', 'Selected two'];
    await Promise.all(titles.map((title) => api.createDashboard(api.admin, { title })));
    await visit(page, '/dashboards?search=Selected');
    await page.getByText('2 found', { exact: true }).waitFor();
    await tabTo(page, page.getByRole('checkbox', { name: 'Select all loaded rows' }));
    await page.keyboard.press('Space');
    await press(page, button('Delete'));
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    await press(page, dialog.getByRole('button', { name: 'Delete' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No dashboard matches').waitFor();
    await arrive('Dashboards');
    const left = succeeded(await api.admin.get<object>('/dashboards?search=Selected'));
    expect(left).toMatchObject({ dashboards: [] });
  });

  it('a secret is rotated and stored, and the focus is back on the menu', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'With a secret' });
    await visit(page, `/dashboards/${id}`);
    await heading(page, 'With a secret');
    const menu = button('Actions on the dashboard');
    await press(page, menu);
    await tabTo(page, page.getByRole('menuitem', { name: 'Rotate the secret' }), 'ArrowDown');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Rotate' }));
    await press(page, button('I stored it'));
    await expectFocus(menu);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('a conflict is decided, and the focus stays on the screen', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Contested' });
    await visit(page, `/dashboards/${id}`);
    await heading(page, 'Contested');
    const dialog = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    const contest = async (mine: string, theirs: string) => {
      succeeded(await api.admin.patch(`/dashboards/${id}`, { title: theirs }));
      await enter(page, field('Title'), mine);
      await press(page, button('Save'));
      await dialog.waitFor();
    };
    await contest('Mine', 'Theirs');
    await page.keyboard.press('Escape');
    await expectFocus(button('Save'));
    await press(page, button('Save'));
    await press(page, dialog.getByRole('button', { name: 'Overwrite with mine' }));
    await arrive('Mine');
    await contest('My second', 'Their second');
    await press(page, dialog.getByRole('button', { name: 'Take the saved version' }));
    await arrive('Their second');
    for (const problem of browser.takeProblems()) expect(problem).toContain('412');
  });

  it('a refused deletion leaves the focus in its dialog', async () => {
    const { id } = await api.createGroup();
    await visit(page, `/groups/${id}`);
    const dialog = await openDeletion('group');
    succeeded(await api.admin.delete(`/groups/${id}`));
    const confirm = dialog.getByRole('button', { name: 'Delete' });
    await press(page, confirm);
    await dialog.getByRole('alert').waitFor();
    await expectFocus(confirm);
    await expectTrap(page, dialog);
    await page.keyboard.press('Escape');
    for (const problem of browser.takeProblems()) expect(problem).toContain('404');
  });

  it('the key of the search opens the palette where there is no list', async () => {
    const { id } = await api.createGroup();
    await visit(page, `/groups/${id}?tab=settings`);
    await arrive((await api.admin.get<{ group: { name: string } }>(`/groups/${id}`)).body.group.name);
    await page.keyboard.press('/');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await expectFocus(palette.getByRole('combobox'));
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await expectFocus(page.getByRole('heading', { level: 1 }));
    expect(page.url()).toContain(id);
  });

  it('the arrow keys choose a level in the list of shares', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'With a level' });
    const { id: orgUserId } = await api.createOrgUser('AUTHOR', { name: 'Eve Level' });
    await api.share(api.admin, id, [{ scope: 'specific_org_user', orgUserId, role: 'VIEWER' }]);
    await visit(page, `/dashboards/${id}?tab=sharing`);
    await heading(page, 'With a level');
    const level = page.getByRole('combobox', { name: 'Level of Eve Level' });
    const former = await level.inputValue();
    await tabTo(page, level);
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^Eve Level has the level /).waitFor();
    expect(await level.inputValue()).not.toBe(former);
    await expectFocus(level);
  });
});
