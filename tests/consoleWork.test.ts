import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Viewer } from '@gatehouse/contract';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { succeeded } from './src/api.js';
import { expectFocus } from './src/console/keyboard.js';
import { heading, inspect, openConsole, visit } from './src/console/pages.js';
import { HOSTILE_TITLE } from './src/console/hostileRecords.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { securityPath } from './src/policyRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { cardOf, createStaticConnection, replaceCatalog, templateOf } from './src/validationWorld.js';

const SETTINGS = {
  WEBHOOK_HOSTS: '127.0.0.1',
  WEBHOOK_RETRY_SECONDS: '1',
  WEBHOOK_POLL_MS: '200',
};

let server: TestServer;
let browser: Browser;
let world: ConsoleWorld;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startTestStandalone(SETTINGS), startBrowser()]);
  world = await createConsoleWorld(server);
  page = await openConsole(browser, world);
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

describe('validation', () => {
  it('groups a renamed column by cause and repairs all dashboards of the group', async () => {
    const { api, connectionId } = world;
    const template = templateOf(cardOf(connectionId, 'orders', 'amout'));
    const first = await api.createDashboard(api.admin, { title: 'Orders by day', template });
    await api.createDashboard(api.admin, { title: 'Orders by week', template });
    await visit(page, '/validation');
    await page.getByRole('button', { name: 'Validate all dashboards' }).click();
    await page.getByRole('button', { name: 'Validate again' }).waitFor();
    const cause = page.locator('details', { hasText: 'orders.amout' });
    await cause.locator('summary').click();
    await cause.getByRole('link', { name: 'Orders by week' }).waitFor();
    await cause.getByRole('link', { name: HOSTILE_TITLE }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Validate all dashboards' }).click();
    await cause.getByRole('link', { name: 'Orders by week' }).waitFor();
    expect(await inspect(page, 'validated dashboards')).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const [head, ...issues] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(head).toBe('id,Dashboard,Severity,Issue,Place,Message,Suggestions');
    const exported = issues.filter((line) =>
      line.includes(`${first.id},Orders by day,error,Missing column,/`),
    );
    expect(exported).toHaveLength(1);
    await cause.getByRole('button', { name: 'Repair' }).click();
    const dialog = page.getByRole('dialog', { name: 'Repair the template' });
    await dialog.locator('ins').first().waitFor();
    await dialog.getByLabel('Commit message').fill('Follow the renamed column');
    await page.goBack();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await dialog.getByLabel('Commit message').fill('');
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.goForward();
    await dialog.waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Validate all dashboards' }).click();
    await dialog.locator('ins').first().waitFor();
    expect(await inspect(page, 'repair')).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply to all 3' }).click();
    await dialog.getByText('3 repaired').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.locator('details', { hasText: 'orders.amout' }).waitFor({ state: 'detached' });
    const templateTextOf = async (id: string) => {
      const read = await api.admin.get<{ dashboard: { template: unknown } }>(`/dashboards/${id}`);
      return JSON.stringify(succeeded(read).dashboard.template);
    };
    const saved = await templateTextOf(first.id);
    expect(saved).toContain('"amount"');
    expect(saved).not.toContain('amout');
    // Its other certain rename is of another cause.
    const other = await templateTextOf(world.dashboardId);
    expect(other).toContain('"amount"');
    expect(other).toContain('"table":"order"');
  });

  it('states what to do about a cause that no rename repairs', async () => {
    await world.api.createDashboard(world.api.admin, { title: 'Without a template' });
    await visit(page, '/validation');
    await page.getByRole('button', { name: /^Validate (all dashboards|again)$/ }).click();
    const cause = page.locator('details', { hasText: 'The dashboard has no template' });
    await cause.locator('summary').click();
    await cause.getByText('Give the dashboard a template, or delete it').waitFor();
    expect(await cause.getByText('No similar name exists').count()).toBe(0);
  });

  it('repairs a column whose new name is not similar', async () => {
    const { admin } = world.api;
    const connectionId = await createStaticConnection(admin, { parcels: ['id', 'weight'] });
    await replaceCatalog(admin, connectionId, { parcels: ['id', 'kilograms'] });
    const template = templateOf(cardOf(connectionId, 'parcels', 'weight'));
    const { id } = await world.api.createDashboard(admin, { title: 'Parcels', template });
    await visit(page, `/validation/${id}?dialog=repair`);
    const dialog = page.getByRole('dialog', { name: 'Repair the template' });
    await dialog.locator('ins').getByText('kilograms').waitFor();
    await dialog.getByRole('button', { name: 'Apply to the dashboard' }).click();
    await dialog.getByText('1 repaired').waitFor();
    const { dashboard } = succeeded(await admin.get<{ dashboard: object }>(`/dashboards/${id}`));
    expect(JSON.stringify(dashboard)).toContain('"kilograms"');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('heading', { name: 'No issues' }).waitFor();
    // The start page reports a connection without a policy.
    succeeded(await admin.delete(`/api/v1/connections/${connectionId}`));
  });
});

describe('access', () => {
  it('is drawn from a person to what it opens, and listed', async () => {
    const path = `/access?person=${world.cappedUserId}`;
    await visit(page, path);
    await page.getByRole('figure').getByText('Revenue team').waitFor();
    await page.getByRole('figure').getByText(HOSTILE_TITLE).waitFor();
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('searchbox').or(page.getByLabel('Search what is listed')).first().fill('onerror');
    await page.getByRole('button', { name: HOSTILE_TITLE }).click();
    await page.getByRole('list', { name: 'Paths' }).getByText('Decides').waitFor();
    await page.getByRole('list', { name: 'Paths' }).getByText('Revenue team').waitFor();
    expect(page.url()).toContain(`resource=${world.dashboardId}`);
  });

  it('leads from a person who cannot open a dashboard to its sharing', async () => {
    const { api, cappedUserId } = world;
    const { id } = await api.createDashboard(api.admin, { title: 'Not shared' });
    await visit(page, `/access?person=${cappedUserId}&resource=${id}&type=dashboard`);
    await page.getByText('No access', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Share the dashboard' }).click();
    await heading(page, 'Not shared');
    await page.getByRole('tab', { name: 'Sharing', selected: true }).waitFor();
    expect(page.url()).toContain(`/dashboards/${id}`);
  });

  it('shows in the drawing and in the list what was so at a moment of the past', async () => {
    const { api, cappedUserId } = world;
    const { id } = await api.createDashboard(api.admin, { title: 'Former report' });
    const shares = [{ scope: 'specific_org_user', orgUserId: cappedUserId, role: 'VIEWER' }];
    await api.share(api.admin, id, shares);
    const at = new Date(Date.now() + 5).toISOString();
    await sleep(10);
    succeeded(await api.admin.delete(`/dashboards/${id}/share`, { shares }));
    const isRecorded = async () => {
      const body = { resourceType: 'dashboard', resourceId: id, at: new Date().toISOString() };
      const { status, body: told } = await api.admin.post<{ subjects: Viewer[] }>('/access:subjects', body);
      return status === 200 ? told.subjects.length : status;
    };
    await expect.poll(isRecorded).toBe(1);

    const reach = `/access?person=${cappedUserId}&at=${at}`;
    await visit(page, reach);
    await page.getByRole('figure').getByText('Former report').waitFor();
    expect(await inspect(page, 'a drawing of the past')).toEqual([]);
    await visit(page, `${reach}&view=list`);
    const former = page.getByRole('button', { name: 'Former report' });
    await former.waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('button', { name: HOSTILE_TITLE }).waitFor();
    expect(await former.count()).toBe(0);

    await visit(page, `/access?resource=${id}&at=${at}&view=list`);
    await page.getByRole('button', { name: 'Hugo Brandt' }).click();
    // The moment stays the same for both of them.
    await page.getByRole('list', { name: 'Paths' }).getByText('Decides').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(at);
    await visit(page, `/access?resource=${id}&view=list`);
    await page.getByRole('button', { name: world.user.name, exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Hugo Brandt' }).count()).toBe(0);
  });

  it('is moved through time by the slider, also to a time before the resource', async () => {
    await visit(page, `/access?resource=${world.dashboardId}&view=list`);
    const slider = page.getByRole('slider', { name: 'Moment of the access' });
    await slider.press('Home');
    // Created by the ADMIN, and not yet shared.
    await page.getByText('1 found', { exact: true }).waitFor();
    await page.getByRole('button', { name: world.user.name, exact: true }).waitFor();
    await slider.press('End');
    await page.getByRole('status').getByText('Now', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Hugo Brandt' }).waitFor();
    await visit(page, `/access?resource=${world.dashboardId}&at=2020-01-01T00:00:00.000Z`);
    await page.getByRole('heading', { name: 'Not known for this moment' }).waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
  });

  it('is explained for the past, and reports a moment that is not known', async () => {
    const path = `/access?person=${world.cappedUserId}&resource=${world.dashboardId}`;
    await visit(page, path);
    await page.getByRole('slider', { name: 'Moment of the access' }).waitFor();
    await visit(page, `${path}&at=2020-01-01T00:00:00.000Z`);
    await page.getByRole('heading', { name: 'Not known for this moment' }).waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('404')]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('Decides').waitFor();
  });

  it('can be returned from an address with a text that is no moment', async () => {
    await visit(page, `/access?person=${world.cappedUserId}&at=constructor`);
    await page.getByText('INVALID_REQUEST').first().waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('status').getByText('Now', { exact: true }).waitFor();
  });
});

describe('the start page', () => {
  it('shows what needs attention without validating by itself', async () => {
    const validated: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('validate-all')) validated.push(request.url());
    });
    await page.goto(`${world.baseUrl}/console`);
    await heading(page, 'Home');
    await page.getByText('Not validated since you opened the console.').waitFor();
    await page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').first().waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    expect(validated).toEqual([]);
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    await page.getByRole('button', { name: 'Validate again' }).waitFor();
    expect(validated).toHaveLength(1);
  });
});

describe('the coverage on the start page', () => {
  const card = () => page.getByRole('region', { name: 'Tables without row rules' });
  const openHome = async () => {
    await page.goto(`${world.baseUrl}/console`);
    await heading(page, 'Home');
    await card().locator('[aria-busy=true]').waitFor({ state: 'detached' });
  };

  it('warns of a connection without a policy, whose rows everyone reads', async () => {
    const id = await createStaticConnection(world.api.admin, { salaries: ['id'] });
    await openHome();
    await card().getByText('No policy, so everyone reads public.salaries').waitFor();
    expect(await inspect(page, 'home with open tables')).toEqual([]);
    succeeded(await world.api.admin.delete(`/api/v1/connections/${id}`));
  });

  it('does not count tables that only users of the organization read whole', async () => {
    const { api, user, connectionId } = world;
    const { admin } = api;
    const security = securityPath(api);
    const created = await admin.post<{ data: { definition: { id: string } } }>(`${security}/definitions`, {
      connectionId,
      name: 'Staff',
      slsConfig: { allowedSchemas: ['public'] },
    });
    const { id: definitionId } = succeeded(created).data.definition;
    const assignment = { definitionId, scopeType: 'ORG_USER', orgUserId: user.id };
    const assigned = await admin.post<{ data: { assignment: { id: string } } }>(
      `${security}/assignments`,
      assignment,
    );
    await openHome();
    await card().getByText('only users of the organization read all rows of public.orders').waitFor();
    await card().getByText('A row rule restricts every checked table').waitFor();
    expect(await card().getByText('everyone reads').count()).toBe(0);
    succeeded(await admin.delete(`${security}/assignments/${succeeded(assigned).data.assignment.id}`));
    succeeded(await admin.delete(`${security}/definitions/${definitionId}`));
  });
});

describe('the audit log', () => {
  const countEntries = async (resourceId: string) => {
    const path = `/audit-events?resourceId=${resourceId}`;
    return succeeded(await world.api.admin.get<{ auditEvents: object[] }>(path)).auditEvents.length;
  };

  it('is filtered, charted, opened and verified', async () => {
    await visit(page, '/audit');
    await heading(page, 'Audit log');
    await page.getByRole('combobox', { name: 'Event', exact: true }).fill('Dashboard created');
    await page.getByRole('option', { name: 'Dashboard created', exact: true }).click();
    await page.getByRole('button', { name: 'Dashboard created' }).first().waitFor();
    await expect.poll(() => page.url()).toContain('type=management.dashboard.created');
    await page.getByRole('button', { name: 'Dashboard created' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Dashboard created' });
    await drawer.getByText('management.dashboard.created.v1').waitFor();
    expect(await inspect(page, 'audit entry')).toEqual([]);
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page
      .getByRole('img', { name: /the table has the same/ })
      .locator('canvas')
      .waitFor();
    expect(await inspect(page, 'activity chart')).toEqual([]);
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('table', { name: 'Activity' }).getByRole('rowheader').first().waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('tab', { name: 'Export and verify' }).click();
    await page.getByRole('button', { name: 'Follow the hashes' }).click();
    await page.getByText('The hashes are intact').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as NDJSON' }).click();
    expect((await download).suggestedFilename()).toBe('audit-log.ndjson');
  });

  it('shows what a change was about, and leads to the record', async () => {
    const { admin } = world.api;
    const { id } = await world.api.createDashboard(admin, { title: 'Before it' });
    succeeded(await admin.patch(`/dashboards/${id}`, { title: 'After it' }));
    await expect.poll(() => countEntries(id)).toBe(2);
    await visit(page, `/audit?resource=${id}`);
    await page.getByRole('button', { name: 'Dashboard updated' }).click();
    const drawer = page.getByRole('dialog', { name: 'Dashboard updated' });
    const changes = drawer.getByRole('table', { name: 'Changes' });
    await changes.getByRole('rowheader', { name: 'title', exact: true }).waitFor();
    expect(await changes.getByRole('cell').allTextContents()).toEqual(['Before it', 'After it']);
    expect(await inspect(page, 'audit entry of a change')).toEqual([]);
    await drawer.getByRole('link', { name: 'After it' }).click();
    await heading(page, 'After it');
  });

  it('has an address for each entry, also beyond the first part of the list', async () => {
    const { admin } = world.api;
    const { id } = await world.api.createDashboard(admin, { title: 'Addressed' });
    await expect.poll(() => countEntries(id)).toBe(1);
    await visit(page, `/audit?resource=${id}`);
    await page.getByRole('button', { name: 'Dashboard created' }).click();
    await page.getByRole('dialog', { name: 'Dashboard created' }).waitFor();
    const opened = new URL(page.url());
    // Nothing in the list has this resource.
    opened.searchParams.set('resource', 'none');
    await page.goto('about:blank');
    await page.goto(opened.href);
    const drawer = page.getByRole('dialog', { name: 'Dashboard created' });
    await drawer.getByText(id).first().waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('entry');
  });
});

describe('webhooks', () => {
  let receiver: Server;
  let status = 204;
  const received: string[] = [];
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume().once('end', () => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => receiver.close());

  it('are created with a secret shown once, tested, replayed, rotated and deleted', async () => {
    await visit(page, '/webhooks');
    await heading(page, 'Webhooks');
    await page.getByRole('link', { name: 'New webhook' }).first().click();
    await page.getByLabel('URL').fill('ftp://127.0.0.1/');
    await page.getByLabel('Description').fill(HOSTILE_TITLE);
    await page.getByPlaceholder('management.dashboard.*.v1').fill('dashboard.');
    await page.getByRole('option', { name: 'management.dashboard.*.v1' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('It was not saved').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    expect(await inspect(page, 'webhook with a fault')).toEqual([]);
    const { port } = receiver.address() as AddressInfo;
    await page.getByLabel('URL').fill(`http://127.0.0.1:${port}/`);
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await heading(page, HOSTILE_TITLE);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('dialog', { name: 'Test event' }).getByText('Delivered (204)').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(received).toHaveLength(1);

    await world.api.createDashboard(world.api.admin, { title: 'Observed' });
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(1);
    const webhook = /webhooks\/([^/?]+)/.exec(new URL(page.url()).pathname)?.[1] ?? '';
    const deliveries = `/webhooks/${webhook}?tab=deliveries`;
    await visit(page, deliveries);
    await page.getByRole('button', { name: 'Dashboard created' }).first().waitFor();
    expect(await inspect(page, 'deliveries')).toEqual([]);
    await page.getByRole('button', { name: 'Dashboard created' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Delivery' });
    const before = received.length;
    await drawer.getByRole('button', { name: 'Replay' }).click();
    await expect.poll(() => received.length, { timeout: 60_000 }).toBeGreaterThan(before);
    expect(received.at(-1)).toBe(received.at(-2));
    expect(await inspect(page, 'delivery')).toEqual([]);
    await drawer.getByRole('button', { name: 'Close' }).click();
    status = 500;
    const failing = received.length;
    await world.api.createDashboard(world.api.admin, { title: 'Not delivered' });
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(failing + 2);
    const failed = async () =>
      succeeded(
        await world.api.admin.get<{ deliveries: unknown[] }>(`/webhooks/${webhook}/deliveries?status=failed`),
      ).deliveries.length;
    await expect.poll(failed, { timeout: 60_000 }).toBe(1);
    status = 204;
    await page.getByRole('button', { name: 'Replay failed' }).click();
    await page.waitForURL('**dialog=replay**');
    const replay = page.getByRole('dialog', { name: 'Replay failed deliveries' });
    await replay.getByLabel('Since').fill('2020-01-01T00:00');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await replay.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('1 delivery is sent again').waitFor();
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(failing + 3);

    await page.getByRole('button', { name: 'Actions on the webhook' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await visit(page, '/webhooks');
    await page.getByRole('link', { name: HOSTILE_TITLE }).waitFor();
    expect(await inspect(page, 'webhooks')).toEqual([]);
    await page.getByRole('link', { name: HOSTILE_TITLE }).click();
    await page.getByRole('button', { name: 'Actions on the webhook' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Webhooks');
    await page.getByRole('link', { name: HOSTILE_TITLE }).waitFor({ state: 'detached' });
  });
});

describe('migrations', () => {
  it('go from choices through a plan to a copy that can be rolled back', async () => {
    const { dashboardId, target } = world;
    await visit(page, '/migrations');
    await page.getByRole('heading', { name: 'No migrations yet' }).waitFor();
    await visit(page, '/migrations/new');
    await page.getByRole('list', { name: 'What a migration copies' }).getByText('Not copied').waitFor();
    expect(await inspect(page, 'new migration')).toEqual([]);
    const path = `/migrations/new?dashboard=${dashboardId}&target=${target.projectId}`;
    await visit(page, path);
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByText('A dry run: nothing was written.').waitFor();
    expect(await inspect(page, 'migration plan')).toEqual([]);
    await page.getByLabel('Commit message').fill('Promote');
    await page.getByText('A dry run: nothing was written.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Migrations' }).first().click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the plan' }).click();
    await page.getByRole('button', { name: 'Migrate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Migrate' }).click();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await heading(page, HOSTILE_TITLE);
    await page.getByRole('main').getByText('Completed', { exact: true }).waitFor();
    expect(await inspect(page, 'migration')).toEqual([]);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).press('Enter');
    await page.getByRole('main').getByText('Rolled back', { exact: true }).waitFor();
    // The button does not exist any more.
    await expectFocus(page.getByRole('heading', { level: 1 }));
    await visit(page, '/migrations');
    await page.getByRole('link', { name: HOSTILE_TITLE }).waitFor();
    expect(await inspect(page, 'migrations')).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain('Staging');
    expect(text).not.toContain(target.projectId);
  });
});
