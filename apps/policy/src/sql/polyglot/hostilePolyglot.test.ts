import sqlite from 'node-sqlite3-wasm';
import { afterAll, describe, expect, test } from 'vitest';
import { restrictShop } from '../../testing/polyglot/shop.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
const database = new sqlite.Database();
database.exec(`
  CREATE TABLE orders (id, tenant_id, region, secret);
  CREATE TABLE items (id, order_id, tenant_id, secret);
  CREATE TABLE countries (id, name);
  INSERT INTO orders VALUES (1, 1, 'north', 'mine'), (2, 2, 'south', 'theirs'), (3, NULL, NULL, 'theirs');
  INSERT INTO items VALUES (1, 1, 1, 'mine'), (2, 2, 2, 'theirs'), (3, 1, 2, 'theirs');
  INSERT INTO countries VALUES (1, 'Norway'), (2, 'Chile');
`);
afterAll(async () => {
  database.close();
  await parser.close();
});

/** SQLite statements that try to read rows of other tenants. They are refused, or read none. */
const ATTEMPTS = [
  // A path that bypasses the restriction.
  'SELECT secret FROM orders',
  'SELECT secret FROM orders WHERE 1 = 1 OR tenant_id = 2',
  'SELECT secret FROM orders WHERE NOT (tenant_id = 1)',
  'SELECT (SELECT group_concat(secret) FROM orders)',
  'SELECT (SELECT MAX(secret) FROM items WHERE tenant_id = 2) FROM countries',
  'SELECT name FROM countries WHERE EXISTS (SELECT 1 FROM orders WHERE tenant_id = 2)',
  "SELECT name FROM countries WHERE 'theirs' IN (SELECT secret FROM orders)",
  'SELECT name FROM countries ORDER BY (SELECT secret FROM orders WHERE tenant_id = 2)',
  'SELECT name, (SELECT secret FROM items LIMIT 1 OFFSET 1) FROM countries',
  'SELECT COUNT(*) FROM countries GROUP BY id HAVING (SELECT MAX(tenant_id) FROM orders) > 1',
  'SELECT SUM(id) OVER (ORDER BY (SELECT MAX(secret) FROM orders)) FROM countries',
  'SELECT CASE WHEN 1 = 1 THEN (SELECT MAX(secret) FROM orders) END AS leaked',
  'SELECT * FROM countries c LEFT JOIN orders o ON 1 = 1',
  'SELECT * FROM orders o LEFT JOIN items i ON i.order_id = o.id',
  'SELECT * FROM items i JOIN orders o ON o.id = i.order_id OR 1 = 1',
  'SELECT * FROM countries NATURAL JOIN orders',
  'SELECT * FROM orders JOIN items USING (id)',
  'SELECT * FROM countries, orders',
  'SELECT * FROM (orders)',
  'SELECT * FROM (countries CROSS JOIN orders)',
  'SELECT * FROM ((orders) AS a)',
  'SELECT * FROM orders, items, orders AS other',
  'SELECT secret FROM orders UNION SELECT secret FROM items',
  'SELECT secret FROM orders UNION ALL SELECT secret FROM orders EXCEPT SELECT secret FROM items WHERE 1 = 0',
  'SELECT secret FROM countries, (SELECT * FROM orders) AS countries2',
  // Names.
  'SELECT secret FROM ORDERS',
  'SELECT secret FROM "orders"',
  'SELECT secret FROM [orders]',
  'SELECT secret FROM `orders`',
  'SELECT secret FROM main.orders',
  'SELECT secret FROM "main"."orders"',
  'SELECT secret FROM MAIN.Orders AS countries',
  'SELECT orders.secret FROM orders AS items, items AS orders',
  'SELECT main.orders.secret FROM orders',
  'SELECT "secret" FROM orders AS "orders where 1 = 1) --"',
  'SELECT secret FROM orders AS "a`, `b"',
  'SELECT * FROM orders AS "x"" UNION SELECT * FROM orders --"',
  'SELECT secret AS "`, (SELECT secret FROM orders) AS `" FROM orders',
  'SELECT "no such column" FROM orders',
  'SELECT rowid, secret FROM orders WHERE rowid = 2',
  'SELECT oid, _rowid_ FROM orders',
  // Common tables.
  'WITH orders AS (SELECT * FROM orders) SELECT secret FROM orders',
  'WITH orders AS (SELECT 1 AS secret) SELECT secret FROM main.orders',
  'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1) SELECT secret FROM a',
  'WITH RECURSIVE a AS (SELECT * FROM orders), orders AS (SELECT 1) SELECT * FROM a',
  'WITH orders AS (SELECT 1 AS secret) SELECT secret FROM (WITH orders AS (SELECT * FROM orders) SELECT * FROM orders)',
  'WITH RECURSIVE r AS (SELECT id, secret FROM orders UNION SELECT o.id, o.secret FROM orders o JOIN r ON 1 = 1) SELECT * FROM r',
  'SELECT * FROM (WITH orders AS (SELECT 1 AS secret) SELECT * FROM orders) AS a, orders',
  'WITH x AS (SELECT 1) SELECT (WITH x AS (SELECT secret FROM orders) SELECT MAX(secret) FROM x) FROM x',
  'WITH a AS (SELECT 1), a AS (SELECT * FROM orders) SELECT * FROM a',
  // Statements other than SELECT, and several statements.
  'SELECT 1; SELECT secret FROM orders',
  'SELECT secret FROM orders; --',
  ';',
  '',
  'TABLE orders',
  'VALUES (1)',
  'SELECT * FROM (TABLE orders)',
  "SELECT 1 WHERE 'theirs' IN orders",
  'SELECT 1 WHERE 2 IN main.orders',
  'INSERT INTO countries SELECT id, secret FROM orders',
  'CREATE TABLE copied AS SELECT * FROM orders',
  'EXPLAIN SELECT * FROM orders',
  'PRAGMA table_info(orders)',
  "ATTACH ':memory:' AS other",
  'WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d',
  // SQLite's system tables.
  'SELECT sql FROM sqlite_master',
  'SELECT sql FROM main.sqlite_schema',
  'SELECT * FROM temp.sqlite_master',
  'SELECT * FROM "sqlite_master"',
  'SELECT * FROM SQLITE_SEQUENCE',
  "SELECT * FROM pragma_table_info('orders')",
  'SELECT * FROM pragma_function_list',
  'SELECT * FROM dbstat',
  "SELECT * FROM json_each('[1]')",
  // Functions.
  "SELECT load_extension('x')",
  "SELECT readfile('/etc/passwd')",
  "SELECT writefile('x', secret) FROM orders",
  "SELECT fts3_tokenizer('x')",
  'SELECT zeroblob(10)',
  'SELECT sqlite_version()',
  "SELECT edit('x')",
  'SELECT main.upper(1)',
  'SELECT "upper"(1)',
  'SELECT unknown_function(secret) FROM orders',
  // Words unknown to the engine.
  'SELECT * FROM orders INDEXED BY something',
  'SELECT * FROM orders NOT INDEXED',
  'SELECT secret FROM orders WHERE secret MATCH 1',
  "SELECT * FROM orders('x')",
  'SELECT ?',
  'SELECT :a, @b, $c',
  'SELECT #1',
  "SELECT x'41' FROM orders",
  'SELECT 0x10 FROM orders',
  "SELECT 'a' 'b' FROM orders",
  'SELECT "a" "b" "c" FROM orders',
  'SELECT 1 /* /* nested */ FROM orders */',
  'SELECT 1 /*! , secret */ FROM orders',
  "SELECT 'unended FROM orders",
  'SELECT 1 FROM orders /* unended',
  'SELECT U&"orders" FROM orders',
  "SELECT 1 FROM orders WHERE secret = '\\' OR 1 = 1 -- '",
  'SELECT\u00a0secret FROM orders',
  'SELECT secret FROM orders\u200b',
  'SELECT secret FROM \uff4frders',
  'SELECT \0 secret FROM orders',
  'SELECT \ud800 FROM orders',
  'SELECT {{ tenant }} FROM orders',
] as const;

// A column without an alias has the name of its text, which differs.
const valuesOf = (rows: unknown[]): unknown[][] => rows.map((row) => Object.values(row ?? {}));
const readsTheirs = (rows: unknown[]): boolean => /theirs/.test(JSON.stringify(rows));

/** The rows of a statement; null if SQLite rejects it. */
function tryAll(sql: string, values: number[] = []): unknown[] | null {
  try {
    return database.all(sql, values);
  } catch {
    return null;
  }
}

/** The result of a statement: the reason of its refusal, or the rows of its two forms. */
async function attempt(sql: string) {
  const restricted = await restrictShop(engine, sql);
  if (restricted.sql === null || restricted.inlineSql === null) {
    return { refused: restricted.reasons.map(({ code }) => code), inline: [], parameterized: [] };
  }
  return {
    refused: ['nothing'],
    inline: valuesOf(tryAll(restricted.inlineSql) ?? []),
    parameterized: valuesOf(tryAll(restricted.sql, restricted.parameters as number[]) ?? []),
  };
}

describe('on SQLite none of these reads a row of another tenant', () => {
  test.each(ATTEMPTS)('%j', async (sql) => {
    const { refused, inline, parameterized } = await attempt(sql);
    expect(refused).not.toEqual([]);
    expect(refused).not.toContain('NOT_VERIFIED');
    expect(inline).not.toSatisfy(readsTheirs);
    expect(parameterized).toEqual(inline);
  });
});

test('the same statements read them without a restriction', () => {
  const leaks = ATTEMPTS.filter((sql) => readsTheirs(tryAll(sql) ?? []));
  expect(leaks.length).toBeGreaterThan(25);
});

/** MySQL statements with the reason of their refusal. */
const REFUSED: [sql: string, code: string][] = [
  ['SELECT /*! secret, */ 1 FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT /*!50000 secret, */ 1 FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT /*M! secret, */ 1 FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ["SELECT * FROM orders WHERE region = '\\' OR 1 = 1 -- \n", 'SYNTAX_ERROR'],
  ['SELECT 1--1 FROM orders', 'SYNTAX_ERROR'],
  ["SELECT LOAD_FILE('/etc/passwd')", 'FORBIDDEN_FUNCTION'],
  ['SELECT SLEEP(10)', 'FORBIDDEN_FUNCTION'],
  ['SELECT BENCHMARK(1000000000, 1)', 'FORBIDDEN_FUNCTION'],
  ["SELECT GET_LOCK('a', 10)", 'FORBIDDEN_FUNCTION'],
  ['SELECT USER(), VERSION()', 'FORBIDDEN_FUNCTION'],
  ['SELECT DATABASE()', 'FORBIDDEN_FUNCTION'],
  ["SELECT EXTRACTVALUE('<a/>', '//a')", 'FORBIDDEN_FUNCTION'],
  ['SELECT shop.steal()', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT @secret', 'PARAMETER_IN_STATEMENT'],
  ['SELECT @@version', 'PARAMETER_IN_STATEMENT'],
  ['SELECT @x := 1', 'PARAMETER_IN_STATEMENT'],
  ['SELECT ? FROM orders', 'PARAMETER_IN_STATEMENT'],
  ["SELECT * FROM orders INTO OUTFILE '/tmp/x'", 'FORBIDDEN_CONSTRUCT'],
  ["SELECT * INTO DUMPFILE '/tmp/x' FROM orders", 'FORBIDDEN_CONSTRUCT'],
  ['SELECT 1 INTO @x', 'PARAMETER_IN_STATEMENT'],
  ['SELECT * FROM orders FOR UPDATE', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders FOR SHARE', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders LOCK IN SHARE MODE', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders PROCEDURE ANALYSE()', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders USE INDEX (a)', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders FORCE INDEX (a)', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM orders PARTITION (p0)', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT region, COUNT(*) FROM orders GROUP BY ROLLUP (region)', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT SQL_NO_CACHE * FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT STRAIGHT_JOIN * FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['TABLE orders', 'FORBIDDEN_CONSTRUCT'],
  ['HANDLER orders OPEN', 'SYNTAX_ERROR'],
  ['SHOW TABLES', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT * FROM mysql.user', 'SYSTEM_CATALOG'],
  ['SELECT * FROM MYSQL.user', 'SYSTEM_CATALOG'],
  ['SELECT * FROM information_schema.tables', 'SYSTEM_CATALOG'],
  ['SELECT * FROM performance_schema.threads', 'SYSTEM_CATALOG'],
  ['SELECT * FROM sys.processlist', 'SYSTEM_CATALOG'],
  ['SELECT * FROM elsewhere', 'UNKNOWN_TABLE'],
  ['SELECT * FROM def.shop.orders', 'UNKNOWN_TABLE'],
  ['WITH Orders AS (SELECT 1) SELECT * FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT MATCH (region) AGAINST (1) FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT a || b FROM orders', 'FORBIDDEN_OPERATOR'],
  ['SELECT a && b FROM orders', 'FORBIDDEN_OPERATOR'],
  ['SELECT !a FROM orders', 'FORBIDDEN_OPERATOR'],
  ["SELECT _utf8mb4'x' FROM orders", 'FORBIDDEN_CONSTRUCT'],
  ["SELECT N'x', X'41', b'1'", 'FORBIDDEN_CONSTRUCT'],
  ["SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$')) t", 'SYNTAX_ERROR'],
  ['SELECT {d "2024-01-01"}', 'FORBIDDEN_OPERATOR'],
  ['SELECT CONVERT(secret USING ucs2) FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT CAST(secret AS elsewhere) FROM orders', 'FORBIDDEN_TYPE'],
  ['DELETE FROM orders', 'FORBIDDEN_CONSTRUCT'],
  ['SELECT 1; DROP TABLE orders', 'SEVERAL_STATEMENTS'],
  [`SELECT ${'('.repeat(40)}1${')'.repeat(40)}`, 'TOO_DEEP'],
  [`SELECT ${'NOT '.repeat(400)}1`, 'TOO_DEEP'],
  [`SELECT 1 WHERE ${'1 = 1 AND '.repeat(20_000)}1 = 1`, 'TOO_LARGE'],
  [`SELECT ${'1 + '.repeat(3000)}1`, 'TOO_DEEP'],
  [`SELECT '${'x'.repeat(300_000)}'`, 'TOO_LARGE'],
];

describe('on MySQL', () => {
  test.each(REFUSED.map(([sql, code]) => ({ sql, code, shown: sql.slice(0, 60) })))(
    '$shown is refused with $code',
    async ({ sql, code }) => {
      const restricted = await restrictShop(engine, sql, { dialect: 'mysql' });
      expect(restricted).toMatchObject({ sql: null, inlineSql: null, parameters: [], conditions: [] });
      expect(restricted.reasons.map((reason) => reason.code)).toEqual([code]);
    },
  );
});
