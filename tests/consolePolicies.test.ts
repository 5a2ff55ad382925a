import { readFile } from 'node:fs/promises';
import { startBrowser, type Browser, type Page } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { succeeded, unique } from './src/api.js';
import { enter, expectFocus, press, tabTo } from './src/console/keyboard.js';
import { heading, inspect, leave, openConsole, visit } from './src/console/pages.js';
import { HOSTILE_TITLE } from './src/console/hostileRecords.js';
import { createConsoleWorld, type ConsoleWorld } from './src/console/world.js';
import { createDefinition, createPolicyTest, definitionBody, securityPath } from './src/policyRecords.js';
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
beforeEach(() => leave(page));
afterEach(() => {
  const problems = browser.takeProblems();
  if (problems.length > 0) throw new Error(problems.join('\n'));
});

async function reopen(): Promise<void> {
  await page.close();
  page = await openConsole(browser, world);
}

const statement = () => page.getByRole('textbox', { name: 'Statement', exact: true });
const restricted = () => page.getByLabel('Restricted SQL');

/**
 * Replaces the text of an editor. The editor deletes it: the browser would copy its colours to the new text,
 * which the content security policy blocks.
 */
async function rewrite(editor: ReturnType<typeof statement>, text: string): Promise<void> {
  await editor.focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Whether a click into the middle of an element reaches it. */
const IS_UNCOVERED = (element: {
  getBoundingClientRect(): { x: number; y: number; width: number; height: number };
  contains(other: unknown): boolean;
  ownerDocument: { elementFromPoint(x: number, y: number): unknown };
}) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2));
};

type Box = Awaited<ReturnType<ReturnType<typeof statement>['boundingBox']>>;

function areApart(one: Box, other: Box): boolean {
  if (one === null || other === null) throw new Error('An element is not shown');
  const isBefore = (a: typeof one, b: typeof one) => a.x + a.width <= b.x || a.y + a.height <= b.y;
  return isBefore(one, other) || isBefore(other, one);
}

/** Chooses a record in a picker by its name. */
async function pick(label: string, name: string): Promise<void> {
  await page
    .getByLabel(new RegExp(`^${label}`))
    .first()
    .fill(name);
  await page.getByRole('option', { name }).first().click();
}

async function createHostileDefinition(): Promise<string> {
  const { id, body } = { id: world.connectionId, body: definitionBody(world.connectionId) };
  const rules = [
    {
      name: HOSTILE_TITLE,
      matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
      expression: `id <> '${HOSTILE_TITLE}' AND id = {{ x }}`,
    },
  ];
  const created = await world.api.admin.post<{ data: { definition: { id: string } } }>(
    `${securityPath(world.api)}/definitions`,
    { ...body, connectionId: id, name: HOSTILE_TITLE, rlsConfig: { rules } },
  );
  return succeeded(created).data.definition.id;
}

/** A definition with a placeholder for each kind of value. */
async function createPlaceholders(): Promise<{ id: string }> {
  const rules = [
    {
      matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
      expression: 'tenant_id = {{ region }} AND id >= {{ least }} AND id IN ({{ ids }})',
    },
  ];
  const created = await world.api.admin.post<{ data: { definition: { id: string } } }>(
    `${securityPath(world.api)}/definitions`,
    { connectionId: world.connectionId, name: unique('Placeholders'), rlsConfig: { rules } },
  );
  return succeeded(created).data.definition;
}

/** Deletes a definition and its assignments, which would restrict the actors of other tests. */
async function removeDefinition(id: string): Promise<void> {
  const security = securityPath(world.api);
  const { data } = succeeded(
    await world.api.admin.get<{ data: { assignment: { id: string } }[] }>(
      `${security}/assignments?definitionId=${id}`,
    ),
  );
  for (const { assignment } of data)
    succeeded(await world.api.admin.delete(`${security}/assignments/${assignment.id}`));
  succeeded(await world.api.admin.delete(`${security}/definitions/${id}`));
}

describe('policy definitions', () => {
  it('are created with a rule, tested, assigned and deleted', async () => {
    await visit(page, `/policies/definitions/new?connection=${world.connectionId}`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Large orders');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('combobox', { name: 'Column', exact: true }).fill('amount');
    await rewrite(page.getByRole('textbox', { name: 'Condition of rule 1' }), "amount = '100'");
    await page.getByRole('button', { name: 'Create the policy definition' }).click();
    await heading(page, 'Large orders');

    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByRole('button', { name: 'New test' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New test' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Large only');
    await dialog.getByRole('textbox', { name: 'Statement' }).fill('SELECT amount FROM orders');
    await dialog
      .getByRole('textbox', { name: 'Rows of the tables' })
      .fill('{"orders": [{"amount": "100"}, {"amount": "7"}]}');
    await dialog.getByRole('textbox', { name: 'Expected rows' }).fill('[{"amount": "100"}]');
    expect(await inspect(page, 'policy test')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Create the test' }).click();
    await page.getByRole('button', { name: 'Large only', exact: true }).click();
    await page.getByRole('dialog', { name: 'Test' }).waitFor();
    await page.reload();
    await page.getByRole('dialog', { name: 'Test' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Test' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run the tests' }).click();
    // It is not assigned to the actor of the test, so no rule restricts the statement.
    await page.getByText('0 passed, 1 failed').waitFor();
    await page.getByRole('button', { name: 'Failed: Large only' }).click();
    await page.getByRole('dialog', { name: 'Large only' }).getByText('Failed').waitFor();
    expect(await inspect(page, 'policy test outcome')).toEqual([]);
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: 'Assignments' }).click();
    await page.getByRole('link', { name: 'New assignment' }).first().click();
    await page.getByRole('button', { name: 'Create the assignment' }).click();
    await heading(page, 'Large orders for All tenants');
    await page.getByRole('link', { name: 'Large orders', exact: true }).click();
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText('1 passed, 0 failed').waitFor();

    await page.getByRole('tab', { name: 'Assignments' }).click();
    await page.getByRole('link', { name: 'All tenants' }).click();
    await page.getByRole('button', { name: 'Actions on the assignment' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Policy assignments');
    await visit(page, '/policies/definitions?search=large');
    await page.getByRole('link', { name: 'Large orders' }).click();
    await page.getByRole('button', { name: 'Actions on the policy definition' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Policies');
  });

  it('take a connection after the name, and keep what was typed', async () => {
    const { name } = succeeded(
      await world.api.admin.get<{ connection: { name: string } }>(
        `/api/v1/connections/${world.connectionId}`,
      ),
    ).connection;
    await visit(page, '/policies/definitions/new');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Named first');
    await pick('Connection', name);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    // The columns of the connection are offered.
    await page.getByRole('combobox', { name: 'Column', exact: true }).fill('tenant');
    await page.getByRole('option', { name: 'tenant_id' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Named first');
    await reopen();
  });

  it('show what is wrong with a rule beside its fields, also after the rule was moved', async () => {
    await visit(page, `/policies/definitions/new?connection=${world.connectionId}`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Faulty');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('combobox', { name: 'Column', exact: true }).fill('amount');
    await rewrite(page.getByRole('textbox', { name: 'Condition of rule 1' }), "amount = '100'");
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('button', { name: 'Create the policy definition' }).click();
    const first = page.getByRole('group', { name: 'Rule 1' });
    const second = page.getByRole('group', { name: 'Rule 2' });
    await expectFocus(second.getByRole('combobox', { name: 'Column', exact: true }));
    expect(await second.getByText('must not be empty').count()).toBe(2);
    const notice = page.getByRole('alert').filter({ hasText: 'It was not saved' });
    await notice.getByText('Check the marked fields', { exact: true }).waitFor();
    expect(await notice.textContent()).not.toContain('rlsConfig');
    expect(await first.getByText('must not be empty').count()).toBe(0);
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    expect(await inspect(page, 'faulty rule')).toEqual([]);
    await page.getByRole('button', { name: 'Actions on rule 2' }).click();
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await first.getByText('must not be empty').first().waitFor();
    expect(await second.getByText('must not be empty').count()).toBe(0);
    await reopen();
  });

  it('are edited over plain HTTP from another machine, which has no crypto.randomUUID', async () => {
    await page.addInitScript('delete Crypto.prototype.randomUUID');
    await page.reload();
    await visit(page, `/policies/definitions/${world.definitionId}`);
    await heading(page, 'Own rows');
    await page.getByRole('textbox', { name: 'Condition of rule 2' }).waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('group', { name: 'Rule 3' }).waitFor();
    expect(browser.takeProblems()).toEqual([]);
    await reopen();
  });

  it('lead from their assignments to a new one, which has a field for each placeholder', async () => {
    await visit(page, `/policies/definitions/${world.definitionId}?tab=assignments`);
    await page.getByRole('link', { name: 'Harbor Foods' }).waitFor();
    await page.getByRole('link', { name: 'New assignment' }).click();
    await heading(page, 'New assignment');
    await page.getByRole('group', { name: 'Values' }).getByRole('textbox', { name: 'tenant' }).waitFor();
    expect(page.url()).toContain(`definition=${world.definitionId}`);
  });

  it('are assigned with values, which are changed', async () => {
    const assignment = `${securityPath(world.api)}/assignments/${world.assignmentId}`;
    await visit(page, `/policies/assignments/${world.assignmentId}`);
    await heading(page, 'Own rows for Harbor Foods');
    await page.getByRole('textbox', { name: 'tenant', exact: true }).fill('harbour');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Saved' });
    await notice.waitFor();
    const readParams = async () => {
      const read = await world.api.admin.get<{ data: { assignment: { params: unknown } } }>(assignment);
      return succeeded(read).data.assignment.params;
    };
    expect(await readParams()).toEqual({ tenant: 'harbour' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(readParams).toEqual({ tenant: 'harbor' });
  });

  it('take the values of an assignment as text, number and list, by keyboard', async () => {
    const { id } = await createPlaceholders();
    await visit(page, `/policies/assignments/new?definition=${id}&actor=TENANT:citrus-travel`);
    const values = page.getByRole('group', { name: 'Values' });
    await enter(page, values.getByRole('textbox', { name: 'region', exact: true }), 'North');
    await tabTo(page, values.getByRole('combobox', { name: 'Type of least', exact: true }));
    await page.keyboard.type('Number');
    const least = values.getByRole('textbox', { name: 'least', exact: true });
    await enter(page, least, '1 000');
    const list = values.getByRole('combobox', { name: 'ids', exact: true });
    for (const item of ['a', 'b']) {
      await tabTo(page, list);
      await page.keyboard.type(item);
      await page.keyboard.press('Enter');
    }
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await press(page, page.getByRole('button', { name: 'Create the assignment' }));
    await expectFocus(least);
    await values.getByText('1 000 must be a number such as 15 or -2.5').waitFor();
    expect(sent.filter((url) => url.endsWith('/assignments'))).toEqual([]);
    expect(await inspect(page, 'values of an assignment')).toEqual([]);
    await enter(page, least, '1000');
    await press(page, page.getByRole('button', { name: 'Create the assignment' }));
    await page.getByRole('heading', { level: 1, name: /^Placeholders.* for Citrus Travel$/ }).waitFor();
    const path = `${securityPath(world.api)}/assignments?definitionId=${id}`;
    const { data } = succeeded(
      await world.api.admin.get<{ data: { assignment: { params: unknown } }[] }>(path),
    );
    expect(data.map(({ assignment }) => assignment.params)).toEqual([
      { region: 'North', least: 1000, ids: ['a', 'b'] },
    ]);
    await removeDefinition(id);
  });

  it('take values that fit no field as JSON, and lose none of them', async () => {
    const { id } = await createPlaceholders();
    const body = { definitionId: id, scopeType: 'ALL_TENANTS', params: { region: '', other: 'kept' } };
    const created = await world.api.admin.post<{ data: { assignment: { id: string } } }>(
      `${securityPath(world.api)}/assignments`,
      body,
    );
    await visit(page, `/policies/assignments/${succeeded(created).data.assignment.id}`);
    const editor = page.getByRole('textbox', { name: 'Values', exact: true });
    await expect.poll(() => editor.textContent()).toContain('"other": "kept"');
    const toFields = page.getByRole('button', { name: 'Use a field for each placeholder' });
    expect(await toFields.isDisabled()).toBe(true);
    await rewrite(editor, '{"region": "Nor');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => editor.textContent()).toBe('{"region": "Nor');
    await rewrite(editor, '{"region": "North"}');
    await toFields.click();
    const region = page.getByRole('textbox', { name: 'region', exact: true });
    await expect.poll(() => region.inputValue()).toBe('North');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => editor.textContent()).toContain('"other": "kept"');
    await removeDefinition(id);
  });

  it('start the values again when another definition is chosen', async () => {
    const { id } = await createPlaceholders();
    await visit(page, `/policies/assignments/new?definition=${id}`);
    await page.getByRole('textbox', { name: 'region', exact: true }).fill('North');
    await pick('Policy definition', 'Own rows');
    const tenant = page.getByRole('textbox', { name: 'tenant', exact: true });
    await expect.poll(() => tenant.inputValue()).toBe('');
    expect(await page.getByRole('textbox', { name: 'region', exact: true }).count()).toBe(0);
    await reopen();
    await removeDefinition(id);
  });

  it('are saved again at once: the notices cover nothing of the screen', async () => {
    const path = `${securityPath(world.api)}/definitions/${world.definitionId}`;
    const readName = async () => {
      const read = await world.api.admin.get<{ data: { definition: { name: string } } }>(path);
      return succeeded(read).data.definition.name;
    };
    await reopen();
    await visit(page, `/policies/definitions/${world.definitionId}`);
    const notices = page.getByRole('alert').filter({ hasText: 'Saved' });
    const button = page.getByRole('button', { name: 'Save', exact: true });
    for (const [index, name] of ['Own rows, renamed', 'Own rows'].entries()) {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await button.scrollIntoViewIfNeeded();
      expect(await button.evaluate(IS_UNCOVERED)).toBe(true);
      await button.click();
      await expect.poll(readName).toBe(name);
      await notices.nth(index).waitFor();
    }
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const [main, notice] = [page.getByRole('main'), notices.first()];
      expect(areApart(await main.boundingBox(), await notice.boundingBox())).toBe(true);
    }
  });

  it('have tests that are exported, not saved over what another person saved, and undone', async () => {
    const { id } = await createDefinition(world.api, world.connectionId);
    const tests = `${securityPath(world.api)}/definitions/${id}/tests`;
    const test = await createPolicyTest(world.api, id, 'harbor-foods');
    const readName = async () => {
      const read = await world.api.admin.get<{ data: { test: { name: string } } }>(`${tests}/${test.id}`);
      return succeeded(read).data.test.name;
    };
    const former = await readName();
    await visit(page, `/policies/definitions/${id}?tab=tests`);
    await page.getByText('1 found', { exact: true }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect((await readFile(await file.path(), 'utf8')).trim().split('\r\n')).toEqual([
      'id,Name,Actor,Checks,Result,Updated',
      expect.stringMatching(new RegExp(`^${test.id},${former},Tenant harbor-foods,status,,\\d{4}-`)),
    ]);
    await visit(page, `/policies/definitions/${id}?tab=tests&test=${test.id}`);
    const dialog = page.getByRole('dialog', { name: 'Test', exact: true });
    const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Mine');
    succeeded(await world.api.admin.patch(`${tests}/${test.id}`, { name: 'Theirs' }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'This record was changed meanwhile' });
    await conflict.getByRole('row', { name: 'Name Mine Theirs' }).waitFor();
    expect(await inspect(page, 'conflict of a policy test')).toEqual([]);
    expect(await readName()).toBe('Theirs');
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await readName()).toBe('Mine');
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await name.fill(former);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect.poll(readName).toBe('Mine');
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete the test' }).click();
    await page.getByRole('dialog', { name: 'Delete Mine?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No tests yet').waitFor();
    for (const problem of browser.takeProblems()) expect(problem).toContain('412');
  });

  it('show the fault of a field, with the request, and keep what was typed', async () => {
    await visit(page, `/policies/definitions/${world.definitionId}`);
    await rewrite(page.getByRole('textbox', { name: 'Condition of rule 1' }), 'tenant_id = = (');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Request /)
      .waitFor();
    await expect(page.getByRole('textbox', { name: 'Condition of rule 1' }).textContent()).resolves.toContain(
      'tenant_id = = (',
    );
    expect(await inspect(page, 'rule with a fault')).toEqual([]);
    browser.takeProblems();
  });

  it('and their rules are never taken for markup', async () => {
    const id = await createHostileDefinition();
    await visit(
      page,
      `/policies/workbench?connection=${world.connectionId}&definition=${id}&actor=ALL_TENANTS`,
    );
    await rewrite(statement(), `SELECT '${HOSTILE_TITLE}' FROM orders`);
    await page.getByLabel('As if it were assigned to this actor').check();
    await page.getByText('MISSING_VALUE').first().waitFor();
    await page.getByRole('button', { name: /^Trace of the resolution/ }).click();
    await page.getByRole('table', { name: 'Steps of the resolution' }).waitFor();
    for (const path of ['/policies/definitions', `/policies/definitions/${id}`]) {
      await visit(page, path);
      await page.getByText(HOSTILE_TITLE).first().waitFor();
    }
    expect(await page.locator('main img, main iframe, main script').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
  });
});

describe('the form of a policy definition', () => {
  const create = () => page.getByRole('button', { name: 'Create the policy definition' }).click();
  const idOfPage = () => new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const begin = async (name: string) => {
    await visit(page, `/policies/definitions/new?connection=${world.connectionId}`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  };
  const readConfig = async (id: string) => {
    const read = await world.api.admin.get<{
      data: { definition: { slsConfig: unknown; clsConfig: unknown; rlsConfig: unknown } };
    }>(`${securityPath(world.api)}/definitions/${id}`);
    return succeeded(read).data.definition;
  };
  const preview = async (id: string) => {
    const connection = `connection=${world.connectionId}&definition=${id}`;
    await visit(page, `/policies/workbench?${connection}&actor=TENANT:citrus-travel&assigned=yes`);
    await rewrite(statement(), 'SELECT id FROM orders');
  };

  it('takes the schema of the tables and those that may be read', async () => {
    await begin('Schema of a tenant');
    const schema = page.getByRole('group', { name: 'Schema', exact: true });
    const ofTables = schema.getByRole('combobox', { name: 'Schema of the tables' });
    await ofTables.fill('a b ');
    await page.getByRole('button', { name: 'Insert a value into Schema of the tables' }).click();
    await page.getByRole('menuitem', { name: 'Id of the tenant', exact: true }).click();
    await expect.poll(() => ofTables.inputValue()).toBe('a b {{ actor.tenantId }}');
    await schema.getByRole('combobox', { name: 'Statements may read' }).selectOption('Only these schemas');
    const schemas = schema.getByRole('combobox', { name: 'Schemas', exact: true });
    for (const name of ['hr', 'public']) {
      await enter(page, schemas, name);
      await page.keyboard.press('Enter');
    }
    await create();
    await expectFocus(ofTables);
    await schema.getByText('has characters beside its placeholders').waitFor();
    const notice = page.getByRole('alert').filter({ hasText: 'It was not saved' });
    expect(await notice.textContent()).not.toContain('slsConfig');
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    expect(await inspect(page, 'schema policy')).toEqual([]);
    await ofTables.fill('public');
    await page.keyboard.press('Escape');
    await create();
    await heading(page, 'Schema of a tenant');
    const id = idOfPage();
    expect((await readConfig(id)).slsConfig).toEqual({ schema: 'public', allowedSchemas: ['hr', 'public'] });
    await page.reload();
    await expect.poll(() => ofTables.inputValue()).toBe('public');

    await preview(id);
    const result = page.getByRole('region', { name: 'Restricted statement' });
    await result.getByText('Tables without a schema are in public').waitFor();
    await result.getByText('Statements may read only hr, public').waitFor();
    await expect.poll(() => restricted().textContent()).toContain('public.orders');
    expect(await inspect(page, 'preview of a schema policy')).toEqual([]);

    await visit(page, `/policies/definitions/${id}`);
    await schema.getByText('public', { exact: true }).waitFor();
    await schemas.focus();
    await page.keyboard.press('Backspace');
    await schema.getByText('public', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await readConfig(id)).slsConfig)
      .toEqual({ schema: 'public', allowedSchemas: ['hr'] });
    await preview(id);
    await result.getByText('Denied').waitFor();
    await reopen();
    await removeDefinition(id);
  });

  it('takes the address of a database, with the values of its placeholders', async () => {
    await begin('Database of a tenant');
    const database = page.getByRole('group', { name: 'Database connection', exact: true });
    await database
      .getByRole('combobox', { name: 'Queries go to' })
      .selectOption('Another database, by its address');
    const address = database.getByRole('combobox', { name: 'Address of the database' });
    await address.fill('postgres://reader:{{ password@secret }}@db/{{ actor.tenantId }}_{{ region }}');
    const add = database.getByRole('button', { name: 'Add a value' });
    await add.click();
    const first = database.getByRole('group', { name: 'Value 1' });
    // The first placeholder without a value is suggested.
    expect(await first.getByRole('combobox', { name: 'Name' }).inputValue()).toBe('password@secret');
    const secret = first.getByLabel('Value', { exact: true });
    expect(await secret.getAttribute('type')).toBe('password');
    await secret.fill('hidden-from-all');
    await add.click();
    const second = database.getByRole('group', { name: 'Value 2' });
    const name = second.getByRole('combobox', { name: 'Name' });
    expect(await name.inputValue()).toBe('region');
    await name.fill('actor.id');
    await second.getByRole('textbox', { name: 'Value', exact: true }).fill('north');
    await create();
    await second.getByText('is a built-in value, which nothing can override').waitFor();
    expect(browser.takeProblems()).toEqual([expect.stringContaining('400')]);
    expect(await inspect(page, 'connection policy')).toEqual([]);
    await name.fill('region');
    await page.keyboard.press('Escape');
    await create();
    await heading(page, 'Database of a tenant');
    const id = idOfPage();
    expect((await readConfig(id)).clsConfig).toEqual({
      connectionTemplate: 'postgres://reader:{{ password@secret }}@db/{{ actor.tenantId }}_{{ region }}',
      params: { 'password@secret': '***', region: 'north' },
    });
    await page.reload();
    await expect.poll(() => secret.inputValue()).toBe('***');
    await secret.fill('changed-and-not-readable');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = page
      .getByRole('alert')
      .filter({ hasText: 'Saved. A change of a secret cannot be undone.' });
    await saved.waitFor();
    expect(await saved.getByRole('button', { name: 'Undo' }).count()).toBe(0);

    await preview(id);
    const result = page.getByRole('region', { name: 'Restricted statement' });
    await result.getByText('Queries go to postgres://reader:***@db/citrus-travel_north').waitFor();
    await reopen();
    await removeDefinition(id);
  });

  it('takes files, and the values of a rule, by keyboard', async () => {
    await begin('Files of a tenant');
    await press(page, page.getByRole('button', { name: 'Add a rule' }));
    await enter(page, page.getByRole('combobox', { name: 'Column', exact: true }), 'amount');
    await rewrite(page.getByRole('textbox', { name: 'Condition of rule 1' }), 'amount = {{ least }}');
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await rule.getByLabel('Values of its own').check();
    await press(page, rule.getByRole('button', { name: 'Add a value' }));
    expect(await rule.getByRole('combobox', { name: 'Name', exact: true }).inputValue()).toBe('least');
    await create();
    // Nothing is sent without the value.
    await rule.getByText('is required').waitFor();
    await enter(page, rule.getByRole('textbox', { name: 'Value', exact: true }), '100');
    const database = page.getByRole('group', { name: 'Database connection', exact: true });
    await tabTo(page, database.getByRole('combobox', { name: 'Queries go to' }));
    await page.keyboard.type('Files');
    await press(page, database.getByRole('button', { name: 'Add a file' }));
    const file = database.getByRole('group', { name: 'File 1' });
    await enter(page, file.getByRole('textbox', { name: 'Name' }), 'orders');
    await enter(page, file.getByRole('combobox', { name: 'Path' }), '/data/{{ actor.tenantId }}.parquet');
    expect(await inspect(page, 'files of a policy')).toEqual([]);
    await press(page, page.getByRole('button', { name: 'Create the policy definition' }));
    await heading(page, 'Files of a tenant');
    const id = idOfPage();
    const { clsConfig, rlsConfig } = await readConfig(id);
    expect(clsConfig).toEqual({ filePathTemplates: { orders: '/data/{{ actor.tenantId }}.parquet' } });
    expect(rlsConfig).toMatchObject({ rules: [{ params: { least: '100' } }] });
    await page.reload();
    const path = file.getByRole('combobox', { name: 'Path' });
    await expect.poll(() => path.inputValue()).toBe('/data/{{ actor.tenantId }}.parquet');
    await preview(id);
    await page.getByText('orders is the file /data/citrus-travel.parquet').waitFor();
    await reopen();
    await removeDefinition(id);
  });

  it('keeps what it cannot show as JSON', async () => {
    const clsConfig = { connectionTemplate: 'postgres://db/{{ suffix }}', params: { suffix: '' } };
    const created = await world.api.admin.post<{ data: { definition: { id: string } } }>(
      `${securityPath(world.api)}/definitions`,
      { connectionId: world.connectionId, name: unique('Empty value'), clsConfig },
    );
    const { id } = succeeded(created).data.definition;
    await visit(page, `/policies/definitions/${id}`);
    const editor = page.getByRole('textbox', { name: 'Database connection', exact: true });
    await expect.poll(() => editor.textContent()).toContain('"suffix": ""');
    const toForm = page.getByRole('button', { name: 'Use the form of the database connection' });
    expect(await toForm.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kept as it is');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor();
    expect((await readConfig(id)).clsConfig).toEqual(clsConfig);
    await rewrite(editor, '{"connectionTemplate": "postgres://db/a"}');
    await toForm.click();
    const address = page.getByRole('combobox', { name: 'Address of the database' });
    await expect.poll(() => address.inputValue()).toBe('postgres://db/a');
    await reopen();
    await removeDefinition(id);
  });
});

describe('an editor', () => {
  const path = () => `/policies/workbench?connection=${world.connectionId}&actor=TENANT:harbor-foods`;
  /** Types a text when the console next changes anything outside of editors, which have their own roots. */
  const TYPE_AT_NEXT_CHANGE = `new MutationObserver((_changes, observer) => {
    observer.disconnect();
    document.execCommand('insertText', false, 'SELECT 2');
  }).observe(document.querySelector('main'), { subtree: true, attributes: true, childList: true })`;

  it('keeps what is typed while an earlier change is drawn', async () => {
    await visit(page, path());
    await rewrite(statement(), 'SELECT 1');
    await restricted().getByText('1').waitFor();
    await page.keyboard.press('Control+A');
    await page.evaluate(TYPE_AT_NEXT_CHANGE);
    await page.keyboard.press('Delete');
    await restricted().getByText('2').waitFor();
    await expect(statement().textContent()).resolves.toBe('SELECT 2');
  });

  it('leaves the focus where it is when its code arrives', async () => {
    // The code is loaded once for each page.
    await reopen();
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/chunks/Editor-*.js', async (route) => {
      await held;
      await route.fallback();
    });
    await visit(page, `/policies/definitions/${world.definitionId}`);
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.focus();
    await page.keyboard.press('End');
    await page.keyboard.insertText(' of');
    const condition = page.getByRole('textbox', { name: 'Condition of rule 1' });
    expect(await condition.count()).toBe(0);
    release();
    await condition.waitFor();
    await page.keyboard.insertText(' mine');
    await expect(name.inputValue()).resolves.toBe('Own rows of mine');
  });
});

describe('the policy workbench', () => {
  const open = (more = '') =>
    visit(page, `/policies/workbench?connection=${world.connectionId}&actor=TENANT:harbor-foods${more}`);

  it('begins with the only connection and without an actor, and offers the first tenant', async () => {
    await visit(page, '/policies/workbench');
    await restricted().waitFor({ state: 'detached' });
    const result = page.getByRole('region', { name: 'Restricted statement' });
    await result.getByText('No preview yet').waitFor();
    expect(page.url()).toContain(`connection=${world.connectionId}`);
    await result.getByRole('button', { name: /^Preview as / }).click();
    await page.getByRole('button', { name: /^Try SELECT / }).click();
    // It has no assignment.
    await result.getByText('Denied').waitFor();
    expect(page.url()).toMatch(/actor=TENANT(:|%3A)/);
    expect(await inspect(page, 'workbench of the first tenant')).toEqual([]);
  });

  it('restricts a statement while it is typed, and keeps it out of the address', async () => {
    await open();
    await rewrite(statement(), 'SELECT id FROM orders');
    await restricted().locator('mark').first().waitFor();
    await expect.poll(() => restricted().textContent()).toContain("tenant_id = 'harbor'");
    await rewrite(statement(), 'SELECT id FROM orders WHERE id = 7');
    await restricted().getByText('id = 7').waitFor();
    await rewrite(statement(), 'SELECT nonsense FROM');
    await page.getByText('Invalid SQL').waitFor();
    expect(page.url()).not.toContain('SELECT');
    await pick('Tenant', 'Citrus Travel');
    expect(page.url()).toContain('actor=TENANT');
    expect(await inspect(page, 'workbench with a statement')).toEqual([]);
  });

  it('offers a statement to begin with, and explains each step in whole words', async () => {
    await open();
    await rewrite(statement(), '');
    await page.getByRole('button', { name: /^Try SELECT \* FROM .*orders$/ }).click();
    await restricted().locator('mark').first().waitFor();
    await page.getByRole('button', { name: /^Trace of the resolution/ }).click();
    const steps = page.getByRole('table', { name: 'Steps of the resolution' });
    await steps.getByText('governed', { exact: true }).first().waitFor();
    await steps.getByRole('rowheader', { name: 'assignment Own rows' }).waitFor();
    const cut = await steps
      .locator('.mantine-Badge-label')
      .evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).length);
    expect(cut).toBe(0);
  });

  it('shows what a draft changes for the actor, and its warnings, before it is saved', async () => {
    await open(`&definition=${world.definitionId}`);
    await rewrite(statement(), 'SELECT id FROM orders');
    await rewrite(page.getByRole('textbox', { name: 'Condition of rule 2' }), 'true');
    const changes = page.getByRole('table', { name: 'Changed conditions' });
    await changes.getByText('Changed').waitFor();
    await page.getByRole('group', { name: 'Rule 2' }).getByRole('listitem').first().waitFor();
    await page.locator('.cm-lint-marker').first().waitFor();
    expect(await inspect(page, 'workbench with a draft')).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The rules are the stored ones.').waitFor();
  });

  it('previews the values that a request brings, in place of those of the assignment', async () => {
    await open();
    await rewrite(statement(), 'SELECT id FROM orders');
    await expect.poll(() => restricted().textContent()).toContain("tenant_id = 'harbor'");
    await page.getByLabel('Values that the request brings').check();
    const values = page.getByRole('group', { name: 'Values that the request brings' });
    await values.getByRole('button', { name: 'Add a value' }).click();
    // The placeholders of the definitions are offered.
    await values.getByRole('combobox', { name: 'Name', exact: true }).fill('tenan');
    await page.getByRole('option', { name: 'tenant', exact: true }).click();
    await values.getByRole('textbox', { name: 'Value', exact: true }).fill('of-request');
    await expect.poll(() => restricted().textContent()).toContain("tenant_id = 'of-request'");
    expect(page.url()).not.toContain('of-request');
    expect(await inspect(page, 'values of a request')).toEqual([]);
    await values.getByRole('button', { name: 'Remove value 1' }).click();
    await expect.poll(() => restricted().textContent()).toContain("tenant_id = 'harbor'");
  });

  it('discards the response to an earlier statement', async () => {
    await open();
    await rewrite(statement(), 'SELECT 1 AS early');
    await restricted().getByText('early').waitFor();
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/unified-security/preview', async (route) => {
      if (route.request().postData()?.includes('slow')) await held;
      await route.fallback().catch(() => undefined);
    });
    const sent = page.waitForRequest((request) => request.postData()?.includes('slow') ?? false);
    await rewrite(statement(), 'SELECT 1 AS slow');
    await sent;
    await expect(restricted().textContent()).resolves.toContain('early');
    await rewrite(statement(), 'SELECT 1 AS late');
    await restricted().getByText('late').waitFor();
    release();
    await rewrite(statement(), 'SELECT 1 AS latest');
    await restricted().getByText('latest').waitFor();
    await expect(restricted().textContent()).resolves.not.toContain('slow');
    browser.takeProblems();
  });

  it('shows the coverage with its reasons, by keyboard', async () => {
    await open();
    const cell = page.getByRole('gridcell', { name: /orders, Harbor Foods: restricted by/ });
    await cell.waitFor();
    await cell.focus();
    await page.keyboard.press('Control+Home');
    await page.getByText('restricted by “own tenant”').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('[data-cell]:focus').count()).resolves.toBe(1);
  });
});
