import { beforeAll, describe, expect, test } from 'vitest';
import type { SqlEngine } from '../logic/restriction.js';
import { createPostgres } from '../compiler/localEngines.js';
import { OWN_TENANT, ruleOf, shopRequest } from '../../testing/restrictions.js';

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

describe('known failures of similar systems do not occur', () => {
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
      { alias: null, expression: "orders.tenant_id = 't1'" },
      { alias: 'c', expression: "c.tenant_id = 't1'" },
    ]);
  });

  test.each([
    'EXISTS (SELECT 1 FROM lookup NATURAL JOIN customers WHERE lookup.code = tenant_id)',
    'EXISTS (SELECT 1 FROM lookup JOIN customers c ON true JOIN customers d ON true WHERE name = code)',
    'EXISTS (SELECT 1 FROM lookup, (SELECT name AS n FROM customers) WHERE n = code)',
  ])('a bare column of several tables may be taken for one around the rule: %s', async (expression) => {
    const { status, reasons } = await engine.restrict(
      shopRequest('SELECT * FROM orders', { rules: [ruleOf(expression)] }),
    );
    expect([status, reasons[0]?.code]).toEqual(['denied', 'RULE_NOT_COMPILED']);
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
  test('numbers parameters independently in each statement', async () => {
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

  test('a column of the governed table stays bound to it inside a subquery', async () => {
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup WHERE code = tenant_id)')).toContain(
      'WHERE EXISTS (SELECT 1 FROM public.lookup WHERE lookup.code = orders.tenant_id)',
    );
  });

  test('a subquery with the name of the governed table does not capture its columns', async () => {
    expect(await conditionOf('EXISTS (SELECT 1 FROM lookup orders WHERE orders.code = tenant_id)')).toContain(
      'FROM public.orders AS governed WHERE EXISTS (SELECT 1 FROM public.lookup AS orders WHERE orders.code = governed.tenant_id)',
    );
  });

  test('a governed table inside a rule is not restricted', async () => {
    const rules = [OWN_TENANT, ruleOf('id IN (SELECT c.id FROM customers c)')];
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect(inlineSql).toContain('(orders.id IN (SELECT c.id FROM public.customers AS c))');
  });

  test('a rule with a column that its table lacks denies the table', async () => {
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

  test('a rule may name the table that it governs', async () => {
    expect(await conditionOf('orders.id = 1 AND public.orders.amount > 0')).toContain(
      'WHERE (orders.id = 1) AND (orders.amount > 0)',
    );
    expect(await conditionOf('customers.id = 1')).toEqual(['RULE_NOT_COMPILED']);
  });

  test('a missing value denies only if the rule covers a table that is read', async () => {
    const rules = [{ ...ruleOf('tenant_id = {{ t }}'), missing: ['t'] }];
    const { status, reasons } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect({ status, reasons }).toMatchObject({ status: 'denied', reasons: [{ code: 'MISSING_VALUE' }] });
    expect((await engine.restrict(shopRequest('SELECT * FROM lookup', { rules }))).status).toBe('compiled');
  });
});

describe('schemas', () => {
  test('an unqualified table is in the pinned schema and printed with it', async () => {
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

  test('the reasons do not reveal which tables and columns a forbidden schema has', async () => {
    for (const sql of [
      'SELECT * FROM sales.orders o',
      'SELECT * FROM sales.absent o',
      'SELECT * FROM absent.orders o',
      'SELECT o.region FROM sales.orders o',
      'SELECT o.absent FROM sales.orders o',
      'SELECT o.absent FROM sales.absent o',
    ]) {
      const { reasons } = await engine.restrict(shopRequest(sql, { allowedSchemas: ['public'] }));
      expect({ sql, codes: reasons.map(({ code }) => code) }).toEqual({ sql, codes: ['SCHEMA_NOT_ALLOWED'] });
    }
  });

  test('without a catalog denies every table, but only of a governed connection', async () => {
    const none = { catalog: null };
    expect((await engine.restrict(shopRequest('SELECT * FROM x', none))).status).toBe('denied');
    const listed = ruleOf('true', {}, { type: 'TABLE_LIST', tables: [{ table: 'orders' }] });
    const free = { ...none, rules: [], isGoverned: false };
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM x', free));
    expect(inlineSql).toBe('SELECT * FROM (SELECT * FROM public.x) AS x');
    for (const sql of ['SELECT * FROM Orders', 'SELECT * FROM x']) {
      expect((await engine.restrict(shopRequest(sql, { ...none, rules: [listed] }))).status).toBe('denied');
    }
  });

  test('a table of another database is governed, and keeps its database', async () => {
    const columns = [{ name: 'tenant_id', type: '' }];
    const schemas = [{ name: 'public', tables: [{ name: 'things', kind: 'table' as const, columns }] }];
    const catalog = { defaultDatabase: 'one', databases: ['one', 'two'].map((name) => ({ name, schemas })) };
    const { inlineSql } = await engine.restrict(shopRequest('SELECT * FROM two.public.things', { catalog }));
    expect(inlineSql).toBe(`SELECT * FROM (SELECT * FROM two.public.things WHERE things.${OWN}) AS things`);
  });

  test('the row barrier is in every subquery', async () => {
    const { sql } = await engine.restrict(
      shopRequest('SELECT * FROM orders, customers', { rowBarrier: true }),
    );
    expect(sql?.match(/OFFSET 0\) AS/g)).toHaveLength(2);
  });
});

describe('entities without a statement', () => {
  test('return their conditions under their aliases', async () => {
    const entities = [
      { table: 'Orders', alias: 'o' },
      { table: 'lookup' },
      { table: 'Odd Name', schema: 'public' },
    ];
    const answer = await engine.restrict(shopRequest(null, { entities }));
    expect(answer).toMatchObject({ status: 'conditions_only', sql: null, inlineSql: null, reasons: [] });
    expect(answer.conditions.map(({ table, alias, expression }) => ({ table, alias, expression }))).toEqual([
      { table: 'orders', alias: 'o', expression: "o.tenant_id = 't1'" },
      { table: 'Odd Name', alias: null, expression: `"Odd Name".tenant_id = 't1'` },
    ]);
  });

  test('are denied if a subquery of a rule hides the name of the table', async () => {
    const rules = [ruleOf('EXISTS (SELECT 1 FROM lookup l WHERE l.code = tenant_id)')];
    const codesOf = async (entity: { table: string; alias?: string }) => {
      const { conditions, reasons } = await engine.restrict(shopRequest(null, { rules, entities: [entity] }));
      return [...conditions, ...reasons].map((each) => ('code' in each ? each.code : each.expression));
    };
    expect(await codesOf({ table: 'orders', alias: 'l' })).toEqual(['RULE_NOT_COMPILED']);
    expect(await codesOf({ table: 'orders', alias: 'o' })).toEqual([
      'EXISTS (SELECT 1 FROM public.lookup AS l WHERE l.code = o.tenant_id)',
    ]);
  });

  test('are denied like a statement', async () => {
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

  test('accepts the maximum nesting', async () => {
    const deep = [
      nested('(SELECT ', ')', 80),
      `SELECT 1${' + 1'.repeat(600)}`,
      `SELECT ${'NOT '.repeat(300)}true`,
    ];
    deep.push(`SELECT 1${' UNION SELECT 1'.repeat(80)}`, nested('(', ')', 600));
    for (const sql of deep) expect((await engine.restrict(shopRequest(sql))).reasons).toEqual([]);
  });

  test('accepts ten thousand values', async () => {
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

  test('accepts a text of one megabyte and refuses a longer one', async () => {
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
