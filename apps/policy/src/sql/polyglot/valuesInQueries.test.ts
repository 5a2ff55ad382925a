import sqlite from 'node-sqlite3-wasm';
import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import { spawnSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog, ParamValue } from '@gatehouse/contract';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { rule } from '../../testing/polyglot/shop.js';
import { PolyglotEngine } from './dialectEngine.js';

/** Rules that compare a column with a value that is part of the rows of a query, or beside one. */
const RULES = [
  'region IN (SELECT {{ x }})',
  'region IN (SELECT {{ x }} FROM things AS t)',
  'region IN (SELECT CASE WHEN 1 = 1 THEN {{ x }} END)',
  'NOT (region NOT IN (SELECT {{ x }}))',
  '(region, id) IN (SELECT {{ x }}, id)',
  '(region, id) IN (SELECT CASE WHEN 1 = 1 THEN {{ x }} END, id)',
  '(region, id) = (CASE WHEN 1 = 1 THEN {{ x }} END, id)',
  '({{ x }}, id) IN (SELECT t.region, t.id FROM things AS t)',
];
const MYSQL_RULES = ['region = ANY (SELECT {{ x }})', 'region = ALL (SELECT {{ x }})'];
/** Rules that test an expression with a value for NULL, with the rows that they permit. */
const NULL_TESTS = [
  ['{{ x }} IS NOT NULL', 5],
  ['{{ x }} IS NULL', 0],
  ['COALESCE(region, {{ x }}) IS NOT NULL', 5],
  ["NOT (CASE WHEN region = '0' THEN {{ x }} END IS NULL)", 1],
  ["(CASE WHEN region = '0' THEN region ELSE {{ x }} END IS NOT NULL) IS TRUE", 5],
] as const;
const MYSQL_NULL_TESTS = [
  ['(region = {{ x }}) IS UNKNOWN', 0],
  ['(region = {{ x }}) IS NOT unknown', 5],
  ['(CASE WHEN region = {{ x }} THEN 1 END) IS UNKNOWN', 4],
] as const;
const STORED = ['north', 'NORTH', '0', '1abc', '01'];
const VALUES: ParamValue[] = ['north', 'NORTH', '0', '01', 0, 1, true];
const CREATE = (type: string): string[] => [
  `CREATE TABLE things (id INTEGER, region ${type}, tenant_id INTEGER)`,
  `INSERT INTO things VALUES ${STORED.map((text, id) => `(${id}, '${text}', ${id})`).join(', ')}`,
];

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

const restrict = (expression: string, x: ParamValue, dialect: 'mysql' | 'sqlite') => {
  const schema = dialect === 'mysql' ? 'shop' : 'main';
  const type = 'varchar(20)';
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'region', type },
    { name: 'tenant_id', type: 'integer' },
  ];
  const tables = [{ name: 'things', kind: 'table' as const, columns }];
  const catalog: Catalog = { defaultSchema: schema, schemas: [{ name: schema, tables }] };
  return engine.restrict({
    dialect,
    sql: 'SELECT region FROM things',
    entities: [],
    catalog,
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: [rule(expression, { x })],
    rowBarrier: false,
  });
};

/** The codes of the refusal, or the visible rows of both forms. */
async function read(
  expression: string,
  x: ParamValue,
  on: { dialect: 'mysql' | 'sqlite'; all: (sql: string, values: readonly unknown[]) => Promise<unknown[]> },
): Promise<unknown[]> {
  const restricted = await restrict(expression, x, on.dialect);
  if (restricted.status !== 'compiled') return restricted.reasons.map(({ code }) => code);
  const { inlineSql, sql, parameters } = restricted;
  return [await on.all(inlineSql, []), await on.all(sql, parameters)];
}

const UNFIT = ['UNFIT_VALUE'];
const twice = (...regions: string[]): unknown[] => {
  const rows = regions.map((region) => ({ region }));
  return [rows, rows];
};
/** The two permitted results: a refusal, or the rows with the same text. */
const exactly = (x: ParamValue): unknown[][] => [UNFIT, twice(...STORED.filter((text) => text === x))];

describe('a value in the rows of a query equals only the same text', () => {
  const database = new sqlite.Database();
  CREATE('TEXT COLLATE NOCASE').forEach((statement) => database.exec(statement));
  afterAll(() => database.close());
  const all = async (sql: string, values: readonly unknown[]) => database.all(sql, values as string[]);

  test.each(RULES)('on SQLite in %s', async (expression) => {
    for (const x of VALUES) {
      expect(exactly(x)).toContainEqual(await read(expression, x, { dialect: 'sqlite', all }));
    }
  });

  test.each(NULL_TESTS)('and a test for NULL on SQLite is one: %s', async (expression, count) => {
    const [inline, parameterized] = await read(expression, 'north', { dialect: 'sqlite', all });
    expect(inline).toHaveLength(count);
    expect(parameterized).toHaveLength(count);
  });

  test('and a single column takes strings', async () => {
    for (const expression of RULES.slice(0, 4)) {
      expect(await read(expression, 'north', { dialect: 'sqlite', all })).toEqual(twice('north'));
    }
  });
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
    connection = await createConnection({ host: '127.0.0.1', port, user, password, charset: 'utf8mb4' });
    await connection.query('CREATE DATABASE shop CHARACTER SET utf8mb4');
    await connection.query('USE shop');
    for (const statement of CREATE('VARCHAR(20) COLLATE utf8mb4_general_ci'))
      await connection.query(statement);
  });
  afterAll(async () => {
    await connection.end();
    await server[Symbol.asyncDispose]();
  });
  const all = async (sql: string, values: readonly unknown[]) => {
    const run = values.length > 0 ? connection.execute(sql, values as string[]) : connection.query(sql);
    return (await run)[0] as unknown[];
  };

  test.each([...RULES, ...MYSQL_RULES])(
    'a value in the rows of a query equals only the same text in %s',
    async (expression) => {
      for (const x of VALUES) {
        expect(exactly(x)).toContainEqual(await read(expression, x, { dialect: 'mysql', all }));
      }
    },
  );

  test.each([...NULL_TESTS, ...MYSQL_NULL_TESTS])(
    'a test for NULL of a value is one: %s',
    async (expression, count) => {
      const [inline, parameterized] = await read(expression, 'north', { dialect: 'mysql', all });
      expect(inline).toHaveLength(count);
      expect(parameterized).toHaveLength(count);
    },
  );

  test('a number column takes no text that only begins with digits', async () => {
    for (const expression of ['tenant_id IN (SELECT {{ x }})', 'tenant_id = ANY (SELECT {{ x }})']) {
      expect(await read(expression, '1abc', { dialect: 'mysql', all })).toEqual(UNFIT);
      expect(await read(expression, '1', { dialect: 'mysql', all })).toEqual(twice('NORTH'));
      expect(await read(expression, 1, { dialect: 'mysql', all })).toEqual(twice('NORTH'));
    }
  });
});
