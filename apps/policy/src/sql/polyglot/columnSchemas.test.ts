import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import type { Catalog } from '@gatehouse/contract';
import { spawnSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const SETUP = [
  'CREATE TABLE main.orders (id int)',
  'INSERT INTO main.orders VALUES (1), (2)',
  'CREATE TABLE other.orders (id int)',
  'INSERT INTO other.orders VALUES (2), (3)',
];
const columns = [{ name: 'id', type: 'int' }];
const CATALOG: Catalog = {
  defaultSchema: 'main',
  lowerCaseTableNames: 0,
  schemas: ['main', 'other'].map((name) => ({
    name,
    tables: [{ name: 'orders', kind: 'table' as const, columns }],
  })),
};

const FROM = [
  'orders',
  'main.orders',
  'other.orders',
  'orders AS o',
  'other.orders AS o',
  'other.orders AS orders',
  '(SELECT 1 AS id) AS orders',
  'orders AS o CROSS JOIN other.orders',
  '(orders AS o JOIN orders ON 1 = 1)',
];
const COLUMNS = [
  'main.orders.id',
  'other.orders.id',
  'none.orders.id',
  'main.o.id',
  'other.o.id',
  'main.ORDERS.id',
];

/** Each column in each FROM, also below and above another one, and beside a common table of that name. */
const STATEMENTS = COLUMNS.flatMap((column) => [
  ...FROM.map((from) => `SELECT ${column} FROM ${from} ORDER BY ${column}`),
  ...FROM.map((from) => `WITH orders AS (SELECT 2 AS id) SELECT ${column} FROM ${from}`),
  ...FROM.flatMap((outer) =>
    FROM.map((from) => `SELECT 9 FROM ${outer} WHERE EXISTS (SELECT 1 FROM ${from} WHERE ${column} = 1)`),
  ),
]);

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

type Read = (sql: string) => Promise<unknown>;

/** The statements whose restricted form returns what the original does not, and the number of equal ones. */
async function compare(dialect: 'mysql' | 'sqlite', read: Read) {
  const readOrNull: Read = async (sql) => {
    try {
      return await read(sql);
    } catch {
      return null;
    }
  };
  const differences: unknown[] = [];
  let equal = 0;
  for (const sql of STATEMENTS) {
    const { inlineSql } = await engine.restrict({
      dialect,
      sql,
      entities: [],
      catalog: CATALOG,
      isGoverned: false,
      pinnedSchema: null,
      allowedSchemas: null,
      rules: [],
      rowBarrier: false,
    });
    const ours = inlineSql === null ? null : await readOrNull(inlineSql);
    if (ours === null) continue;
    const wanted = await readOrNull(sql);
    if (JSON.stringify(ours) === JSON.stringify(wanted)) equal += 1;
    else differences.push({ sql, inlineSql, ours, wanted });
  }
  return { differences: differences.slice(0, 5), equal };
}

test('SQLite got a column of another table than the one with the schema of the column', async () => {
  const database = new sqlite.Database();
  database.exec("ATTACH ':memory:' AS other");
  SETUP.forEach((statement) => database.exec(statement));
  const valuesOf = (rows: unknown) => (rows as object[]).map((row) => Object.values(row));
  const { differences, equal } = await compare('sqlite', async (sql) => valuesOf(database.all(sql)));
  database.close();
  expect(differences).toEqual([]);
  expect(equal).toBeGreaterThan(100);
});

test.each(['secret', 'SECRET'])(
  'a column with the schema %s showed whether a table of a schema that is not allowed exists',
  async (schema) => {
    const statements = [
      `SELECT ${schema}.orders.id FROM secret.orders`,
      `SELECT 1 FROM secret.orders WHERE EXISTS (SELECT ${schema}.orders.id FROM other.orders AS o)`,
      `SELECT 1 FROM (SELECT ${schema}.orders.id FROM orders AS o) AS a, secret.orders`,
    ];
    const secret = { name: 'secret', tables: [{ name: 'orders', kind: 'table' as const, columns }] };
    const catalogs = [CATALOG, { ...CATALOG, schemas: [...CATALOG.schemas, secret] }];
    for (const sql of statements) {
      const answers = catalogs.map((catalog) =>
        engine.restrict({
          dialect: 'sqlite',
          sql,
          entities: [],
          catalog,
          isGoverned: true,
          pinnedSchema: null,
          allowedSchemas: ['main', 'other'],
          rules: [],
          rowBarrier: false,
        }),
      );
      const [one, other] = await Promise.all(answers);
      expect(one?.reasons).toMatchObject([{ code: 'SCHEMA_NOT_ALLOWED' }]);
      expect(other).toEqual(one);
    }
  },
);

const isInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);

describe.skipIf(!isInstalled)(`on MariaDB${isInstalled ? '' : ', skipped: none is installed'}`, () => {
  let server: DatabaseServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await startMariaDb();
    const { port, user, password } = server;
    connection = await createConnection({ host: '127.0.0.1', port, user, password });
    for (const name of ['main', 'other']) await connection.query(`CREATE DATABASE ${name}`);
    await connection.query('USE main');
    for (const statement of SETUP) await connection.query(statement);
  });
  afterAll(async () => {
    await connection.end();
    await server[Symbol.asyncDispose]();
  });

  test('a column was of another table than the one with the schema of the column', async () => {
    const { differences, equal } = await compare('mysql', async (sql) => {
      const [rows] = await connection.query({ sql, rowsAsArray: true });
      return rows;
    });
    expect(differences).toEqual([]);
    expect(equal).toBeGreaterThan(100);
  });
});
