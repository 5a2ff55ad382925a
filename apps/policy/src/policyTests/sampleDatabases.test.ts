import { afterAll, describe, expect, it } from 'vitest';
import { SampleDatabases } from './sampleDatabases.js';
import type { SampleTable } from './sampleSteps.js';

const samples = new SampleDatabases();
afterAll(() => samples.stop());

const column = (name: string, type: string) => ({ name, type });
const ORDERS: SampleTable = {
  schema: 'public',
  name: 'orders',
  columns: [column('id', 'integer'), column('amount', 'numeric(10,2)'), column('tags', 'text[]')],
  rows: [
    { id: 1, amount: 12.5, tags: ['a', 'b'] },
    { id: 2, amount: null },
  ],
};
const run = (sql: string, tables = [ORDERS], organizationId = 'o_acme') =>
  samples.run(organizationId, { tables, sql, defaultSchema: 'public' });

// PGlite takes seconds to start, many on a busy machine.
describe('the sample database', () => {
  it('returns the rows of a statement as JSON, with the column types of the catalog', async () => {
    expect(await run('select id, amount, tags from public.orders order by id')).toMatchObject({
      rows: [
        { id: 1, amount: 12.5, tags: ['a', 'b'] },
        { id: 2, amount: null, tags: null },
      ],
    });
  });

  it('treats names and types of a catalog as data, whatever they contain', async () => {
    const odd = 'a"; drop table orders; --';
    const table: SampleTable = {
      schema: odd,
      name: odd,
      columns: [column(odd, 'text); drop schema public; --'), column('kind', 'order_kind')],
      rows: [{ [odd]: "it's", kind: 'new' }],
    };
    const quoted = `"${odd.replaceAll('"', '""')}"`;
    expect(await run(`select * from ${quoted}.${quoted}`, [table, ORDERS])).toMatchObject({
      rows: [{ [odd]: "it's", kind: 'new' }],
    });
  });

  it('keeps no state of a run', async () => {
    await run('select 1 as one');
    expect(await run('select count(*)::int as count from orders', [{ ...ORDERS, rows: [] }])).toMatchObject({
      rows: [{ count: 0 }],
    });
    expect(await run('select * from orders', [])).toMatchObject({
      failure: 'The statement reads a table that sampleData does not name.',
    });
  });

  it('isolates concurrent runs', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, id) => run('select id from orders', [{ ...ORDERS, rows: [{ id }] }])),
    );
    expect(outcomes).toMatchObject(Array.from({ length: 10 }, (_, id) => ({ rows: [{ id }] })));
  });

  it.each([
    ['a table that is not there', 'select * from elsewhere', 'reads a table that sampleData does not name.'],
    [
      'a column that is not there',
      'select colour from orders',
      'names a column that its table does not have.',
    ],
    [
      'a value of another type',
      "select * from orders where id = 'x'",
      'a value does not fit its type (22P02).',
    ],
    ['a right that it has not', "select pg_read_file('/etc/passwd')", 'reads what sample rows do not cover.'],
    ['a write', 'delete from orders returning id', 'cannot be run on PostgreSQL (42601).'],
    ['too many rows', 'select generate_series(1, 1001) as id', 'gives more than 1000 rows.'],
  ])("reports %s without the database's own message", async (_, sql, words) => {
    const { failure } = await run(sql);
    expect(failure).toContain(words);
    expect(failure).not.toMatch(/elsewhere|colour|passwd/);
  });

  it('names the table whose rows cannot be stored', async () => {
    expect(await run('select 1', [{ ...ORDERS, rows: [{ id: 'none' }] }])).toMatchObject({
      failure: 'The sample rows of public.orders cannot be read: a value does not fit its type (22P02).',
    });
  });

  it('terminates an endless statement and serves the next one', async () => {
    const endless = 'with recursive n as (select 1 as i union all select i from n) select count(*) from n';
    expect(await run(endless)).toHaveProperty('failure');
    expect(await run('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
  });

  it.each([
    ['in one row', `select repeat('x', 1100000) as long`],
    ['in all rows', `select repeat('x', 1100) as long from generate_series(1, 1000)`],
    ['of 100 MB', `select repeat('x', 100000) as long from generate_series(1, 1000)`],
  ])('returns none of more than 1 MiB of rows %s', async (_, sql) => {
    expect(await run(sql)).toMatchObject({ failure: 'The statement gives more than 1048576 bytes of rows.' });
  });

  it('returns rows of just under 1 MiB', async () => {
    const { rows } = await run(`select repeat('x', 1000) as long from generate_series(1, 1000)`);
    expect(rows).toHaveLength(1000);
  });

  it.each([
    ['one value', `select repeat('x', 900000000) as long`],
    ['an array', `select array_agg(repeat('x', 1000000)) is null as no from generate_series(1, 2000)`],
  ])('ends a statement that fills the memory with %s, and serves the next', async (_, sql) => {
    expect((await run(sql)).failure).toContain('too much memory');
    expect(await run('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
  });

  it('serves one organization while the tests of another never end', async () => {
    const endless = 'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b';
    // Both databases are started first, so that their start is not measured.
    await Promise.all([run('select 1'), run('select 1', [], 'o_other')]);
    const order: string[] = [];
    const heavy = Array.from({ length: 3 }, () => run(endless).then(() => order.push('heavy')));
    await run('select 1', [], 'o_other');
    order.push('other');
    await Promise.allSettled(heavy);
    expect(order[0]).toBe('other');
  });

  it('refuses runs beyond the queue limit', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => run('select 1 as one')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(23);
    expect(refused[0]).toMatchObject({ reason: { code: 'RATE_LIMITED' } });
    expect(await run('select 1 as one')).toMatchObject({ rows: [{ one: 1 }] });
  });
});
