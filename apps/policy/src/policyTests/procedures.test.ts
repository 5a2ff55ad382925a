import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf, startPlatform, TENANT_RULE, type Project } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let project: Project;
let definitionId: string;
beforeAll(() => {
  platform.people.tenant('t_north');
});
beforeEach(async () => {
  project = await platform.openProject();
  definitionId = (await project.define()).definition.id;
  await project.assign(definitionId, {
    scopeType: 'TENANT',
    tenantId: 't_north',
    params: { tenant: 'north' },
  });
});

const NORTH = { kind: 'TENANT', tenantId: 't_north' } as const;
const SQL = 'select id, amount from orders';
const ROWS = {
  orders: [
    { id: 1, tenant_id: 'north', amount: 10 },
    { id: 2, tenant_id: 'south', amount: 20 },
    { id: 3, tenant_id: 'north', amount: 2.5 },
    { id: 4, tenant_id: null, amount: 1 },
  ],
};
const OWN_ROWS = [
  { id: 3, amount: 2.5 },
  { id: 1, amount: 10 },
];
const tests = () => platform.policy.tests;
const ground = () => ({ projectId: project.projectId, definitionId });
const create = async (fields: Record<string, unknown>) => {
  const test = { name: 'A test', actor: NORTH, sql: SQL, expect: { status: 'compiled' }, ...fields };
  return (await tests().create.mutate({ ...ground(), ...test } as never, { context: project.origin })).data
    .test;
};
const update = async (testId: string, change: Record<string, unknown>, origin = project.origin) =>
  (await tests().update.mutate({ ...ground(), testId, ...change }, { context: origin })).data.test;
const run = async () => (await tests().run.mutate(ground(), { context: project.origin })).data;
/** The failures of a test with this expectation. */
async function failuresOf(expectation: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const { id } = await create({ expect: expectation, ...fields });
  const { outcomes } = await run();
  return outcomes.find(({ testId }) => testId === id)?.failures ?? ['was not run'];
}

describe('a test', () => {
  it('is returned as stored, updated, and deleted', async () => {
    const made = await create({ name: 'North', sampleData: ROWS, expect: { rows: OWN_ROWS } });
    expect(made).toMatchObject({
      definitionId,
      name: 'North',
      actor: NORTH,
      sql: SQL,
      runtimeParams: null,
      version: 1,
    });
    expect(made.id).toMatch(/^ust_/);
    const changed = await update(made.id, {
      sampleData: null,
      expect: { status: 'compiled' },
      name: 'Renamed',
    });
    expect(changed).toMatchObject({ name: 'Renamed', sampleData: null, version: 2, sql: SQL });
    expect((await tests().list.query(ground(), { context: project.origin })).data).toEqual([changed]);
    const [event] = await platform.eventsOf('management.policy_test.updated.v1', made.id);
    expect(event?.data['changes']).toEqual({
      name: { from: 'North', to: 'Renamed' },
      sampleData: { from: null, to: null },
      expect: { from: null, to: null },
    });
    const { data } = await tests().delete.mutate(
      { ...ground(), testId: made.id },
      { context: project.origin },
    );
    expect(data).toEqual({ id: made.id });
    expect((await tests().list.query(ground(), { context: project.origin })).data).toEqual([]);
  });

  it('is listed by name', async () => {
    for (const name of ['b', 'A', 'c']) await create({ name });
    const { data } = await tests().list.query(ground(), { context: project.origin });
    expect(data.map(({ name }) => name)).toEqual(['A', 'b', 'c']);
  });

  it.each([
    ['an actor who does not exist', { actor: { kind: 'TENANT', tenantId: 't_none' } }, 'actor.tenantId'],
    ['rows without sample data', { expect: { rows: [] } }, 'sampleData'],
    ['sample data of an unknown table', { sampleData: { elsewhere: [] } }, 'sampleData.elsewhere'],
    [
      'sample data of an unknown column',
      { sampleData: { orders: [{}, { colour: 1 }] } },
      'sampleData.orders[1].colour',
    ],
    ['a built-in value', { runtimeParams: { 'actor.id': 'x' } }, 'runtimeParams.actor.id'],
    ['no expectation', { expect: {} }, 'expect'],
  ])('with %s is refused', async (_, fields, field) => {
    const refusal = await platform.refusalOf(() => create(fields));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', [field]]);
    const { id } = await create({});
    const changed = await platform.refusalOf(() => update(id, fields));
    expect([changed.code, fieldsOf(changed)]).toEqual(['INVALID_REQUEST', [field]]);
  });

  it('with rows is refused on a connection other than PostgreSQL', async () => {
    const connectionId = platform.connections.add(project.projectId, `${project.connectionId}m`, {
      dialect: 'mysql',
    });
    definitionId = (await project.define({ connectionId })).definition.id;
    const refusal = await platform.refusalOf(() => create({ sampleData: ROWS, expect: { rows: [] } }));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['expect.rows']]);
    await create({ expect: { status: 'compiled' } });
  });

  it('is refused for an outdated version and for an empty update', async () => {
    const { id } = await create({});
    await update(id, { name: 'Second' });
    const stale = await project.with([1]);
    const late = await platform.refusalOf(() => update(id, { name: 'Third' }, stale));
    const gone = await platform.refusalOf(() =>
      tests().delete.mutate({ ...ground(), testId: id }, { context: stale }),
    );
    expect([late.code, gone.code]).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED']);
    expect((await platform.refusalOf(() => update(id, {}))).code).toBe('INVALID_REQUEST');
  });
});

// The sample database takes seconds to start, many on a busy machine.
describe('a run of tests', () => {
  it('passes met expectations and reports each unmet one', async () => {
    await create({
      name: 'holds',
      sampleData: ROWS,
      expect: { status: 'compiled', rows: OWN_ROWS, tables: ['orders'] },
    });
    await create({ name: 'fails', expect: { status: 'denied' } });
    const { passed, failed, outcomes } = await run();
    expect([passed, failed]).toEqual([1, 1]);
    expect(outcomes.map(({ name, passed: hasPassed }) => [name, hasPassed])).toEqual([
      ['fails', false],
      ['holds', true],
    ]);
    expect(outcomes[0]?.failures.join()).toContain('compiled');
    expect(outcomes[1]).toMatchObject({
      compiled: { status: 'compiled' },
      rows: expect.any(Array) as unknown,
    });
  });

  it.each([
    ['status', { status: 'compiled' }, { status: 'denied' }],
    ['tables', { tables: ['orders'] }, { tables: ['orders', 'customers'] }],
    [
      'condition',
      { conditions: { orders: "((tenant_id) = 'north')" } },
      { conditions: { orders: "tenant_id = 'south'" } },
    ],
  ])('judges the %s', async (_, holds, fails) => {
    expect(await failuresOf(holds)).toEqual([]);
    expect(await failuresOf(fails)).not.toEqual([]);
  });

  it('limits rows to 1 MiB per test and results to 8 MiB per run', async () => {
    const sample = { sampleData: ROWS, expect: { rows: [] } };
    await create({ ...sample, sql: `select repeat('x', 100000) as long from generate_series(1, 1000)` });
    for (let test = 0; test < 9; test += 1) {
      await create({ ...sample, sql: `select repeat('x', 1000) as long from generate_series(1, 1000)` });
    }
    const results = await run();
    expect(results.failed).toBe(10);
    expect(JSON.stringify(results).length).toBeLessThan(9 * 1024 * 1024);
    expect(results.outcomes.filter(({ isCut }) => isCut).length).toBeGreaterThan(0);
    const failures = results.outcomes.flatMap((outcome) => outcome.failures);
    expect(failures).toContain('The statement gives more than 1048576 bytes of rows.');
  });

  it('with slow statements ends and names the tests that were not run', async () => {
    const endless =
      'select count(*) as n from generate_series(1, 100000) a cross join generate_series(1, 100000) b';
    for (let test = 0; test < 4; test += 1) {
      await create({ sql: endless, sampleData: ROWS, expect: { rows: [] } });
    }
    const { outcomes } = await run();
    const notRun = outcomes.filter(({ failures }) => failures.join().includes('was not run'));
    expect(notRun.map(({ passed, compiled }) => [passed, compiled])).toEqual([
      [false, null],
      [false, null],
    ]);
  });

  it('judges the reason of a denial', async () => {
    const sql = 'select * from orders; select 1';
    const { outcomes } = await run();
    expect(outcomes).toEqual([]);
    const failures = await failuresOf({ status: 'denied', reason: 'NO_SUCH_REASON' }, { sql });
    expect(failures).toHaveLength(1);
  });

  it('reads rows through the rules, including joins, subqueries and aggregates', async () => {
    const sampleData = {
      ...ROWS,
      customers: [
        { id: 1, tenant_id: 'south', name: 'S' },
        { id: 2, tenant_id: 'north', name: 'N' },
      ],
    };
    const sql =
      'select c.name, (select sum(o.amount) from orders o) as total from customers c left join orders x on false';
    expect(await failuresOf({ rows: [{ name: 'N', total: 12.5 }] }, { sql, sampleData })).toEqual([]);
  });

  it('fails on surplus, absent or unreadable rows', async () => {
    const fields = { sampleData: ROWS };
    expect(await failuresOf({ rows: OWN_ROWS.slice(1) }, fields)).not.toEqual([]);
    expect(await failuresOf({ rows: [...OWN_ROWS, { id: 2, amount: 20 }] }, fields)).not.toEqual([]);
    const failures = await failuresOf({ rows: [] }, { sampleData: { customers: [] } });
    expect(failures[0]).toBe('The statement reads a table that sampleData does not name.');
  });

  it('continues after a test whose actor is deleted', async () => {
    platform.people.tenant('t_leaving');
    await create({ name: 'gone', actor: { kind: 'TENANT', tenantId: 't_leaving' } });
    await create({ name: 'here' });
    platform.people.tenants.delete('t_leaving');
    const { outcomes } = await run();
    expect(outcomes.map(({ failures }) => failures)).toEqual([
      ['actor.tenantId names no tenant of the organization: t_leaving.'],
      [],
    ]);
  });

  it('fills placeholders with the values of the test', async () => {
    expect(
      await failuresOf({ conditions: { orders: "tenant_id = 'x'" } }, { runtimeParams: { tenant: 'x' } }),
    ).toEqual([]);
  });
});

describe('an update of a definition with its tests', () => {
  const change = (expression: string, runTests?: boolean) =>
    platform.policy.definitions.update.mutate(
      {
        ...ground(),
        rlsConfig: { rules: [{ ...TENANT_RULE, expression }] },
        runTests,
      },
      { context: project.origin },
    );

  it('is refused with the names of failing tests, and saved if all pass', async () => {
    await create({ name: 'rows', sampleData: ROWS, expect: { rows: OWN_ROWS } });
    await create({ name: 'tables', expect: { tables: ['orders'] } });
    const refusal = await platform.refusalOf(() => change('true', true));
    expect([refusal.code, fieldsOf(refusal)]).toEqual(['INVALID_REQUEST', ['runTests']]);
    expect(refusal.fieldErrors?.[0]?.message).toContain('the test "rows" fails');
    const both = await platform.refusalOf(() => change('tenant_id = {{ nowhere }}', true));
    expect(both.fieldErrors?.map(({ message }) => message.slice(0, 12))).toEqual([
      'the test "ro',
      'the test "ta',
    ]);
    const { data } = await change('tenant_id = {{ tenant }} and true', true);
    expect(data.definition.version).toBe(2);
  });

  it('runs no tests unless requested', async () => {
    await create({ sampleData: ROWS, expect: { rows: OWN_ROWS } });
    expect((await change('true')).data.definition.version).toBe(2);
  });
});
