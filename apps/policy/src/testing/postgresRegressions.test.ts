import { beforeAll, describe, expect, test } from 'vitest';
import type { SqlEngine } from '../logic/model.js';
import { createPostgres } from '../engines.js';
import { OWN_TENANT, ruleOf, shopRequest } from './restrictions.js';

let engine: SqlEngine;
beforeAll(async () => {
  engine = await createPostgres();
});

const OWN = "tenant_id = 't1'";
const ORDERS = `(SELECT * FROM public.orders WHERE orders.${OWN}) AS`;

async function restricted(sql: string): Promise<string> {
  const { inlineSql, reasons } = await engine.restrict(shopRequest(sql));
  if (inlineSql === null) throw new Error(JSON.stringify(reasons));
  return inlineSql;
}

describe('failures of other systems', () => {
  test('a subquery in a metric or a filter is not covered', async () => {
    expect(
      await restricted(
        'SELECT (SELECT max(id) FROM orders) FROM lookup WHERE rank IN (SELECT id FROM orders)',
      ),
    ).toBe(
      `SELECT (SELECT pg_catalog.max(id) FROM ${ORDERS} orders) FROM public.lookup ` +
        `WHERE rank IN (SELECT id FROM ${ORDERS} orders)`,
    );
  });

  test("an alias equal to the table's name hides the table", async () => {
    expect(await restricted('SELECT * FROM orders AS orders')).toBe(`SELECT * FROM ${ORDERS} orders`);
    expect(await restricted('SELECT * FROM lookup AS orders, orders AS lookup')).toBe(
      `SELECT * FROM public.lookup AS orders, ${ORDERS} lookup`,
    );
  });

  test('a CTE that is named as a governed table and reads it qualified', async () => {
    expect(await restricted('WITH orders AS (SELECT * FROM public.orders) SELECT * FROM orders')).toBe(
      `WITH orders AS (SELECT * FROM ${ORDERS} orders) SELECT * FROM orders`,
    );
  });

  test('a CTE that is named as a governed table and reads it by its own name', async () => {
    expect(await restricted('WITH orders AS (SELECT * FROM orders) SELECT * FROM orders')).toBe(
      `WITH orders AS (SELECT * FROM ${ORDERS} orders) SELECT * FROM orders`,
    );
  });

  test('a CTE that is named as a governed table, which is read before its definition', async () => {
    const early = 'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1 AS id) SELECT * FROM a, orders';
    expect(await restricted(early)).toBe(
      `WITH a AS (SELECT * FROM ${ORDERS} orders), orders AS (SELECT 1 AS id) SELECT * FROM a, orders`,
    );
    const recursive = early.replace('WITH', 'WITH RECURSIVE');
    expect(await restricted(recursive)).toBe(recursive);
  });

  test('a CTE of an inner query stands for a table of the outer one', async () => {
    expect(await restricted('SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) x, orders')).toBe(
      `SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) AS x, ${ORDERS} orders`,
    );
  });

  test('a condition with a wrong alias where the table had none', async () => {
    const { conditions } = await engine.restrict(shopRequest('SELECT * FROM orders, customers c'));
    expect(conditions.map(({ alias, expression }) => ({ alias, expression }))).toEqual([
      { alias: null, expression: OWN },
      { alias: 'c', expression: "c.tenant_id = 't1'" },
    ]);
  });

  test('the condition is applied twice', async () => {
    const once = await restricted('SELECT * FROM orders WHERE id > 1');
    expect(once.split(OWN)).toHaveLength(2);
  });

  test('one form of a table has no restriction', async () => {
    const forms = [
      'orders',
      'public.orders',
      '"orders"',
      'ORDERS',
      'ONLY orders',
      'orders *',
      'orders o',
      'orders o(a)',
    ];
    for (const form of forms)
      expect(await restricted(`SELECT 1 FROM ${form}`)).toContain(`WHERE orders.${OWN}`);
  });

  test('a cache that ignores the context answers with the values of another', async () => {
    const answers = ['t1', 't2'].map((tenant) =>
      engine.restrict(
        shopRequest('SELECT * FROM orders', { rules: [ruleOf('tenant_id = {{ t }}', { t: tenant })] }),
      ),
    );
    const [one, other] = await Promise.all(answers);
    expect([one?.parameters, other?.parameters]).toEqual([['t1'], ['t2']]);
    expect(other?.inlineSql).toContain("'t2'");
    const elsewhere = shopRequest('SELECT * FROM orders', { pinnedSchema: 'sales' });
    expect((await engine.restrict(elsewhere)).inlineSql).toContain('FROM sales.orders');
  });

  test("a value's quote is doubled but its backslash is not", async () => {
    const value = "\\' OR 1=1 --";
    const rules = [ruleOf('tenant_id = {{ t }}', { t: value })];
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect(inlineSql).toContain(String.raw`WHERE orders.tenant_id = E'\\'' OR 1=1 --')`);
  });

  test('several statements are cut to the first in silence', async () => {
    const { status, reasons } = await engine.restrict(shopRequest('SELECT 1; SELECT * FROM orders'));
    expect({ status, reasons }).toMatchObject({
      status: 'denied',
      reasons: [{ code: 'SEVERAL_STATEMENTS' }],
    });
    const cut = await engine.restrict(shopRequest('SELECT 1\0; SELECT * FROM orders'));
    expect(cut.status).toBe('invalid_sql');
  });

  test('an alias is dropped while its references stay', async () => {
    expect(await restricted('SELECT o.id, "X y".a FROM orders o, customers "X y"(a)')).toBe(
      `SELECT o.id, "X y".a FROM ${ORDERS} o, (SELECT * FROM public.customers WHERE customers.${OWN}) AS "X y" (a)`,
    );
  });

  test('a column with the schema of a table that is now a subquery', async () => {
    expect(
      await restricted('SELECT public.orders.id, orders.* FROM public.orders ORDER BY public.orders.id'),
    ).toBe(`SELECT orders.id, orders.* FROM ${ORDERS} orders ORDER BY orders.id`);
  });

  test('a printer that leaves names unquoted turns a name into SQL', async () => {
    const name = '"lookup as (select * from public.orders), z"';
    const { inlineSql } = await engine.restrict(
      shopRequest(`WITH ${name} AS (SELECT 1) SELECT * FROM ${name}`),
    );
    expect(inlineSql).toBe(`WITH ${name} AS (SELECT 1) SELECT * FROM ${name}`);
  });

  test('WITH TIES is lost', async () => {
    const sql = 'SELECT rank FROM public.lookup ORDER BY rank FETCH FIRST (2) ROWS WITH TIES';
    expect(await restricted(sql)).toBe(sql);
  });
});

describe('rules', () => {
  test('parameters are numbered anew in each statement, whatever an earlier one with the same rules was numbered', async () => {
    const rules = [ruleOf('tenant_id = {{ t }} AND id IN ({{ ids }})', { t: 't1', ids: [1, 2] })];
    const ask = async (sql: string) => {
      const { sql: text, parameters } = await engine.restrict(shopRequest(sql, { rules }));
      return { numbers: text?.match(/\$\d+/g), parameters };
    };
    const once = { numbers: ['$1', '$2'], parameters: ['t1', [1, 2]] };
    const twice = { numbers: ['$1', '$2', '$3', '$4'], parameters: ['t1', [1, 2], 't1', [1, 2]] };
    expect(await ask('SELECT 1 FROM orders')).toEqual(once);
    expect(await ask('SELECT 1 FROM orders, customers')).toEqual(twice);
    expect(await ask('SELECT 1 FROM customers, orders AS o')).toEqual(twice);
    expect(await ask('SELECT 1 FROM orders AS a, orders AS b')).toEqual(twice);
    expect(await ask('SELECT 2 FROM customers')).toEqual(once);
  });

  async function conditionOf(expression: string, table = 'orders'): Promise<unknown> {
    const rules = [ruleOf(expression, {}, { type: 'TABLE_LIST', tables: [{ table }] })];
    const { inlineSql, reasons } = await engine.restrict(shopRequest(`SELECT * FROM ${table} x`, { rules }));
    return inlineSql ?? reasons.map((reason) => reason.code);
  }

  test("no CTE of the statement can stand in for a table of a rule's subquery", async () => {
    const rules = [ruleOf('tenant_id IN (SELECT code FROM lookup)')];
    const sql = "WITH lookup AS (SELECT 't2' AS code) SELECT * FROM orders, lookup";
    expect((await engine.restrict(shopRequest(sql, { rules }))).inlineSql).toContain(
      'WHERE orders.tenant_id IN (SELECT lookup.code FROM public.lookup)',
    );
  });

  test('a column of the governed table keeps to it inside of a subquery', async () => {
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup WHERE code = tenant_id)')).toContain(
      'WHERE EXISTS (SELECT 1 FROM public.lookup WHERE lookup.code = orders.tenant_id)',
    );
  });

  test('a subquery that goes by the name of the governed table does not catch its columns', async () => {
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup orders WHERE orders.code = tenant_id)')).toContain(
      'FROM public.orders AS governed WHERE EXISTS (SELECT 1 FROM public.lookup AS orders WHERE orders.code = governed.tenant_id)',
    );
  });

  test('a governed table in a rule is read whole there', async () => {
    const rules = [OWN_TENANT, ruleOf('id IN (SELECT c.id FROM customers c)')];
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect(inlineSql).toContain('(orders.id IN (SELECT c.id FROM public.customers AS c))');
  });

  test('a rule that names a column its table lacks denies the table', async () => {
    expect(await conditionOf('missing = 1')).toEqual(['RULE_NOT_COMPILED']);
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup WHERE missing = 1)')).toEqual([
      'RULE_NOT_COMPILED',
    ]);
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup WHERE lookup.leak = 1)')).toEqual([
      'RULE_NOT_COMPILED',
    ]);
  });

  test('a rule whose subquery reads a table that is not in the catalog denies', async () => {
    for (const table of ['nothing', 'pg_class', 'pg_catalog.pg_class', 'information_schema.tables', 'bare']) {
      expect(await conditionOf(`EXISTS (SELECT 1 FROM ${table})`)).toEqual(['RULE_NOT_COMPILED']);
    }
  });

  test('a rule may write the table that it governs', async () => {
    expect(await conditionOf('orders.id = 1 AND public.orders.amount > 0')).toContain(
      'WHERE (orders.id = 1) AND (orders.amount > 0)',
    );
    expect(await conditionOf('customers.id = 1')).toEqual(['RULE_NOT_COMPILED']);
  });

  test('a missing value denies, but only where the rule covers a table that is read', async () => {
    const rules = [{ ...ruleOf('tenant_id = {{ t }}'), missing: ['t'] }];
    const { status, reasons } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect({ status, reasons }).toMatchObject({ status: 'denied', reasons: [{ code: 'MISSING_VALUE' }] });
    expect((await engine.restrict(shopRequest('SELECT * FROM lookup', { rules }))).status).toBe('compiled');
  });
});

describe('schemas', () => {
  test('a table without a schema is in the pinned one, and is printed with it', async () => {
    const request = shopRequest('SELECT * FROM notes', { pinnedSchema: 'sales' });
    expect((await engine.restrict(request)).inlineSql).toBe('SELECT * FROM sales.notes');
    const other = shopRequest('SELECT * FROM notes', { pinnedSchema: 'SALES' });
    expect((await engine.restrict(other)).inlineSql ?? '').not.toContain('sales.notes');
  });

  test('a table outside the allowed schemas denies', async () => {
    const allowed = { allowedSchemas: ['sales'] };
    const inside = await engine.restrict(shopRequest('SELECT * FROM sales.orders', allowed));
    expect(inside.status).toBe('compiled');
    for (const sql of [
      'SELECT * FROM lookup',
      'SELECT * FROM sales.notes WHERE id IN (SELECT id FROM orders)',
    ]) {
      const { status, reasons } = await engine.restrict(shopRequest(sql, allowed));
      expect({ status, reasons }).toMatchObject({
        status: 'denied',
        reasons: [{ code: 'SCHEMA_NOT_ALLOWED' }],
      });
    }
  });

  test('without a catalog a table that a rule might cover denies, and one that none can is read as a record', async () => {
    const none = { catalog: null };
    expect((await engine.restrict(shopRequest('SELECT * FROM x', none))).status).toBe('denied');
    const listed = ruleOf('true', {}, { type: 'TABLE_LIST', tables: [{ table: 'orders' }] });
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM x', { ...none, rules: [listed] }));
    expect(inlineSql).toBe('SELECT * FROM (SELECT * FROM public.x) AS x');
    expect(
      (await engine.restrict(shopRequest('SELECT * FROM Orders', { ...none, rules: [listed] }))).status,
    ).toBe('denied');
  });

  test('a table of another database is governed, and keeps its database', async () => {
    const columns = [{ name: 'tenant_id', type: '' }];
    const schemas = [{ name: 'public', tables: [{ name: 'things', kind: 'table' as const, columns }] }];
    const catalog = { defaultDatabase: 'one', databases: ['one', 'two'].map((name) => ({ name, schemas })) };
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM two.public.things', { catalog }));
    expect(inlineSql).toBe(`SELECT * FROM (SELECT * FROM two.public.things WHERE things.${OWN}) AS things`);
  });

  test('the row barrier goes into every subquery', async () => {
    const { sql } = await engine.restrict(
      shopRequest('SELECT * FROM orders, customers', { rowBarrier: true }),
    );
    expect(sql?.match(/OFFSET 0\) AS/g)).toHaveLength(2);
  });
});

describe('entities without a statement', () => {
  test('get their conditions, under their aliases', async () => {
    const entities = [
      { table: 'Orders', alias: 'o' },
      { table: 'lookup' },
      { table: 'Odd Name', schema: 'public' },
    ];
    const answer = await engine.restrict(shopRequest(null, { entities }));
    expect(answer).toMatchObject({ status: 'not_requested', sql: null, inlineSql: null, reasons: [] });
    expect(answer.conditions.map(({ table, alias, expression }) => ({ table, alias, expression }))).toEqual([
      { table: 'orders', alias: 'o', expression: "o.tenant_id = 't1'" },
      { table: 'Odd Name', alias: null, expression: OWN },
    ]);
  });

  test('deny as a statement would', async () => {
    const denied = await engine.restrict(shopRequest(null, { entities: [{ table: 'nothing' }] }));
    expect(denied).toMatchObject({ status: 'denied', conditions: [], reasons: [{ code: 'UNKNOWN_TABLE' }] });
  });
});

describe('the size of a statement', () => {
  const nested = (open: string, close: string, count: number): string =>
    `SELECT ${open.repeat(count)}1${close.repeat(count)} FROM orders`;

  test.each([
    ['subqueries', nested('(SELECT ', ')', 1000)],
    ['additions', `SELECT 1${' + 1'.repeat(20_000)}`],
    ['negations', `SELECT ${'NOT '.repeat(5000)}true`],
    ['unions', `SELECT 1${' UNION SELECT 1'.repeat(5000)}`],
    ['joins', `SELECT 1 FROM lookup${' JOIN lookup ON true'.repeat(5000)}`],
    ['casts', `SELECT 1${'::int'.repeat(10_000)}`],
    ['cases', `SELECT ${'CASE WHEN true THEN '.repeat(3000)}1${' END'.repeat(3000)}`],
    ['a BETWEEN in each other', `SELECT 1 WHERE ${'NOT 1 BETWEEN 1 AND '.repeat(5000)}1`],
    ['an END that ends nothing', nested('(SELECT 1 AS end, ', ')', 3000)],
    ['subscripts', `SELECT a${'[1'.repeat(5000)}${']'.repeat(5000)}`],
  ])('deep %s are refused, and what comes after is answered', async (_, sql) => {
    const { reasons } = await engine.restrict(shopRequest(sql));
    expect(reasons.map((reason) => reason.code)).toEqual(['TOO_DEEP']);
    expect(await restricted('SELECT * FROM orders')).toBe(`SELECT * FROM ${ORDERS} orders`);
  });

  test('what is nested as deep as is allowed is answered', async () => {
    const deep = [
      nested('(SELECT ', ')', 80),
      `SELECT 1${' + 1'.repeat(600)}`,
      `SELECT ${'NOT '.repeat(300)}true`,
    ];
    deep.push(`SELECT 1${' UNION SELECT 1'.repeat(80)}`, nested('(', ')', 600));
    for (const sql of deep) expect((await engine.restrict(shopRequest(sql))).reasons).toEqual([]);
  });

  test('ten thousand values are answered', async () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `value ${index}`);
    const rules = [ruleOf('tenant_id IN {{ values }}', { values })];
    const { sql, parameters, inlineSql } = await engine.restrict(
      shopRequest('SELECT * FROM orders', { rules }),
    );
    expect(sql).toContain('orders.tenant_id = ANY ($1)');
    expect(parameters).toEqual([values]);
    expect(inlineSql?.length).toBeGreaterThan(100_000);
    const list = `SELECT * FROM orders WHERE id IN (${values.map((_, index) => index).join(', ')})`;
    expect((await engine.restrict(shopRequest(list))).status).toBe('compiled');
  });

  test('a text of a megabyte is answered, and a longer one refused', async () => {
    const text = (length: number): string => `SELECT '${'x'.repeat(length)}' FROM orders`;
    expect((await engine.restrict(shopRequest(text(1_000_000)))).status).toBe('compiled');
    expect((await engine.restrict(shopRequest(text(1_100_000)))).reasons).toMatchObject([
      { code: 'TOO_LARGE' },
    ]);
    const words = `SELECT 1 WHERE ${'1 = 1 OR '.repeat(50_000)} true`;
    expect((await engine.restrict(shopRequest(words))).reasons).toMatchObject([{ code: 'TOO_LARGE' }]);
  });
});

describe('positions', () => {
  test.each([
    ["SELECT 'é\u{1F600}', pg_sleep(1)", 'pg_sleep'],
    ["SELECT 'é\u{1F600}' FROM nothing", 'nothing'],
    ["SELECT 'é\u{1F600}'; SELECT 2", '; SELECT 2'],
    ["SELECT 'é\u{1F600}' FROM 1", '1'],
    ["SELECT 'é\u{1F600}' FROM orders FOR UPDATE; TABLE x", 'TABLE x'],
  ])('%s', async (sql, at) => {
    const { reasons } = await engine.restrict(shopRequest(sql));
    expect(sql.slice(reasons[0]?.position ?? 0)).toMatch(new RegExp(`^[; ]*${at.replace(/^; /, '')}`));
  });
});
