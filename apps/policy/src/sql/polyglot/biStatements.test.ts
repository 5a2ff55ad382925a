import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import type { Catalog } from '@gatehouse/contract';
import { spawnSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ruleOf } from '../../testing/restrictions.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const COLUMNS = 'id int, tenant varchar(20), amount int, note varchar(20), placed varchar(20), doc text';
/** Names that are keywords elsewhere. Servers take them for names after a period, some also without one. */
const NAMED = 'case end between some any rlike regexp'.split(' ');
const SETUP = [
  `CREATE TABLE orders (${COLUMNS})`,
  `INSERT INTO orders VALUES (1, 't1', 10, 'xax', '2024-01-31', '{"a": 1, "b": "own"}'),
    (2, 't1', 21, ' b ', '2024-03-01', '{"a": [1, 2], "b": "own"}'), (3, 't1', NULL, NULL, NULL, NULL),
    (4, 't2', 30, 'FOREIGN', '2024-05-01', '{"a": 3, "b": "FOREIGN"}')`,
  'CREATE TABLE free (id int, name varchar(20))',
  "INSERT INTO free VALUES (1, 'one'), (4, 'four')",
  `CREATE TABLE named (id int, tenant varchar(20),
    ${NAMED.map((name) => `\`${name}\` varchar(20)`).join(', ')})`,
  `INSERT INTO named VALUES (1, 't1', 'c', 'e', 'b', 'own', 'a', 'own', 'r'),
    (2, 't1', 'c', '2', 'b', 'own', 'a', 'own', 'r'),
    (4, 't2', 'FOREIGN', 'FOREIGN', 'FOREIGN', 'FOREIGN', 'own', 'FOREIGN', 'own')`,
  ...['some', 'any'].map((name) => `CREATE TABLE \`${name}\` (id int, tenant varchar(20))`),
  "INSERT INTO `some` VALUES (1, 't1'), (4, 't2')",
  "INSERT INTO `any` VALUES (5, 't1'), (6, 't2')",
];
const FILTERS = ['orders', 'named', '`some`', '`any`'].map(
  (table) => `DELETE FROM ${table} WHERE tenant <> 't1'`,
);

const catalogOf = (schema: string): Catalog => ({
  defaultSchema: schema,
  lowerCaseTableNames: 0,
  schemas: [
    {
      name: schema,
      tables: [
        { name: 'orders', kind: 'table', columns: COLUMNS.split(', ').map(columnOf) },
        { name: 'free', kind: 'table', columns: ['id int', 'name varchar(20)'].map(columnOf) },
        {
          name: 'named',
          kind: 'table',
          columns: ['id int', ...['tenant', ...NAMED].map((name) => `${name} varchar(20)`)].map(columnOf),
        },
        { name: 'some', kind: 'table', columns: ['id int', 'tenant varchar(20)'].map(columnOf) },
        { name: 'any', kind: 'table', columns: ['id int', 'tenant varchar(20)'].map(columnOf) },
      ],
    },
  ],
});
function columnOf(definition: string): { name: string; type: string } {
  const [name = '', type = ''] = definition.split(' ');
  return { name, type };
}

const RULE = ruleOf(
  'tenant = {{ tenant }}',
  { tenant: 't1' },
  {
    type: 'ALL_TABLES_WITH_COLUMN',
    column: 'tenant',
  },
);

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

function restrict(dialect: 'mysql' | 'sqlite', sql: string, rule = RULE) {
  return engine.restrict({
    dialect,
    sql,
    entities: [],
    catalog: catalogOf(dialect === 'mysql' ? 'shop' : 'main'),
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: [rule],
    rowBarrier: false,
  });
}

/** Both forms of the restricted statement. */
async function restricted(dialect: 'mysql' | 'sqlite', sql: string, rule = RULE) {
  const { sql: text, inlineSql, parameters, reasons } = await restrict(dialect, sql, rule);
  if (text === null || inlineSql === null) throw new Error(JSON.stringify(reasons));
  return { text, inlineSql, parameters };
}

const ruleOnNamed = (column: string) =>
  ruleOf(`${column} = {{ own }}`, { own: 'own' }, { type: 'TABLE_LIST', tables: [{ table: 'named' }] });

/** Statements of both servers. */
const COMMON = [
  "SELECT id FROM orders WHERE NOT note LIKE '%a%'",
  "SELECT id FROM orders WHERE NOT note LIKE 'x%' AND NOT amount BETWEEN 11 AND 30 OR NOT id IN (1, 2)",
  'SELECT id FROM orders WHERE NOT note IS NULL AND (NOT amount IS NULL)',
  "SELECT id, NOT note LIKE 'x%', CASE WHEN NOT id IN (1) THEN 1 ELSE 2 END FROM orders",
  "SELECT id FROM orders WHERE NOT CASE WHEN id = 1 AND amount = 10 THEN 'a' ELSE 'b' END LIKE 'a'",
  "SELECT id FROM orders WHERE NOT NOT note LIKE '%a%' OR NOT (note LIKE 'q') AND NOT id = 2",
  `SELECT id FROM orders WHERE NOT id IN (SELECT id FROM free)
    AND NOT EXISTS (SELECT 1 FROM free WHERE id = 5)`,
  "SELECT o.id, f.id FROM orders o JOIN free f ON NOT note LIKE 'q%' ORDER BY NOT o.id IN (1), 1, 2",
  'SELECT id, amount & 3, amount | 4, amount << 2, amount >> 1 FROM orders',
  'SELECT id, amount & 3 + 1, 1 | amount & 6 << 1, amount % 4 - 1 | 2 FROM orders',
  'SELECT id FROM orders WHERE amount & 1 = 1 OR amount >> 1 > 100',
  "SELECT json_set('{}', '$.a', id), json_remove(doc, '$.b') FROM orders",
  'SELECT some, named.some, named.any, named.end, named.rlike FROM named',
  'SELECT id AS some, named.id AS one FROM named ORDER BY some DESC',
  'SELECT id FROM some',
  "SELECT id FROM named WHERE some = 'own' AND named.rlike = 'own'",
  'SELECT id FROM named WHERE NOT id LIKE named.end AND id < 2',
  'SELECT SUBSTRING(named.end, 1) FROM named',
  'SELECT +id, - + id, + - id, ~ + id, 2 - + 1, + + id, 1 = +(SELECT MAX(id) FROM orders) FROM orders',
  'SELECT +(id + 1) * +2, + ABS(-1) + +1, + SUM(id) OVER (ORDER BY id), NULL + 1 FROM orders',
  "SELECT NOT + note LIKE 'x%', CASE WHEN id = 1 THEN 3 END + 1 FROM orders WHERE +amount > + 10",
  "SELECT 0x41, X'4142', x'', HEX(0xff), 0x1 + 1, note = X'61' FROM orders WHERE id IN (0x1, 2)",
  `SELECT COUNT(*) OVER (ORDER BY NOT note LIKE 'x%' ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
    FROM orders ORDER BY 1`,
];

const SQLITE = [
  ...COMMON,
  "SELECT id, rlike FROM named WHERE rlike = 'own'",
  'SELECT * FROM (SELECT id, note FROM orders)',
  'SELECT id FROM (SELECT id FROM orders WHERE id > 1) WHERE id < 4 ORDER BY id',
  'SELECT max(total) FROM (SELECT tenant, sum(amount) AS total FROM orders GROUP BY tenant)',
  'SELECT * FROM (SELECT id FROM (SELECT * FROM orders)) JOIN free USING (id)',
  'SELECT * FROM free LEFT JOIN (SELECT id AS other, note FROM orders) ON id = other',
  'SELECT * FROM (SELECT id FROM orders UNION ALL SELECT id FROM free), (SELECT 1 AS one)',
  'SELECT name FROM free WHERE id IN (SELECT id FROM (SELECT id FROM orders))',
  'SELECT * FROM (WITH o AS (SELECT * FROM orders) SELECT id FROM o)',
  "SELECT id, doc -> '$.a', doc ->> '$.a', orders.doc ->> '$.b' FROM orders",
  "SELECT id FROM orders WHERE doc ->> '$.b' = 'FOREIGN' OR doc -> '$.a' ->> '$[0]' = 1",
  'SELECT id, ~amount, -~amount, ~ - amount FROM orders',
  "SELECT id FROM orders WHERE NOT note GLOB 'x*'",
  "SELECT id FROM orders WHERE +amount = '10' OR amount = '21'",
  "SELECT doc -> '$.a' -> 0, doc ->> 'a' ->> 1, '[5, [6]]' -> 1 -> 0, '[5]' ->> 0 FROM orders",
  `SELECT '{"0": 5}' -> 0, '{"0": 5}' ->> '0', '[5]' -> 007, '[5, 6]' -> 1 || 0, '[5, 6]' -> -1 FROM free`,
  'SELECT id FROM orders WHERE NOT id IS NOT DISTINCT FROM 1 AND id > 0 OR NOT id IS DISTINCT FROM 3',
  'SELECT json_patch(doc, \'{"b": null}\') FROM orders',
];

const MARIADB = [
  ...COMMON,
  'SELECT id FROM orders UNION DISTINCT SELECT id FROM free UNION ALL SELECT 1',
  'SELECT id FROM orders INTERSECT DISTINCT SELECT id FROM free EXCEPT DISTINCT (SELECT 2)',
  "SELECT CONVERT(note USING utf8mb4), CONVERT(CONCAT(note, 'é') USING latin1) FROM orders",
  'SELECT CONVERT(CONVERT(id, CHAR) USING utf8), CONVERT((SELECT MAX(note) FROM orders) USING ascii) ' +
    'FROM free',
  "SELECT GROUP_CONCAT(id, '-', note ORDER BY id DESC SEPARATOR ';') FROM orders",
  "SELECT GROUP_CONCAT(DISTINCT tenant, amount > 15 ORDER BY 2 DESC, note SEPARATOR ', ') FROM orders",
  'SELECT GROUP_CONCAT(CONCAT(id, note), id, (SELECT MAX(note) FROM orders)) FROM orders',
  "SELECT '2024-01-01' + INTERVAL orders.id DAY, DATE_ADD('2024-01-31', INTERVAL -id MONTH) FROM orders",
  "SELECT MAKEDATE(2024, 1) + INTERVAL QUARTER('2024-05-05') QUARTER - INTERVAL 1 QUARTER FROM orders",
  "SELECT '2024-01-01' + INTERVAL DAY(placed) DAY, INTERVAL LENGTH(note) DAY + '2024-01-01' FROM orders",
  "SELECT '2024-01-01' + INTERVAL (SELECT MAX(id) FROM orders) DAY",
  "SELECT note LIKE 'x%', COUNT(*) FROM orders GROUP BY tenant, NOT note LIKE 'x%' WITH ROLLUP",
  'SELECT TRUE MOD 2, CASE WHEN id = 1 THEN 3 END MOD 2, NULL MOD 3, note = 0x207841 FROM orders',
  'SELECT id FROM named WHERE NOT id LIKE named.case AND id = 9 OR id = 1',
  'SELECT id FROM named WHERE NOT id LIKE named.between AND id = 9 OR id = 1',
  'SELECT named.case, named.between, CONCAT(named.end, named.regexp) FROM named',
  'SELECT id FROM named WHERE id = SOME (SELECT id FROM some) OR id > ANY (SELECT id FROM named)',
  'SELECT id, amount ^ 3, ~amount & 255, amount & ~ 2 FROM orders',
  "SELECT id FROM orders WHERE NOT note REGEXP 'a' OR NOT note RLIKE 'b'",
  `SELECT CONVERT(id, CHAR), CONVERT(amount / 3, DECIMAL(10, 2)), CONVERT(IF(id = 1, 2, 3), SIGNED)
    FROM orders`,
  'SELECT CONVERT(CONVERT(amount, CHAR(10)), UNSIGNED), CONVERT(placed, DATE) FROM orders',
  'SELECT note, SUM(amount) FROM orders GROUP BY note WITH ROLLUP',
  'SELECT tenant, id, COUNT(*) FROM orders GROUP BY tenant, id WITH ROLLUP HAVING COUNT(*) > 0',
  "SELECT TRIM(BOTH 'x' FROM note), TRIM(LEADING 'x' FROM note), TRIM(TRAILING 'x' FROM note) FROM orders",
  "SELECT TRIM('x' FROM note), TRIM(BOTH FROM note), CONCAT('[', TRIM(TRAILING FROM note), ']') FROM orders",
  "SELECT TRIM(LEADING (SELECT MAX(note) FROM orders WHERE id = 4) FROM 'FOREIGN'), TRIM(note) FROM orders",
  'SELECT SUBSTRING(note FROM 2), SUBSTRING(note FROM 1 FOR 2), SUBSTR(note FROM -1 FOR 1) FROM orders',
  "SELECT POSITION('a' IN note), POSITION(note IN (SELECT MAX(note) FROM orders)) FROM orders",
  'SELECT amount MOD 4, MOD(amount, 4), (amount) MOD (3), amount DIV 4 FROM orders',
  "SELECT TIMESTAMPDIFF(MONTH, placed, '2025-01-01'), TIMESTAMPADD(DAY, 1, placed) FROM orders",
  'SELECT TIMESTAMPDIFF(DAY, MIN(placed), MAX(placed)) FROM orders',
  "SELECT INET_ATON('10.0.0.1'), CHAR(65), JSON_MERGE_PATCH(doc, '{\"b\": 1}') FROM orders",
];

describe('statements of BI tools return the rows that the actor may read', () => {
  const databases = [new sqlite.Database(), new sqlite.Database()] as const;
  const [base, oracle] = databases;
  beforeAll(() => {
    for (const database of databases) SETUP.forEach((statement) => database.exec(statement));
    FILTERS.forEach((statement) => oracle.exec(statement));
  });
  afterAll(() => databases.forEach((database) => database.close()));
  // A column without an alias has the name of its text, which differs.
  const valuesOf = (rows: unknown) => (rows as object[]).map((row) => Object.values(row));

  test.each(SQLITE)('on SQLite: %s', async (sql) => {
    const { text, inlineSql, parameters } = await restricted('sqlite', sql);
    const wanted = valuesOf(oracle.all(sql));
    expect(valuesOf(base.all(sql))).not.toEqual([]);
    expect(valuesOf(base.all(inlineSql))).toEqual(wanted);
    expect(valuesOf(base.all(text, parameters as string[]))).toEqual(wanted);
  });

  test.each(['some', 'named.some', 'rlike', 'named.rlike'])(
    'a rule on the column %s of SQLite filtered by another column',
    async (column) => {
      const { inlineSql } = await restricted('sqlite', 'SELECT * FROM named', ruleOnNamed(column));
      expect(valuesOf(base.all(inlineSql))).toEqual(valuesOf(oracle.all('SELECT * FROM named')));
    },
  );
});

const isInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);

describe.skipIf(!isInstalled)(`on MariaDB${isInstalled ? '' : ', skipped: none is installed'}`, () => {
  let server: DatabaseServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await startMariaDb();
    const { port, user, password } = server;
    connection = await createConnection({ host: '127.0.0.1', port, user, password, charset: 'utf8mb4_bin' });
    for (const name of ['shop', 'oracle']) {
      await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
      await connection.query(`USE ${name}`);
      for (const statement of SETUP) await connection.query(statement);
    }
    for (const statement of FILTERS) await connection.query(statement);
  });
  afterAll(async () => {
    await connection.end();
    await server[Symbol.asyncDispose]();
  });

  async function read(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    const [rows] = await connection.query({ sql, rowsAsArray: true }, [...values]);
    return rows;
  }

  test.each(MARIADB)('%s', async (sql) => {
    const { text, inlineSql, parameters } = await restricted('mysql', sql);
    const wanted = await read(sql);
    expect(await read(inlineSql)).toEqual(wanted);
    expect(await read(text, parameters)).toEqual(wanted);
  });

  test.each(['some', 'named.some', 'named.rlike'])(
    'a rule on the column %s filtered by another column',
    async (column) => {
      const { inlineSql } = await restricted('mysql', 'SELECT * FROM named', ruleOnNamed(column));
      expect(await read(inlineSql)).toEqual(await read('SELECT * FROM oracle.named'));
    },
  );

  // MariaDB lacks the arrows, which are calls of these functions.
  test.each([
    ["doc -> '$.a'", "JSON_EXTRACT(doc, '$.a')"],
    ["orders.doc ->> '$.b'", "JSON_UNQUOTE(JSON_EXTRACT(orders.doc, '$.b'))"],
    ["doc->>'$.a'", "JSON_UNQUOTE(JSON_EXTRACT(doc, '$.a'))"],
    [
      "CONCAT(doc ->> '$.b', doc -> '$.a')",
      "CONCAT(JSON_UNQUOTE(JSON_EXTRACT(doc, '$.b')), JSON_EXTRACT(doc, '$.a'))",
    ],
  ])('the JSON operators of MySQL: %s', async (written, called) => {
    const { inlineSql } = await restricted(
      'mysql',
      `SELECT id, ${written} FROM orders WHERE ${written} <> ''`,
    );
    expect(await read(inlineSql)).toEqual(
      await read(`SELECT id, ${called} FROM orders WHERE ${called} <> ''`),
    );
  });
});

test.each([
  ['mysql', 'SELECT id FROM (SELECT id FROM orders)', 'a query in FROM needs an alias'],
  ['mysql', 'SELECT CONVERT(note USING ucs2) FROM orders', 'CONVERT without a type is not allowed'],
  ['mysql', 'SELECT 0X41 FROM orders', 'a number runs into a word'],
  ['mysql', "SELECT X'414' FROM orders", 'X directly before a quote is not allowed'],
  ['sqlite', "SELECT X'41'X'42' FROM orders", 'a number runs into a word'],
  ['mysql', "SELECT (doc) -> '$.a' FROM orders", 'MySQL takes a column before -> and a string after it'],
  ['mysql', 'SELECT doc ->> id FROM orders', 'MySQL takes a column before ->> and a string after it'],
  [
    'mysql',
    'SELECT TIMESTAMPDIFF(note, placed, placed) FROM orders',
    'TIMESTAMPDIFF needs a unit such as DAY',
  ],
  ['mysql', 'SELECT amount || 1 FROM orders', 'the character "|" is not allowed'],
  ['mysql', 'SELECT amount && 1 FROM orders', 'the character "&" is not allowed'],
  ['sqlite', 'SELECT tenant FROM orders GROUP BY tenant WITH ROLLUP', 'ROLLUP is not allowed'],
  ['sqlite', 'SELECT amount ^ 1 FROM orders', 'the character "^" is not allowed'],
  ['sqlite', 'SELECT doc -> id FROM orders', 'the operators -> and ->> take a string after them'],
  [
    'sqlite',
    'SELECT id FROM orders UNION DISTINCT SELECT id FROM free',
    'a construct is not allowed: union with distinct',
  ],
] as const)('on %s, %s is refused', async (dialect, sql, message) => {
  expect((await restrict(dialect, sql)).reasons.map((reason) => reason.message)).toEqual([message]);
});

test.each(['mysql', 'sqlite'] as const)(
  'on %s, a plus sign before more than eight signs is refused, and not read again from each of them',
  async (dialect) => {
    const message = 'the statement is written in a way that is not understood in full';
    const { reasons } = await restrict(dialect, `SELECT ${'+ - '.repeat(6)}id FROM orders`);
    expect(reasons.map((reason) => reason.message)).toEqual([message]);
    expect((await restrict(dialect, `SELECT ${'+ - '.repeat(3)}id FROM orders`)).status).toBe('compiled');
  },
);

/** Each NOT is followed by a condition up to the end of the statement. */
const chained = (count: number) => `SELECT id FROM orders WHERE ${'NOT id BETWEEN 1 AND '.repeat(count)}2`;

test.each(['mysql', 'sqlite'] as const)(
  'on %s, a worker read the conditions after NOT for seconds',
  async (dialect) => {
    const message = 'the conditions after NOT are too long: enclose them in parentheses';
    const { reasons } = await restrict(dialect, chained(12_000));
    expect(reasons.map((reason) => reason.message)).toEqual([message]);
  },
);

test.each([
  ['mysql', 'amount & 1 = 1', 'the character "&" is not allowed'],
  ['mysql', '~ amount = 1', 'the character "~" is not allowed'],
  ['mysql', "doc ->> '$.a' = 1", 'does not parse'],
  [
    'mysql',
    "NOT note LIKE 'a'",
    'NOT before this comparison is not allowed: enclose the comparison in parentheses',
  ],
  ['mysql', "CONVERT(note, CHAR) = 'a'", 'CONVERT is not allowed'],
  ['mysql', "TRIM(BOTH 'x' FROM note) = 'a'", 'TRIM with FROM is not allowed in a rule'],
  ['mysql', "TIMESTAMPDIFF(DAY, placed, '2024-01-01') > 1", 'TIMESTAMPDIFF is not allowed in a rule'],
  ['mysql', "CONVERT(note USING utf8mb4) = 'a'", 'CONVERT with USING is not allowed in a rule'],
  ['mysql', 'note = 0x61', 'a number runs into a word'],
  ['sqlite', "note = X'61'", 'X directly before a quote is not allowed'],
  ['sqlite', '+ amount = 1', 'a plus sign before an operand is not allowed in a rule'],
  ['sqlite', "doc -> '$.a' = 1", 'does not parse'],
  ['sqlite', 'EXISTS (SELECT 1 FROM (SELECT id FROM free))', 'a query in FROM needs an alias'],
] as const)('a rule on %s with %s is refused', async (dialect, expression, message) => {
  expect(await engine.checkExpression(expression, dialect)).toMatchObject({ message });
});
