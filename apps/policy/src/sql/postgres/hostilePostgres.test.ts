import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ParamValue } from '@gatehouse/contract';
import type { Restriction, SqlEngine } from '../logic/restriction.js';
import { createPostgres } from '../compiler/localEngines.js';
import { ruleOf, SHOP_SQL, shopRequest } from '../../testing/restrictions.js';

let engine: SqlEngine;
let database: PGlite;

beforeAll(async () => {
  [engine, database] = await Promise.all([createPostgres(), PGlite.create()]);
  await database.exec(SHOP_SQL);
});
afterAll(async () => {
  await database.close();
});

/** The rows of both forms for the owner, which are the same. */
async function rowsOf(restriction: Restriction): Promise<unknown[]> {
  if (restriction.sql === null || restriction.inlineSql === null)
    throw new Error(JSON.stringify(restriction.reasons));
  const inlined = await database.query(restriction.inlineSql);
  const parameterized = await database.query(restriction.sql, restriction.parameters);
  expect(parameterized.rows).toEqual(inlined.rows);
  return inlined.rows;
}

/** A name that an unquoting printer would turn into SQL. */
const BREAKOUT = '"lookup as (select * from public.orders), z"';

/** Statements that bypass a restriction, by reason code. */
const REFUSED: Record<string, string[]> = {
  SYNTAX_ERROR: [
    '',
    '   ',
    '-- nothing',
    'SELEC 1',
    'SELECT * FROM orders\0; DROP TABLE orders',
    'SELECT \uD800',
    "SELECT 'open",
    'SELECT * FROM orders WHERE',
    'SELECT /* open',
    'SELECT * FROM orders o WHERE CURRENT OF c',
  ],
  SEVERAL_STATEMENTS: [
    'SELECT 1; SELECT 2',
    'SELECT 1; DROP TABLE orders',
    'SELECT 1 FROM lookup; SELECT * FROM orders;',
  ],
  NOT_A_SELECT: [
    'DELETE FROM orders',
    "UPDATE orders SET region = 'x'",
    'INSERT INTO lookup SELECT region, 1 FROM orders',
    'CREATE TABLE x AS SELECT * FROM orders',
    'CREATE VIEW x AS SELECT * FROM orders',
    'EXPLAIN ANALYZE SELECT * FROM orders',
    'COPY orders TO STDOUT',
    "COPY (SELECT * FROM orders) TO PROGRAM 'cat'",
    'DO $$ BEGIN PERFORM 1; END $$',
    'PREPARE x AS SELECT * FROM orders',
    'EXECUTE x',
    'DECLARE c CURSOR FOR SELECT * FROM orders',
    'FETCH ALL FROM c',
    'SET ROLE postgres',
    'RESET ROLE',
    'SHOW search_path',
    'MERGE INTO lookup USING orders ON true WHEN MATCHED THEN DELETE',
    'CALL leak()',
    'VALUES (1)',
    'BEGIN',
    "NOTIFY x, 'y'",
  ],
  FORBIDDEN_CONSTRUCT: [
    'SELECT * FROM generate_series(1, 2) AS x(a int)',
    'TABLE orders',
    'TABLE"orders"',
    'SELECT * FROM (table/**/orders) AS x',
    'SELECT * FROM lookup UNION ALL TABLE orders',
    'WITH x AS (TABLE orders) SELECT * FROM x',
    'SELECT * INTO stolen FROM orders',
    'SELECT * FROM orders FOR UPDATE',
    'SELECT * FROM (SELECT * FROM orders FOR SHARE) x',
    'WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x',
    'WITH x AS (UPDATE orders SET region = region RETURNING *) SELECT * FROM x',
    "WITH x AS (INSERT INTO orders VALUES (9, 't2', 'x', 1) RETURNING *) SELECT * FROM x",
    'SELECT * FROM orders TABLESAMPLE SYSTEM (100)',
    'SELECT U&"\\0069d" FROM orders',
    'SELECT * FROM U&"\\006frders"',
    "SELECT U&'\\0041'",
    'SELECT xmlelement(name x, region) FROM orders',
    "SELECT * FROM xmltable('/x' PASSING '<x/>' COLUMNS y text)",
    "SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (x int PATH '$'))",
    "SELECT JSON_OBJECT('a': region) FROM orders",
    'SELECT current_user',
    'SELECT session_user',
    'SELECT current_schema',
    'SELECT CURRENT_CATALOG',
    'SELECT (lookup).leak FROM lookup',
    'SELECT (o).* FROM orders o',
    'SELECT (ROW(1, 2)).f1',
    'SELECT db.public.orders.region FROM orders',
    'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n FROM t) SEARCH DEPTH FIRST BY n SET s SELECT * FROM t',
    'SELECT * FROM public.orders, sales.orders',
    'SELECT 1 ORDER BY 1 USING <',
    "SELECT 'a' COLLATE public.x",
  ],
  FORBIDDEN_FUNCTION: [
    "SELECT query_to_xml('select * from orders', true, true, '')",
    "SELECT table_to_xml('orders', true, true, '')",
    "SELECT schema_to_xml('public', true, true, '')",
    "SELECT database_to_xml(true, true, '')",
    "SELECT cursor_to_xml('c', 1, true, true, '')",
    "SELECT * FROM dblink('dbname=x', 'select * from orders')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    'SELECT lo_get(1)',
    "SELECT set_config('role', 'postgres', false)",
    "SELECT current_setting('search_path')",
    'SELECT pg_sleep(10)',
    'SELECT pg_terminate_backend(1)',
    "SELECT nextval('s')",
    "SELECT setval('s', 1)",
    "SELECT pg_relation_size('orders')",
    "SELECT has_table_privilege('orders', 'select')",
    'SELECT version()',
    'SELECT pg_backend_pid()',
    'SELECT random()',
    "SELECT ts_stat('select region from orders')",
    "SELECT pg_get_viewdef('x')",
    'SELECT leak(o) FROM orders o',
    'SELECT leak(l) FROM lookup l',
    'SELECT public.lower(region, region) FROM orders',
    'SELECT public.leak(1)',
    'SELECT region(o) FROM orders o',
    'SELECT * FROM leak(1)',
    'SELECT * FROM LATERAL leak(1) x',
    'SELECT * FROM ROWS FROM (generate_series(1, 2), leak(1)) x',
    'SELECT "LOWER"(region) FROM orders',
    'SELECT 1 FROM lookup ORDER BY leak(1)',
    'SELECT count(*) FILTER (WHERE leak(1) IS NULL) FROM lookup',
    'SELECT sum(1) OVER (PARTITION BY leak(1)) FROM lookup',
    "SELECT json_populate_recordset(NULL::text, '[]')",
    'SELECT lastval()',
    'SELECT system_user',
    'SELECT * FROM json_to_record(NULL) AS x(a int)',
    "SELECT pg_catalog.pg_read_file('x')",
  ],
  FORBIDDEN_OPERATOR: [
    'SELECT 1 OPERATOR(public.+) 2',
    'SELECT 1 <~~~> 2',
    'SELECT 1 OPERATOR(public.=) ANY (SELECT 1)',
  ],
  FORBIDDEN_TYPE: [
    "SELECT 'orders'::regclass",
    "SELECT CAST('leak' AS regproc)",
    "SELECT 'pg_catalog.pg_class'::pg_catalog.regclass",
    "SELECT 'x'::public.my_type",
    'SELECT o::orders FROM orders o',
    "SELECT '<x/>'::xml",
    'SELECT 1::oid',
    "SELECT regclass 'orders'",
    'SELECT NULL::regclass[]',
    "SELECT '{}'::pg_catalog._text",
  ],
  SYSTEM_CATALOG: [
    'SELECT * FROM pg_class',
    'SELECT * FROM pg_catalog.pg_class',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM pg_stats',
    'SELECT * FROM pg_toast.x',
    'SELECT * FROM pg_temp.x',
    'SELECT * FROM "pg_shadow"',
    'SELECT 1 WHERE EXISTS (SELECT 1 FROM pg_authid)',
  ],
  PARAMETER_IN_STATEMENT: ['SELECT $1', 'SELECT * FROM orders WHERE id = $1', 'SELECT $1::text'],
  UNKNOWN_TABLE: [
    'SELECT * FROM nothing',
    'SELECT * FROM "ORDERS"',
    'SELECT * FROM archive.orders',
    'SELECT * FROM bare',
    'SELECT * FROM otherdb.public.orders',
    'SELECT 1 WHERE EXISTS (SELECT 1 FROM nothing)',
  ],
  UNKNOWN_COLUMN: [
    'SELECT orders.leak FROM orders',
    'SELECT l.leak FROM lookup l',
    'SELECT lookup.leak FROM lookup',
    'SELECT public.lookup.leak FROM lookup',
    'SELECT x.leak FROM (SELECT 1 AS a) x',
    'WITH x AS (SELECT 1 AS a) SELECT x.leak FROM x',
    'SELECT g.leak FROM generate_series(1, 2) g',
    'SELECT z.leak FROM (SELECT 1 AS leak) AS z(renamed)',
    'SELECT orders.ctid FROM orders',
    'SELECT lookup.xmin FROM lookup',
    'SELECT sales.orders.region FROM orders',
    'SELECT missing.region FROM orders',
    'SELECT o.region FROM lookup WHERE EXISTS (SELECT 1 FROM orders o)',
    'SELECT public.orders.region FROM orders AS o',
    // The columns of a star of an outer query.
    'SELECT z.leak FROM lookup l, LATERAL (SELECT l.*) z',
    'SELECT z.leak FROM lookup, LATERAL (SELECT public.lookup.*) z',
    'SELECT (SELECT z.leak FROM (SELECT o.*) z) FROM orders o',
    'SELECT j.leak FROM (lookup l CROSS JOIN LATERAL (SELECT l.*) z) j',
    'SELECT s.leak FROM (SELECT z.* FROM lookup l, LATERAL (SELECT l.*) z) s',
    // A scalar subquery has the name of its column, not that of a table with a star.
    'SELECT s.leak FROM (SELECT 1 AS id, (SELECT leak.* FROM (SELECT 1 AS y) leak)) s',
    'SELECT s.text FROM (SELECT (SELECT 1 + 1)::text) s',
    // A common table that is read before its definition.
    'WITH RECURSIVE a AS (SELECT b.leak FROM b), b AS (SELECT 1 AS x) SELECT * FROM a',
    // An array of rows has the columns of the rows, not one that is named after the alias.
    'SELECT leak.leak FROM unnest(ARRAY(SELECT l FROM lookup l)) leak',
    'SELECT s.leak FROM (SELECT * FROM unnest(ARRAY(SELECT l FROM lookup l)) leak) s',
  ],
};

describe('refused statements', () => {
  const cases = Object.entries(REFUSED).flatMap(([code, statements]) =>
    statements.map((sql) => ({ code, sql })),
  );

  test.each(cases)('$code: $sql', async ({ code, sql }) => {
    const { status, reasons, ...restriction } = await engine.restrict(shopRequest(sql));
    expect(reasons.map((reason) => reason.code)).toContain(code);
    expect(status).toBe(code === 'SYNTAX_ERROR' ? 'invalid_sql' : 'denied');
    expect(restriction).toMatchObject({ sql: null, inlineSql: null, parameters: [], conditions: [] });
  });

  test('number more than a hundred', () => {
    expect(cases.length).toBeGreaterThan(100);
  });
});

/** Allowed statements in which a careless restriction would expose rows of the other tenant. */
const RESTRICTED = [
  'SELECT * FROM orders WHERE true OR true',
  "SELECT * FROM orders WHERE 1=1 OR tenant_id = 't2' --",
  'SELECT * FROM orders /* x */ -- y',
  'SELECT o FROM orders o',
  'SELECT orders FROM orders',
  'SELECT row_to_json(o) FROM orders o',
  'SELECT orders::text FROM orders',
  "SELECT (SELECT string_agg(region, ',') FROM orders)",
  "SELECT * FROM lookup WHERE EXISTS (SELECT 1 FROM orders WHERE region = 'FOREIGN')",
  'SELECT * FROM lookup l LEFT JOIN orders o ON true',
  'SELECT * FROM orders o RIGHT JOIN lookup ON o.id = rank',
  'SELECT * FROM orders o FULL JOIN customers c ON o.id = c.id',
  'SELECT * FROM orders NATURAL JOIN customers',
  'SELECT * FROM orders JOIN customers USING (id) AS j',
  'SELECT j.* FROM (orders JOIN customers c ON orders.id = c.id) AS j(a, b, c1, d)',
  'SELECT * FROM ONLY orders',
  'SELECT * FROM orders *',
  'SELECT * FROM ((orders CROSS JOIN lookup))',
  'SELECT * FROM lookup, LATERAL (SELECT * FROM orders WHERE orders.tenant_id = lookup.code) x',
  'SELECT region FROM orders UNION SELECT region FROM sales.orders INTERSECT SELECT region FROM orders',
  'SELECT region FROM orders EXCEPT ALL (SELECT region FROM orders LIMIT 0)',
  'WITH orders AS (SELECT * FROM public.orders) SELECT * FROM orders',
  'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders',
  'WITH lookup AS (SELECT * FROM orders) SELECT * FROM lookup, public.orders AS x',
  'WITH a AS (SELECT * FROM customers), customers AS (SELECT 1 AS id) SELECT * FROM a, customers',
  'WITH a AS (SELECT 1), orders AS (SELECT 2) SELECT * FROM public.orders',
  'WITH RECURSIVE orders(id, n) AS (SELECT id, 1 FROM public.orders UNION ALL SELECT id, n + 1 FROM orders WHERE n < 3) SELECT * FROM orders',
  'WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM customers) SELECT * FROM a',
  'WITH x AS (WITH orders AS (SELECT 1 AS id) SELECT * FROM orders) SELECT * FROM x, orders',
  'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) x, orders',
  'SELECT * FROM orders AS lookup, lookup AS orders',
  'SELECT * FROM orders AS "public.orders"',
  'SELECT public.orders.region, orders.id FROM public.orders',
  'SELECT public.orders.* FROM orders',
  'SELECT * FROM "orders"',
  'SELECT * FROM ORDERS',
  'SELECT * FROM "Odd Name"',
  'SELECT "Odd Name".region FROM public."Odd Name"',
  'SELECT * FROM sales.orders',
  'SELECT max(region) OVER w FROM orders WINDOW w AS (ORDER BY id)',
  'SELECT region FROM orders GROUP BY GROUPING SETS ((region), ())',
  'SELECT DISTINCT ON (region) region FROM orders ORDER BY region DESC',
  "SELECT CASE WHEN EXISTS (SELECT region FROM orders WHERE region = 'FOREIGN') THEN 'FOREIGN' END FROM lookup",
  'SELECT * FROM lookup WHERE code = ANY (SELECT region FROM orders) OR code IN (SELECT name FROM customers)',
  'SELECT ARRAY(SELECT region FROM orders), array_agg(o) FROM orders o',
  'SELECT * FROM lookup ORDER BY (SELECT region FROM orders LIMIT 1), 1',
  'SELECT * FROM lookup LIMIT (SELECT count(*) FROM orders)',
  'SELECT region FROM orders ORDER BY region FETCH FIRST 1 ROW WITH TIES',
  'SELECT * FROM unnest(ARRAY(SELECT region FROM orders)) AS u(r)',
  'SELECT * FROM generate_series(1, (SELECT count(*) FROM orders)) AS g(n)',
  'SELECT * FROM (VALUES ((SELECT max(region) FROM orders))) AS v(x)',
  "SELECT 'it''s \\ ' || region, E'\\'', $$ x $$, b'1' FROM orders",
  'SELECT region FROM orders FOR READ ONLY',
  // Names that would be SQL if they were printed without quotes.
  `WITH ${BREAKOUT} AS (SELECT 1 AS a) SELECT * FROM ${BREAKOUT}`,
  `SELECT * FROM orders AS ${BREAKOUT}`,
  `SELECT * FROM orders AS x(${BREAKOUT})`,
  `SELECT region AS ${BREAKOUT} FROM orders`,
  `SELECT count(*) OVER ${BREAKOUT} FROM orders WINDOW ${BREAKOUT} AS (ORDER BY id)`,
  `SELECT * FROM generate_series(1, 2) AS ${BREAKOUT}(${BREAKOUT})`,
  `SELECT ${BREAKOUT}.id FROM orders JOIN customers USING (id) AS ${BREAKOUT}`,
  `SELECT * FROM (orders JOIN lookup ON true) AS ${BREAKOUT}`,
  'SELECT "a""b".region FROM orders AS "a""b"',
  'SELECT "select"."from" FROM (SELECT region AS "from" FROM orders) AS "select"',
  'SELECT * FROM orders AS "x) , public.orders AS (y"',
  `SELECT make_date(year => 2020, month => 1, day => 1) FROM orders`,
];

describe('allowed statements', () => {
  test.each(RESTRICTED)('%s', async (sql) => {
    for (const rowBarrier of [false, true]) {
      const rows = await rowsOf(await engine.restrict(shopRequest(sql, { rowBarrier })));
      expect(JSON.stringify(rows)).not.toContain('FOREIGN');
    }
  });
});

/** Entries of FROM that PostgreSQL gives rows of various types. `spill` is also a function of any row. */
const ENTRIES = [
  'lookup AS spill',
  'orders AS spill',
  '(SELECT * FROM lookup) AS spill',
  '(SELECT o.*) AS spill',
  '(SELECT o.* UNION SELECT o.*) AS spill',
  '(SELECT l FROM lookup l) AS spill',
  '(SELECT ROW(1, 2)) AS spill',
  '(VALUES (1, 2)) AS spill',
  '(VALUES (ROW(1, 2))) AS spill',
  '(WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT * FROM a) AS spill',
  '(WITH RECURSIVE a AS (SELECT 1 AS x UNION SELECT x FROM a) SELECT * FROM a) AS spill',
  '(lookup CROSS JOIN customers) AS spill',
  '(lookup CROSS JOIN LATERAL (SELECT o.*) z) AS spill',
  '(lookup JOIN LATERAL (SELECT o.*) z ON true) AS spill',
  'lookup l JOIN lookup m USING (code) AS spill',
  'unnest(ARRAY[1, 2]) AS spill',
  'unnest(ARRAY[1], ARRAY[2]) AS spill',
  'unnest(ARRAY(SELECT l FROM lookup l)) AS spill',
  'unnest(ARRAY(SELECT l FROM lookup l)) WITH ORDINALITY AS spill',
  'unnest(ARRAY(SELECT l FROM lookup l)) AS spill(a)',
  'unnest((SELECT array_agg(l) FROM lookup l)) AS spill',
  'ROWS FROM (unnest(ARRAY(SELECT l FROM lookup l))) AS spill',
  'ROWS FROM (unnest(ARRAY(SELECT l FROM lookup l)), generate_series(1, 2)) AS spill',
  'generate_series(1, 2) AS spill',
  "lower('A') AS spill",
  "regexp_matches('a', 'a') AS spill",
  "json_each('{}') AS spill",
];

/** Statements that refer to `spill.spill` at one place. */
const REFERENCES = [
  (entry: string) => `SELECT spill.spill FROM orders o, LATERAL ${entry}`,
  (entry: string) => `SELECT (SELECT spill.spill FROM ${entry} LIMIT 1) FROM orders o`,
  (entry: string) => `SELECT 1 FROM orders o, LATERAL (SELECT spill.spill FROM ${entry}) x`,
  (entry: string) => `SELECT spill.spill FROM orders o, LATERAL (SELECT * FROM ${entry}) spill`,
  (entry: string) => `SELECT spill.spill FROM orders o, LATERAL (SELECT spill.* FROM ${entry}) spill`,
  (entry: string) =>
    `SELECT (WITH spill AS (SELECT * FROM ${entry}) SELECT max(spill.spill::text) FROM spill) FROM orders o`,
  (entry: string) => `SELECT 1 FROM orders o, LATERAL ${entry} GROUP BY spill.spill`,
];

/**
 * Joins that merge a column of a left side whose columns are hard to name. A list of aliases renames the
 * first columns of the result, so that the named column may no longer exist.
 */
const MERGED: [column: string, join: string][] = [
  [
    'spill',
    '(SELECT (SELECT t.* FROM (SELECT 1 AS spill) t), 2 AS b) l NATURAL JOIN (SELECT 1 AS spill, 3 AS c) r',
  ],
  ['b', '(SELECT (SELECT t.* FROM (SELECT 1 AS a) t), 2 AS b) l JOIN (SELECT 1 AS a, 3 AS c) r USING (a)'],
  [
    'spill',
    '(SELECT (SELECT 1 AS spill UNION SELECT 1), 2 AS b) l NATURAL JOIN (SELECT 1 AS spill, 3 AS c) r',
  ],
  [
    'spill',
    '(SELECT (SELECT t.* FROM (SELECT 1 AS spill) t)::int, 2 AS b) l NATURAL JOIN (SELECT 1 AS spill) r',
  ],
  [
    'spill',
    '(SELECT (SELECT (SELECT t.* FROM (SELECT 1 AS spill) t)), 2 AS b) l NATURAL JOIN (SELECT 1 AS spill) r',
  ],
  ['column1', '(SELECT (VALUES (1)), 2 AS b) l NATURAL JOIN (SELECT 1 AS column1, 3 AS c) r'],
  [
    'body',
    'unnest(ARRAY(SELECT n FROM sales.notes n)) AS u(a) ' +
      'NATURAL JOIN (SELECT body, 3 AS c FROM sales.notes) r',
  ],
  [
    'body',
    '(SELECT * FROM unnest(ARRAY(SELECT n FROM sales.notes n)) AS u(a)) l ' +
      'NATURAL JOIN (SELECT body, 3 AS c FROM sales.notes) r',
  ],
  [
    'key',
    `ROWS FROM (generate_series(1, 2), jsonb_each('{"a": 1}')) AS u(a) ` +
      `NATURAL JOIN (SELECT 'a' AS key, 3 AS c) r`,
  ],
];

describe('a qualified column never calls a function of that name', () => {
  beforeAll(async () => {
    for (const name of ['spill', 'b', 'column1', 'body', 'key']) {
      await database.exec(`
        CREATE FUNCTION ${name}(anyelement) RETURNS text LANGUAGE sql
          AS 'SELECT string_agg(region, '','') FROM orders'`);
    }
  });

  test.each(MERGED)('%s of the renamed columns of %s', async (column, join) => {
    for (const names of ['p', 'p, q', 'p, q, u']) {
      for (const sql of [
        `SELECT s.${column} FROM (${join}) AS s (${names})`,
        `SELECT s.${column} FROM (SELECT * FROM ${join}) AS s (${names})`,
        `WITH s (${names}) AS (SELECT * FROM ${join}) SELECT s.${column} FROM s`,
      ]) {
        const { inlineSql } = await engine.restrict(shopRequest(sql));
        const rows =
          inlineSql === null ? [] : await database.query(inlineSql).then((read) => read.rows, String);
        expect({ sql, rows: JSON.stringify(rows) }).not.toMatchObject({
          rows: expect.stringContaining('FOREIGN'),
        });
      }
    }
  });

  const lateral = (sql: string) => sql.replace(/LATERAL (?=lookup|orders|ROWS|\(lookup)/, '');

  test.each(ENTRIES)('of %s', async (entry) => {
    for (const reference of REFERENCES) {
      const sql = lateral(reference(entry));
      const { status, inlineSql } = await engine.restrict(shopRequest(sql));
      expect(['compiled', 'denied']).toContain(status);
      if (inlineSql === null) continue;
      // The plan names every function that the statement calls. A database error reads nothing.
      const plan = await database
        .query(`EXPLAIN (VERBOSE, COSTS OFF) ${inlineSql}`)
        .then(({ rows }) => JSON.stringify(rows), String);
      expect({ inlineSql, isCalled: /spill\(|string_agg/.test(plan) }).toEqual({
        inlineSql,
        isCalled: false,
      });
    }
  });

  test('of a table whose columns the catalog does not list', async () => {
    const sql = 'SELECT l.leak FROM lookup l';
    const unlisted = { catalog: { schemas: [] }, isGoverned: false };
    const rules = [ruleOf('tenant_id = 1', {}, { type: 'TABLE_LIST', tables: [{ table: 'orders' }] })];
    const { reasons } = await engine.restrict(shopRequest(sql, { ...unlisted, rules }));
    expect(reasons.map(({ code }) => code)).toEqual(['UNKNOWN_COLUMN']);
    expect((await engine.restrict(shopRequest(sql, { ...unlisted, rules: [] }))).status).toBe('compiled');
  });
});

test('a restricted statement needs no search path, and then finds no operator of the database', async () => {
  await database.exec(`
    CREATE FUNCTION spill(text, text) RETURNS text LANGUAGE sql AS 'SELECT $1 || $2';
    CREATE OPERATOR public.& (LEFTARG = text, RIGHTARG = text, FUNCTION = spill);
    SET search_path = pg_catalog`);
  try {
    const own = await rowsOf(
      await engine.restrict(shopRequest('SELECT lower(region) AS region FROM orders')),
    );
    expect(own).toEqual([{ region: 'own' }, { region: 'own' }]);
    const { inlineSql } = await engine.restrict(shopRequest('SELECT region & region FROM orders'));
    await expect(database.query(inlineSql ?? '')).rejects.toThrow('operator does not exist');
  } finally {
    await database.exec('RESET search_path');
  }
});

test('a stale column of the catalog does not resolve to an outer query', async () => {
  const columns = ['code', 'rank', 'tenant_id'].map((name) => ({ name, type: '' }));
  const own = ['id', 'tenant_id', 'name'].map((name) => ({ name, type: '' }));
  const catalog = {
    schemas: [
      {
        name: 'public',
        tables: [
          { name: 'lookup', kind: 'table' as const, columns },
          { name: 'customers', kind: 'table' as const, columns: own },
        ],
      },
    ],
  };
  const sql = 'SELECT (SELECT max(rank) FROM lookup) FROM customers';
  const { inlineSql } = await engine.restrict(shopRequest(sql, { catalog }));
  await expect(database.query(inlineSql ?? '')).rejects.toThrow('column lookup.tenant_id does not exist');
});

/** Values that would end a literal, or have a meaning, if they were inserted into text. */
const VALUES: ParamValue[] = [
  "t2' OR '1'='1",
  "\\' OR 1=1 --",
  "'; DROP TABLE orders; --",
  "t1'||'",
  '$1',
  '{{ tenant }}',
  '$$',
  'E\\\\x',
  '\u02BC OR 1=1',
  '%',
  '_2',
  '*',
  'null',
  "') OR ('a'='a",
  '/* */',
  '"',
  '\n',
  '\u{1F600}\\',
  [],
  ["t2' OR '1'='1", "\\'"],
  ['{t2}', '"t2"', ',', 't2,t1'],
  ['null', 'NULL'],
];

describe('values stay values', () => {
  test.each(VALUES)('%j', async (value) => {
    const rules = [ruleOf(Array.isArray(value) ? 'tenant_id IN {{x}}' : 'tenant_id = {{x}}', { x: value })];
    const rows = await rowsOf(await engine.restrict(shopRequest('SELECT * FROM orders', { rules })));
    expect(rows).toEqual([]);
  });
});

test.each([1, -1, 0, 2.5, -2.5, 3_000_000_000, 1e21])(
  'a minus before the value %j reads back as written',
  async (x) => {
    for (const expression of ['id > -{{x}}', 'id > -(-{{x}})', 'id BETWEEN -{{x}} AND 3']) {
      const restriction = await engine.restrict(
        shopRequest('SELECT id FROM orders', { rules: [ruleOf(expression, { x })] }),
      );
      expect(restriction.reasons).toEqual([]);
      const condition = expression.replaceAll('{{x}}', `(${x})`);
      const wanted = await database.query(`SELECT id FROM orders WHERE ${condition}`);
      expect(await rowsOf(restriction)).toEqual(wanted.rows);
    }
  },
);

/** Expressions that must be refused. */
const EXPRESSIONS = [
  '',
  ' ',
  ';',
  'true; DROP TABLE orders',
  'true -- x',
  'true /* x */',
  'true) OR (true',
  'true UNION SELECT true',
  'true FOR READ ONLY',
  'true FOR UPDATE',
  'true LIMIT 1',
  'true GROUP BY 1',
  'true ORDER BY 1',
  'true WINDOW w AS ()',
  'SELECT 1',
  '1',
  "'x'",
  'id + 1',
  'tenant_id = $1',
  "tenant_id = '{{ x }}'",
  'tenant_id = "{{ x }}"',
  'tenant_id = $${{ x }}$$',
  "tenant_id = E'\\'{{ x }}'",
  "tenant_id <> E'a'\n'\\' {{ x }} \\''",
  '{{ x }}.id = 1',
  'tenant_id = {{ x }}y',
  '{{ column }}_id = 1',
  'f{{ x }} = 1',
  '{{ f }}(1)',
  'tenant_id = {{ }}',
  'tenant_id = {{ x',
  'count(*) > 1',
  'sum(id) > 1',
  'rank() OVER () = 1',
  'generate_series(1, 2) = 1',
  'unnest(ARRAY[true])',
  "current_setting('x') = 'y'",
  "pg_read_file('x') = ''",
  'id IN (SELECT count(*) FROM lookup)',
  'EXISTS (TABLE lookup)',
  'EXISTS (SELECT * FROM lookup)',
  'EXISTS (SELECT 1 INTO x FROM lookup)',
  "tenant_id::regclass = 'orders'::regclass",
  'tenant_id = current_user',
  'U&"tenant_id" = 1',
  'tenant_id = DEFAULT',
  'a, b',
  'tenant_id AS x',
  'ALL tenant_id = 1',
  'DISTINCT true',
  'tenant_id = 1 AND',
  '(tenant_id = 1',
  "tenant_id = 'x",
  'tenant_id = \0',
];

describe('refused expressions', () => {
  test.each(EXPRESSIONS)('%j', async (expression) => {
    const fault = await engine.checkExpression(expression, 'postgres');
    expect(fault).toMatchObject({ message: expect.stringMatching(/./) as string });
    expect(fault?.position ?? 0).toBeLessThanOrEqual(expression.length);
    const rules = [ruleOf(expression, { x: 't1', column: 'id', f: 'lower' })];
    const { status, sql } = await engine.restrict(shopRequest('SELECT * FROM orders', { rules }));
    expect({ status, sql }).toEqual({ status: 'denied', sql: null });
  });
});
