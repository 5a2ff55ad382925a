import { afterAll, describe, expect, it } from 'vitest';
import { createSampleDatabase, type SampleTable } from './sampleDatabase.js';

const samples = createSampleDatabase();
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
const run = (sql: string, tables = [ORDERS]) => samples.run({ tables, sql, defaultSchema: 'public' });

// PGlite takes seconds to start, and many on a machine that is busy.
describe('the sample database', { timeout: 120_000 }, () => {
  it('answers the rows of a statement as JSON, with columns of the types of the catalog', async () => {
    expect(await run('select id, amount, tags from public.orders order by id')).toEqual({
      rows: [
        { id: 1, amount: 12.5, tags: ['a', 'b'] },
        { id: 2, amount: null, tags: null },
      ],
    });
  });

  it('takes names and types of a catalog as data, whatever they hold', async () => {
    const odd = 'a"; drop table orders; --';
    const table: SampleTable = {
      schema: odd,
      name: odd,
      columns: [column(odd, 'text); drop schema public; --'), column('kind', 'order_kind')],
      rows: [{ [odd]: "it's", kind: 'new' }],
    };
    const quoted = `"${odd.replaceAll('"', '""')}"`;
    expect(await run(`select * from ${quoted}.${quoted}`, [table, ORDERS])).toEqual({
      rows: [{ [odd]: "it's", kind: 'new' }],
    });
  });

  it('keeps nothing of a run', async () => {
    await run('select 1 as one');
    expect(await run('select count(*)::int as count from orders', [{ ...ORDERS, rows: [] }])).toEqual({
      rows: [{ count: 0 }],
    });
    expect(await run('select * from orders', [])).toEqual({
      failure: 'The statement reads a table that sampleData does not name.',
    });
  });

  it('runs each of many at once by itself', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, id) => run('select id from orders', [{ ...ORDERS, rows: [{ id }] }])),
    );
    expect(outcomes).toEqual(Array.from({ length: 10 }, (_, id) => ({ rows: [{ id }] })));
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
  ])('tells of %s, and passes on none of its own words', async (_, sql, words) => {
    const { failure } = await run(sql);
    expect(failure).toContain(words);
    expect(failure).not.toMatch(/elsewhere|colour|passwd/);
  });

  it('names the table whose rows cannot be stored', async () => {
    expect(await run('select 1', [{ ...ORDERS, rows: [{ id: 'none' }] }])).toEqual({
      failure: 'The sample rows of public.orders cannot be read: a value does not fit its type (22P02).',
    });
  });

  it('ends a statement without an end, and serves the next', async () => {
    const endless = 'with recursive n as (select 1 as i union all select i from n) select count(*) from n';
    expect(await run(endless)).toHaveProperty('failure');
    expect(await run('select 1 as one')).toEqual({ rows: [{ one: 1 }] });
  });

  it('refuses more than may wait', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => run('select 1 as one')));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(24);
    expect(refused[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect(await run('select 1 as one')).toEqual({ rows: [{ one: 1 }] });
  });
});
