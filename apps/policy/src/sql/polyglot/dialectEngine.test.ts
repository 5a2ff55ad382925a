import type { SqlDialect } from '@gatehouse/contract';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { restrictShop, rule, shopCatalog } from '../../testing/polyglot/shop.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { Budget } from '../logic/bounds.js';
import { PolyglotEngine } from './dialectEngine.js';

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

const CONDITIONS_ONLY = ['duckdb', 'snowflake', 'bigquery', 'mssql'] as const;
const ALL: readonly SqlDialect[] = ['mysql', 'sqlite', ...CONDITIONS_ONLY];
const restrict: typeof restrictShop extends (first: never, ...rest: infer R) => infer A
  ? (...rest: R) => A
  : never = (...rest) => restrictShop(engine, ...rest);
const codesOf = async (...args: Parameters<typeof restrict>): Promise<string[]> =>
  (await restrict(...args)).reasons.map(({ code }) => code);
/** The restricted form of `orders`, with literals. */
const FILTERED =
  '(SELECT * FROM `main`.`orders` AS `gatehouse_governed` WHERE `gatehouse_governed`.`tenant_id` = 1)';

describe('a restricted statement', () => {
  test('keeps its words and reads governed tables through their conditions', async () => {
    const { status, sql, inlineSql, parameters, conditions, trace } = await restrict(
      'select o.id, c.name from orders o left join countries c on c.id = o.id where o.id > 1 limit 5, 10;',
    );
    expect(status).toBe('compiled');
    expect(inlineSql).toBe(
      `SELECT \`o\`.\`id\`, \`c\`.\`name\` FROM ${FILTERED} AS \`o\` LEFT JOIN \`main\`.\`countries\` AS \`c\` ON \`c\`.\`id\` = \`o\`.\`id\` WHERE \`o\`.\`id\` > 1 LIMIT 10 OFFSET 5`,
    );
    expect(sql).toBe(inlineSql?.replace('`tenant_id` = 1', '`tenant_id` = ?'));
    expect(parameters).toEqual([1]);
    expect(conditions).toEqual([
      { table: 'orders', alias: 'o', schema: 'main', expression: '`o`.`tenant_id` = 1', rules: ['tenants'] },
    ]);
    expect(trace.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['orders', 'governed'],
      ['countries', 'free'],
    ]);
  });

  test('of an aliasless table goes by its bare name, quoted as it was', async () => {
    const { inlineSql } = await restrict('SELECT "orders".id FROM "orders"');
    expect(inlineSql).toBe(`SELECT \`orders\`.\`id\` FROM ${FILTERED} AS \`orders\``);
  });

  test.each(['mysql', 'sqlite'] as const)(
    'keeps a column name that is written as a string (%s)',
    async (dialect) => {
      const select = `SELECT id AS 'the id', COUNT(*) AS 'x\`, secret -- '`;
      const sql = `${select} FROM orders GROUP BY 1 ORDER BY 'the id'`;
      const { inlineSql } = await restrict(sql, { dialect });
      expect(inlineSql).toMatch(
        /^SELECT `id` AS `the id`, COUNT\(\*\) AS `x``, secret -- ` FROM \(SELECT \* /,
      );
      expect(inlineSql).toMatch(/ GROUP BY 1 ORDER BY 'the id'$/);
      const refused = [`SELECT id AS '' FROM orders`, `SELECT 1 FROM orders AS 'gatehouse_governed'`];
      for (const each of refused) expect((await restrict(each, { dialect })).sql).toBeNull();
      expect(await codesOf(`SELECT CAST(id AS 'CHAR') FROM orders`, { dialect })).toEqual(['FORBIDDEN_TYPE']);
    },
  );

  test('names a column of MySQL as Grafana does', async () => {
    const sql = 'SELECT UNIX_TIMESTAMP(region) DIV 300 * 300 AS "time", "text" FROM orders GROUP BY 1';
    const { inlineSql } = await restrict(sql, { dialect: 'mysql' });
    expect(inlineSql).toMatch(/^SELECT UNIX_TIMESTAMP\(`region`\) DIV 300 \* 300 AS `time`, 'text' FROM /);
  });

  test.each(['mysql', 'sqlite'] as const)(
    'ends at the first condition that is too much, and not after all were printed (%s)',
    async (dialect) => {
      const printed = vi.spyOn(Budget.prototype, 'spendPrinted');
      const long = Array.from({ length: 300 }, () => 'tenant_id = {{ x }}').join(' or ');
      const tables = Array.from({ length: 250 }, (_, index) => `orders as o${index}`);
      const from = tables.map((table) => `exists (select 1 from ${table})`).join(' and ');
      const rules = [rule(long, { x: 1 })];
      expect(await codesOf(`select 1 from countries where ${from}`, { dialect, rules })).toEqual([
        'TOO_LARGE',
      ]);
      // Once for each entry of the trace, and once for each condition.
      expect(printed.mock.calls.length).toBeGreaterThan(2);
      expect(printed.mock.calls.length).toBeLessThan(250);
      printed.mockRestore();
    },
  );

  test('gets each condition once, even if it is already restricted', async () => {
    const first = await restrict('SELECT * FROM orders');
    const second = await restrict('SELECT * FROM orders');
    expect(second).toEqual(first);
    expect(first.inlineSql?.split('tenant_id')).toHaveLength(2);
  });

  test('gets equal rules once, and all that differ in expression or value', async () => {
    const rules = [1, 2, 1].flatMap((tenant) => [
      rule('tenant_id = {{ tenant }}', { tenant }),
      rule("region = 'a'"),
    ]);
    const { conditions } = await restrict('SELECT * FROM orders', { rules });
    const [{ expression, rules: names } = { expression: '', rules: [] }] = conditions;
    expect(expression).toBe(
      "(`orders`.`tenant_id` = 1) AND (`orders`.`region` = 'a') AND (`orders`.`tenant_id` = 2)",
    );
    expect(names).toHaveLength(rules.length);
  });

  test('never uses a cached result of another tenant', async () => {
    const of = (tenant: number) =>
      restrict('SELECT * FROM orders', { rules: [rule('tenant_id = {{ tenant }}', { tenant })] });
    expect((await of(1)).inlineSql).toContain('= 1');
    expect((await of(2)).inlineSql).toContain('= 2');
    expect((await of(2)).parameters).toEqual([2]);
  });

  test('gets all rules of a table together', async () => {
    const rules = [rule("region = 'a' OR 1 = 1"), rule('tenant_id = 1')];
    const { inlineSql } = await restrict('SELECT * FROM orders', { rules });
    expect(inlineSql).toContain(
      "WHERE (`gatehouse_governed`.`region` = 'a' OR 1 = 1) AND (`gatehouse_governed`.`tenant_id` = 1)",
    );
  });

  test('is verified with many rules, which the parser nests in pairs', async () => {
    const rules = Array.from({ length: 40 }, (_, number) => rule(`id <> ${number} AND tenant_id = 1`));
    const sql = `SELECT * FROM orders WHERE ${Array.from({ length: 60 }, (_, number) => `id <> ${number}`).join(' OR ')}`;
    expect((await restrict(sql, { rules })).status).toBe('compiled');
  });

  test('reads a common table under a name that no table has', async () => {
    const { inlineSql } = await restrict(
      'WITH orders AS (SELECT id FROM orders) SELECT orders.id FROM orders',
    );
    expect(inlineSql).toBe(
      `WITH \`gatehouse_with_1\` AS (SELECT \`id\` FROM ${FILTERED} AS \`orders\`) SELECT \`orders\`.\`id\` FROM \`gatehouse_with_1\` AS \`orders\``,
    );
  });

  test('distinguishes tables of different schemas', async () => {
    const rules = [
      rule('tenant_id = 1', {}, { type: 'TABLE_LIST', tables: [{ table: 'orders', schema: 'main' }] }),
    ];
    expect((await restrict('SELECT * FROM other.orders', { rules })).conditions).toEqual([]);
    expect((await restrict('SELECT * FROM orders', { rules, pinnedSchema: 'other' })).inlineSql).toBe(
      'SELECT * FROM `other`.`orders` AS `orders`',
    );
  });

  test('keeps a row barrier within the condition', async () => {
    const { inlineSql } = await restrict('SELECT * FROM orders', { rowBarrier: true });
    expect(inlineSql).toContain('`tenant_id` = 1 LIMIT 9223372036854775807) AS `orders`');
  });

  test('reads LATERAL on MySQL', async () => {
    const sql = 'SELECT * FROM countries c, LATERAL (SELECT * FROM orders o WHERE o.id = c.id) l';
    const { inlineSql } = await restrict(sql, { dialect: 'mysql' });
    expect(inlineSql).toContain(`LATERAL (SELECT * FROM ${FILTERED.replace('main', 'shop')} AS \`o\``);
  });
});

describe('values', () => {
  const HOSTILE = [
    "O'Brien",
    "\\' OR 1=1 -- ",
    '\\',
    "'; DROP TABLE orders; --",
    '`"[',
    '{{ tenant }}',
    'a\nb',
    '?',
  ];

  test.each(HOSTILE)('the text %j is one literal on SQLite', async (text) => {
    const rules = [rule('region = {{ region }}', { region: text })];
    const { inlineSql, sql, parameters } = await restrict('SELECT id FROM orders', { rules });
    const database = new sqlite.Database();
    database.exec('CREATE TABLE orders (id, tenant_id, region)');
    database.run('INSERT INTO orders VALUES (1, 1, ?), (2, 1, ?)', [text, 'other']);
    expect(database.all(inlineSql ?? '')).toEqual([{ id: 1 }]);
    expect(database.all(sql ?? '', parameters as string[])).toEqual([{ id: 1 }]);
    database.close();
  });

  test.each(['mysql', 'sqlite'] as const)('half a character is no value of %s', async (dialect) => {
    const rules = [rule('region = {{ region }}', { region: 'a\ud800' })];
    for (const sql of ['SELECT id FROM orders', null]) {
      const entities = sql === null ? [{ table: 'orders' }] : [];
      const { status, reasons } = await restrict(sql, { rules, dialect, entities });
      expect([status, reasons.map(({ code }) => code)]).toEqual(['denied', ['UNFIT_VALUE']]);
    }
  });

  test("MySQL's backslashes and quotes are both doubled", async () => {
    const rules = [rule('region = {{ region }}', { region: "\\' OR 1=1 -- " })];
    const { inlineSql } = await restrict('SELECT id FROM orders', { rules, dialect: 'mysql' });
    expect(inlineSql).toContain("`region` = '\\\\'' OR 1=1 -- ' AND ");
  });

  test('a list is one parameter for each value, and one of them is a list of one', async () => {
    const rules = [rule('tenant_id IN {{ a }} AND region NOT IN ({{ b }})', { a: [1, -2.5], b: 'x' })];
    const { sql, inlineSql, parameters } = await restrict('SELECT 1 FROM orders', { rules });
    expect(sql).toContain(
      '`tenant_id` IN (?, ?) AND `gatehouse_governed`.`region` COLLATE `BINARY` NOT IN (?)',
    );
    expect(inlineSql).toContain(
      "`tenant_id` IN (1, -2.5) AND `gatehouse_governed`.`region` COLLATE `BINARY` NOT IN ('x')",
    );
    expect(parameters).toEqual([1, -2.5, 'x']);
  });

  test('a number or boolean compared with a text column does not match every row of MySQL', async () => {
    for (const dialect of ['mysql', 'sqlite'] as const) {
      for (const value of [0, false, [0, 1]]) {
        const rules = [rule(Array.isArray(value) ? 'region IN {{ r }}' : 'region = {{ r }}', { r: value })];
        const { status, reasons } = await restrict('SELECT id FROM orders', { rules, dialect });
        expect(status).toBe('denied');
        expect(reasons).toEqual([
          {
            code: 'UNFIT_VALUE',
            message: expect.stringMatching(
              /^the value of r is compared with an operand with the type VARCHAR\(100\): it must be a string/,
            ) as unknown,
            rule: 'tenants',
          },
        ]);
      }
    }
  });

  test('a value within an expression is checked against its type too', async () => {
    const refusedIn = async (expression: string, value: string | number): Promise<string[]> =>
      codesOf('SELECT id FROM orders', { rules: [rule(expression, { x: value })], dialect: 'mysql' });
    expect(await refusedIn('region = CASE WHEN id > 0 THEN {{ x }} END', 0)).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn("COALESCE({{ x }}, '') = region", 0)).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn("{{ x }} = 'admin'", 0)).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn('{{ x }} OR id = 1', 'yes')).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn('id + {{ x }} = 2', '1abc')).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn('tenant_id = COALESCE({{ x }}, 1)', '1abc')).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn('(id, region) = (1, {{ x }})', 'north')).toEqual(['UNFIT_VALUE']);
    expect(await refusedIn('LOWER(region) = LOWER({{ x }})', 'North')).toEqual([]);
    expect(await refusedIn("{{ x }} = 'admin'", 'admin')).toEqual([]);
  });

  test('a CASE compares a text with its value exactly on SQLite', async () => {
    const database = new sqlite.Database();
    database.exec('CREATE TABLE orders (id INTEGER, tenant_id INTEGER, region TEXT COLLATE NOCASE)');
    database.exec("INSERT INTO orders VALUES (1, 1, 'north'), (2, 1, 'NORTH')");
    for (const expression of [
      'CASE region WHEN {{ r }} THEN 1 ELSE 0 END = 1',
      'CASE {{ r }} WHEN region THEN 1 ELSE 0 END = 1',
    ]) {
      const rules = [rule(expression, { r: 'north' })];
      const { inlineSql, sql, parameters } = await restrict('SELECT id FROM orders', { rules });
      expect(database.all(inlineSql ?? '')).toEqual([{ id: 1 }]);
      expect(database.all(sql ?? '', parameters as string[])).toEqual([{ id: 1 }]);
    }
    database.close();
  });

  test('a value that is the condition of a query in a rule is true or false', async () => {
    const places = [
      'EXISTS (SELECT 1 FROM countries c WHERE {{ x }})',
      'EXISTS (SELECT 1 FROM countries c JOIN items i ON ({{ x }}))',
      'EXISTS (SELECT 1 FROM countries c JOIN (items i JOIN items j ON {{ x }}) ON 1 = 1)',
      'EXISTS (SELECT 1 FROM (SELECT id FROM countries WHERE {{ x }}) AS d)',
    ];
    const codesFor = (expression: string, x: string | number | boolean) =>
      codesOf('SELECT id FROM orders', { rules: [rule(expression, { x })] });
    for (const place of places) {
      for (const x of ['yes', '1abc', 5]) expect(await codesFor(place, x)).toEqual(['UNFIT_VALUE']);
      for (const x of [true, false]) expect(await codesFor(place, x)).toEqual([]);
    }
  });

  test('digits are passed as an exact number', async () => {
    const rules = [rule('tenant_id = {{ x }}', { x: '9007199254740993' })];
    const { sql, parameters } = await restrict('SELECT id FROM orders', { rules, dialect: 'mysql' });
    expect([sql, parameters]).toEqual([expect.stringContaining('`tenant_id` = 9007199254740993'), []]);
  });

  test('the condition of a policy test omits the exactness additions', async () => {
    const expression = "`orders`.`region` = 'north'";
    for (const dialect of ['mysql', 'sqlite'] as const) {
      const rules = [rule('region = {{ r }}', { r: 'north' })];
      const { conditions } = await restrict('SELECT id FROM orders', { rules, dialect });
      const [condition] = conditions;
      expect(condition?.expression).not.toBe(expression);
      expect(await engine.printExpression(condition?.expression ?? '', {}, dialect)).toBe(expression);
    }
  });

  test('IN an empty list is false, and NOT IN is true', async () => {
    const rules = [rule('tenant_id IN {{ a }} OR tenant_id NOT IN {{ a }}', { a: [] })];
    const { sql, parameters } = await restrict('SELECT 1 FROM orders', { rules });
    expect(sql).toContain('WHERE (1 = 0) OR (1 = 1)');
    expect(parameters).toEqual([]);
  });

  test('ten thousand values in a list are compiled', async () => {
    const a = Array.from({ length: 10_000 }, (_, index) => `value ${index}`);
    const { status, parameters } = await restrict('SELECT 1 FROM orders', {
      rules: [rule('region IN {{ a }}', { a })],
    });
    expect(status).toBe('compiled');
    expect(parameters).toEqual(a);
  });

  test('a list in place of a single value denies', async () => {
    const rules = [rule('tenant_id = {{ a }}', { a: [1] })];
    expect(await codesOf('SELECT 1 FROM orders', { rules })).toEqual(['UNFIT_VALUE']);
  });

  test('a missing value denies only the tables of its rule', async () => {
    const rules = [rule('tenant_id = {{ a }}')];
    expect(await codesOf('SELECT 1 FROM orders', { rules })).toEqual(['MISSING_VALUE']);
    expect((await restrict('SELECT 1 FROM countries', { rules })).status).toBe('compiled');
  });
});

describe('anything uncertain is denied', () => {
  test('an unlisted table', async () => {
    expect(await codesOf('SELECT * FROM elsewhere')).toEqual(['UNKNOWN_TABLE']);
    expect(await codesOf('SELECT * FROM orders', { catalog: null })).toEqual(['UNKNOWN_TABLE']);
  });

  test('a table of a schema that is not allowed', async () => {
    expect(await codesOf('SELECT * FROM countries', { allowedSchemas: ['other'] })).toEqual([
      'SCHEMA_NOT_ALLOWED',
    ]);
  });

  test.each([
    ['a column that the table lacks', 'no_such_column = 1'],
    ['a column that only a table of the statement has', 'order_id = 1'],
    ['a table that the catalog does not list', 'EXISTS (SELECT 1 FROM elsewhere)'],
    ['a column that no table of its query has', 'EXISTS (SELECT 1 FROM countries c WHERE c.tenant_id = 1)'],
    ['no condition', '1'],
  ])('a rule with %s', async (_, expression) => {
    const listed = rule(expression, {}, { type: 'TABLE_LIST', tables: [{ table: 'orders' }] });
    expect(await codesOf('SELECT * FROM items JOIN orders ON 1 = 1', { rules: [listed] })).toEqual([
      'RULE_NOT_COMPILED',
    ]);
  });

  test("a rule's query names its tables with their schemas and its own table by name", async () => {
    const rules = [rule('EXISTS (SELECT 1 FROM countries c WHERE c.id = tenant_id)')];
    const { inlineSql, conditions } = await restrict(
      'WITH countries AS (SELECT 1 AS id) SELECT * FROM orders o, countries',
      { rules },
    );
    expect(inlineSql).toContain(
      'EXISTS (SELECT 1 FROM `main`.`countries` AS `gatehouse_rule_1` ' +
        'WHERE `gatehouse_rule_1`.`id` = `gatehouse_governed`.`tenant_id`)',
    );
    expect(conditions[0]?.expression).toContain('`gatehouse_rule_1`.`id` = `o`.`tenant_id`');
  });
});

describe('tables without a statement', () => {
  test('return their conditions', async () => {
    const entities = [{ table: 'ORDERS', alias: 'o' }, { table: 'countries' }];
    expect(await restrict(null, { entities })).toMatchObject({
      status: 'conditions_only',
      sql: null,
      conditions: [{ table: 'orders', alias: 'o', schema: 'main', expression: '`o`.`tenant_id` = 1' }],
    });
    expect(await codesOf(null, { entities: [{ table: 'elsewhere' }] })).toEqual(['UNKNOWN_TABLE']);
  });

  test('may not have an alias that a table of the rule has in the condition', async () => {
    const own = rule(
      'EXISTS (SELECT 1 FROM items i WHERE i.tenant_id = orders.tenant_id)',
      {},
      {
        type: 'TABLE_LIST',
        tables: [{ table: 'orders' }],
      },
    );
    const entities = [{ table: 'orders', alias: 'Gatehouse_rule_1' }];
    for (const dialect of ALL) {
      const catalog = shopCatalog('main');
      const codes = await codesOf(null, { entities, dialect, catalog, rules: [own] });
      expect(codes).toEqual(['FORBIDDEN_CONSTRUCT']);
    }
  });
});

describe('the dialects without a rewriter', () => {
  test('a value with letters outside ASCII has the prefix of SQL Server', async () => {
    for (const region of ['größe', 'a\u3000b', '😀', 'a\u2003']) {
      const rules = [rule("region = {{ region }} OR region = N'Åse''s'", { region })];
      const { status, conditions } = await restrict("SELECT id, N'x' FROM orders", {
        dialect: 'mssql',
        catalog: shopCatalog('dbo'),
        rules,
      });
      expect([status, conditions[0]?.expression]).toEqual([
        'conditions_only',
        `[orders].[region] = N'${region}' OR [orders].[region] = N'Åse''s'`,
      ]);
    }
    expect(await codesOf("SELECT N'x'", { dialect: 'sqlite' })).toEqual(['FORBIDDEN_CONSTRUCT']);
  });

  const EXPRESSIONS: Record<(typeof CONDITIONS_ONLY)[number], string> = {
    duckdb: `"orders"."region" = 'it''s \\n'`,
    snowflake: `"orders"."region" = 'it''s \\\\n'`,
    bigquery: "`orders`.`region` = 'it\\'s \\\\n'",
    mssql: `[orders].[region] = 'it''s \\n'`,
  };

  test.each(CONDITIONS_ONLY)('%s returns conditions and no statement', async (dialect) => {
    const changes = {
      dialect,
      catalog: shopCatalog('main'),
      rules: [rule('region = {{ t }}', { t: "it's \\n" })],
    };
    const answer = await restrict('SELECT * FROM orders', changes);
    expect(answer).toMatchObject({ status: 'conditions_only', sql: null, inlineSql: null, parameters: [] });
    expect(answer.conditions.map(({ expression }) => expression)).toEqual([EXPRESSIONS[dialect]]);
    const ofTables = await restrict(null, { ...changes, entities: [{ table: 'orders' }] });
    expect(ofTables).toMatchObject({ status: 'conditions_only', conditions: answer.conditions });
  });
});

test('a value that looks like a placeholder is a value in every dialect', async () => {
  for (const dialect of ALL) {
    const rules = [rule('region = {{ region }}', { region: '{{ region }}' })];
    const { conditions } = await restrict('SELECT * FROM orders', { dialect, rules });
    expect(conditions.map(({ expression }) => expression)).toEqual([
      expect.stringContaining("= '{{ region }}'"),
    ]);
  }
});

describe('an expression', () => {
  const GOOD = [
    'tenant_id = {{ t }}',
    'tenant_id IN {{ ts }}',
    'tenant_id NOT IN ({{ ts }})',
    "region LIKE 'a%' ESCAPE '!' OR NOT (region IS NULL)",
    'id BETWEEN 1 AND {{ n }} AND COALESCE(region, {{ r }}) <> UPPER(region)',
    'EXISTS (SELECT 1 FROM teams WHERE teams.id = tenant_id)',
    'CASE WHEN id > 1 THEN 1 = 1 ELSE 1 = 0 END',
    'is_public',
  ];
  const BAD = [
    '',
    '1',
    "'x'",
    '{{ t }}',
    'id + 1',
    'tenant_id = 1; DROP TABLE orders',
    'tenant_id = 1 -- a comment',
    'tenant_id = /* a comment */ 1',
    "tenant_id = '{{ t }}'",
    'tenant_id = ?',
    'tenant_id = {{ t',
    '{{ t }} {{ t }} = 1',
    'tenant_id = 1, id = 2',
    'tenant_id = 1 FROM orders',
    'tenant_id = 1) OR (1 = 1',
    'tenant_id = 1 UNION SELECT 1',
    'SELECT 1',
    'COUNT(*) > 1',
    'MAX(id) = 1',
    'ROW_NUMBER() OVER (ORDER BY id) = 1',
    'sleep(1) = 0',
    "load_file('x') = 1",
    'id IN (SELECT 1 UNION SELECT 2)',
    'id IN (WITH a AS (SELECT 1) SELECT * FROM a)',
    'id = (SELECT COUNT(*) FROM orders)',
    'id IN orders',
    'id = 1 AS x',
    '*',
  ];

  test.each(ALL.flatMap((dialect) => GOOD.map((good) => [dialect, good] as const)))(
    'of %s may be %s',
    async (dialect, good) => {
      expect(await engine.checkExpression(good, dialect)).toBeNull();
    },
  );

  test.each(ALL.flatMap((dialect) => BAD.map((bad) => [dialect, bad] as const)))(
    'of %s may not be %j',
    async (dialect, bad) => {
      expect(await engine.checkExpression(bad, dialect)).toMatchObject({
        message: expect.stringMatching(/./),
      });
    },
  );

  test.each(["region IS 'north'", 'id IS NOT 1', 'region IS DISTINCT FROM {{ t }}', 'id IS `UNKNOWN`'])(
    'that MySQL does not parse is rejected there: %s',
    async (expression) => {
      expect(await engine.checkExpression(expression, 'mysql')).toMatchObject({
        message: 'MySQL takes NULL, TRUE, FALSE or UNKNOWN after IS',
      });
      expect(await engine.checkExpression(expression, 'sqlite')).toBeNull();
    },
  );

  test('that is rejected reports its position', async () => {
    expect(await engine.checkExpression('{{ t }} = 1 AND id = ~5', 'mysql')).toEqual({
      message: 'the character "~" is not allowed',
      position: 21,
    });
  });

  test('is printed with its values, and not without one', async () => {
    const print = (values: Record<string, string | number[]>, dialect: SqlDialect) =>
      engine.printExpression('region = {{ r }} AND id IN {{ ids }}', values, dialect);
    expect(await print({ r: "a'b\\", ids: [1, 2] }, 'mysql')).toBe(
      "`region` = 'a''b\\\\' AND `id` IN (1, 2)",
    );
    expect(await print({ r: "a'b\\", ids: [1, 2] }, 'mssql')).toBe("[region] = 'a''b\\' AND [id] IN (1, 2)");
    expect(await print({ r: 'größe', ids: [1] }, 'mssql')).toContain("N'größe'");
    expect(await print({ r: 'x' }, 'mysql')).toBeNull();
    expect(await engine.printExpression('region = {{ r }}', { r: ['x'] }, 'mysql')).toBeNull();
    expect(await engine.printExpression('not an expression', {}, 'mysql')).toBeNull();
  });

  test('is understood without its dialect', async () => {
    const sql =
      "a = 1 AND (5 < b OR NOT c IN ('x', {{ p }})) AND d IS NOT NULL AND e BETWEEN -1 AND 2 AND f = g";
    expect(await engine.analyzeExpression(sql.replace('NOT c IN', 'c NOT IN'), 'sqlite')).toEqual({
      kind: 'and',
      parts: [
        { kind: 'compare', column: 'a', operator: '=', value: { literal: 1 } },
        {
          kind: 'or',
          parts: [
            { kind: 'compare', column: 'b', operator: '>', value: { literal: 5 } },
            { kind: 'in', column: 'c', values: [{ literal: 'x' }, { placeholder: 'p' }], isNegated: true },
          ],
        },
        { kind: 'isNull', column: 'd', isNegated: true },
        {
          kind: 'and',
          parts: [
            { kind: 'compare', column: 'e', operator: '>=', value: { literal: -1 } },
            { kind: 'compare', column: 'e', operator: '<=', value: { literal: 2 } },
          ],
        },
        { kind: 'other', columns: ['f', 'g'] },
      ],
    });
    expect(await engine.analyzeExpression('a =', 'sqlite')).toBeNull();
    expect(await engine.analyzeExpression('a = 1 OR b = 2 AND c = 3', 'mysql')).toMatchObject({
      kind: 'or',
      parts: [{ column: 'a' }, { kind: 'and' }],
    });
  });
});
