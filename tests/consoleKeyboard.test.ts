import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Api } from './src/api.js';
import { enter, expectFocus, expectTrap, press, tabTo } from './src/console/keyboard.js';
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
  page.setDefaultTimeout(15_000);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

/** A kind of record, and what its forms need. */
interface Kind {
  noun: string;
  list: string;
  title: string;
  /** The fields of a new record, the name first. */
  fields: readonly [label: string, text: string][];
  /** The changed field of the saved record. */
  change: readonly [label: string, text: string];
  /** The address of the form, if it needs a value to begin with. */
  newPath?: () => string;
  /** The tab with the settings, if it is not the first. */
  tab?: string;
  hasSecret?: boolean;
  /** Whether the API has no deletion. */
  isPermanent?: boolean;
}

const named = (noun: string): Pick<Kind, 'noun' | 'fields' | 'change'> => ({
  noun,
  fields: [['Name', `Own ${noun}`]],
  change: ['Name', `Renamed ${noun}`],
});
const KINDS: readonly Kind[] = [
  {
    noun: 'dashboard',
    list: '/dashboards',
    title: 'Dashboards',
    fields: [['Title', 'Own dashboard']],
    change: ['Title', 'Renamed dashboard'],
    hasSecret: true,
  },
  {
    noun: 'visual',
    list: '/visuals',
    title: 'Visuals',
    fields: [['Title', 'Own visual']],
    change: ['Title', 'Renamed visual'],
  },
  { ...named('group'), list: '/groups', title: 'Groups', tab: 'Settings' },
  { ...named('tenant'), list: '/tenants', title: 'Tenants' },
  {
    noun: 'semantic domain',
    list: '/domains',
    title: 'Semantic domains',
    fields: [
      ['Label', 'Own domain'],
      ['Name', 'own_domain'],
    ],
    change: ['Label', 'Renamed domain'],
  },
  { ...named('assistant profile'), list: '/assistants', title: 'Assistant profiles' },
  { ...named('project'), list: '/projects', title: 'Projects', hasSecret: true, isPermanent: true },
  {
    ...named('policy definition'),
    list: '/policies/definitions',
    title: 'Policies',
    newPath: () => `/policies/definitions/new?connection=${connectionId}`,
  },
];

const field = (label: string) => page.getByRole('textbox', { name: label, exact: true });
const link = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true }).first();

/** Opens a record from its list, whose search finds it. */
async function openFromList({ list }: Kind, name: string): Promise<void> {
  const search = page.getByRole('textbox', { name: /^Search/ });
  await link(name).waitFor();
  if (['/dashboards', '/visuals', '/groups', '/tenants', '/policies/definitions'].includes(list)) {
    await page.keyboard.press('/');
    await expectFocus(search);
    await page.keyboard.insertText(name);
    await page.getByText('1 found', { exact: true }).waitFor();
  }
  await press(page, link(name));
  await heading(page, name);
}

/** Opens the menu of a record with its deletion, and closes what opens as a person who hesitates does. */
async function remove({ noun, title }: Kind, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: `Actions on the ${noun}` });
  await press(page, menu);
  const item = page.getByRole('menuitem', { name: 'Delete' });
  await item.waitFor();
  await page.keyboard.press('Escape');
  await item.waitFor({ state: 'detached' });
  await expectFocus(menu);
  const open = async () => {
    await page.keyboard.press('Enter');
    await item.waitFor();
    await tabTo(page, item, 'ArrowDown');
    await page.keyboard.press('Enter');
  };
  await open();
  const dialog = page.getByRole('dialog', { name: /^Delete / });
  await expectTrap(page, dialog);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expectFocus(menu);
  await open();
  await press(page, dialog.getByRole('button', { name: 'Delete' }));
  await heading(page, title);
  await link(name).waitFor({ state: 'detached' });
}

describe('by keyboard alone', () => {
  it.each(KINDS)('a $noun is created, found, changed and deleted', async (kind) => {
    const { noun, list, title, fields, change, newPath, tab, hasSecret, isPermanent } = kind;
    const [, name] = fields[0] ?? ['', ''];
    await visit(page, list);
    await heading(page, title);
    if (newPath === undefined) await press(page, link(`New ${noun}`));
    else await visit(page, newPath());
    await heading(page, `New ${noun}`);
    for (const [label, text] of fields) await enter(page, field(label), text);
    await press(page, page.getByRole('button', { name: `Create the ${noun}` }));
    if (hasSecret === true) {
      const dialog = page.getByRole('dialog', { name: /^The secret of/ });
      await expectTrap(page, dialog);
      await press(page, dialog.getByRole('button', { name: 'I stored it' }));
    }
    await heading(page, name);

    const open = async () => {
      if (tab === undefined) return;
      await tabTo(page, page.getByRole('tab', { selected: true }));
      await page.keyboard.press('End');
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    };
    await open();
    await enter(page, field(change[0]), change[1]);
    await press(page, page.getByRole('button', { name: 'Save', exact: true }));
    await heading(page, change[1]);
    await page.getByText('Saved').first().waitFor();
    await press(page, link(title));
    await heading(page, title);
    await openFromList(kind, change[1]);
    if (isPermanent !== true) await remove(kind, change[1]);
  });

  it('a new project can be chosen at once', async () => {
    const project = page.getByRole('button', { name: /Renamed project|Gatehouse|Default/ }).first();
    await visit(page, '/projects');
    await heading(page, 'Projects');
    await press(page, project);
    await page.getByRole('menuitem', { name: 'Renamed project' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('a data model gets its connection from a picker', async () => {
    const { connections } = (await api.admin.get<{ connections: { name: string }[] }>('/api/v1/connections'))
      .body;
    await visit(page, '/datamodels/new');
    await enter(page, field('Name'), 'Own model');
    await tabTo(page, field('Connection'));
    await page.keyboard.insertText(connections[0]?.name ?? '');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Create the data model' }));
    await heading(page, 'Own model');
    await remove({ ...named('data model'), list: '/datamodels', title: 'Data models' }, 'Own model');
  });

  it('a webhook gets its event types, and is disabled', async () => {
    await visit(page, '/webhooks/new');
    await enter(page, field('URL'), 'http://127.0.0.1:9/');
    await enter(page, field('Description'), 'Own webhook');
    await tabTo(page, page.getByPlaceholder('management.dashboard.*.v1'));
    await page.keyboard.insertText('management.group.*.v1');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Create the webhook' }));
    await press(page, page.getByRole('button', { name: 'I stored it' }));
    await heading(page, 'Own webhook');
    await tabTo(page, page.getByRole('switch', { name: 'Enabled' }));
    await page.keyboard.press('Space');
    await press(page, page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('Disabled', { exact: true }).waitFor();
    await remove({ ...named('webhook'), list: '/webhooks', title: 'Webhooks' }, 'Own webhook');
  });

  it('the access of a person is explored, and a dashboard validated', async () => {
    const { id } = await api.createDashboard(api.admin, { title: 'Reached' });
    await visit(page, '/access');
    await press(page, page.getByRole('button', { name: 'Begin with yourself' }));
    const form = page.getByRole('radio', { name: 'List' });
    await tabTo(page, page.getByRole('radio', { checked: true }));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => form.isChecked()).toBe(true);
    await press(page, page.getByRole('button', { name: 'Reached' }));
    await page.getByText('Decides').waitFor();
    await visit(page, '/validation');
    await press(page, page.getByRole('button', { name: 'Validate all dashboards' }));
    await page.getByRole('button', { name: 'Validate again' }).waitFor();
    await visit(page, `/validation/${id}`);
    await heading(page, 'Reached');
  });

  it('the palette returns the focus to where it was', async () => {
    await visit(page, '/groups');
    await heading(page, 'Groups');
    const start = link('New group');
    await tabTo(page, start);
    await page.keyboard.press('Control+K');
    await expectTrap(page, page.getByRole('dialog', { name: 'Commands' }));
    await page.keyboard.press('Escape');
    await expectFocus(start);
  });
});
