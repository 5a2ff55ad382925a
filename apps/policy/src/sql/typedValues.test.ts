import sqlite from 'node-sqlite3-wasm';
import { startMariaDb, type DatabaseServer } from '@gatehouse/testing';
import { spawnSync } from 'node:child_process';
import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgres } from './compiler/localEngines.js';
import type { SqlEngine } from './logic/restriction.js';
import { ParserThread } from '../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './polyglot/dialectEngine.js';
import { rule } from '../testing/polyglot/shop.js';
import { compareValues, type Restrict, type Tally } from '../testing/typedValues/compareValues.js';
import { openMysql, openPostgres, openSqlite } from '../testing/typedValues/databases.js';
import type { TypedDatabase } from '../testing/typedValues/typedColumns.js';

const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
const isFull = env['FUZZ_FULL'] === '1';
/** Every combination of value, column and operator, or a sample of them. */
const COUNT = isFull ? Number.MAX_SAFE_INTEGER : 400;
const SEED = Number(env['FUZZ_SEED'] ?? 417_002);
const TIMEOUT_MS = isFull ? 3_600_000 : 300_000;

const isMariaDbInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);

const parser = new ParserThread();
const polyglot = new PolyglotEngine(parser);
let postgres: SqlEngine;
beforeAll(async () => {
  postgres = await createPostgres();
});
afterAll(() => parser.close());

/** Binds values regardless of types, as for displayed expressions of rules. */
const untyped: Restrict = async (request) => {
  const [only] = request.rules;
  const values = Object.fromEntries(
    Object.entries(only?.values ?? {}).map(([name, { value }]) => [name, value]),
  );
  const engine = request.dialect === 'postgres' ? postgres : polyglot;
  const condition = await engine.printExpression(only?.expression ?? '', values, request.dialect);
  const rest = { parameters: [], conditions: [], trace: [] };
  if (condition === null) {
    const reasons = [{ code: 'UNFIT_VALUE', message: '' }];
    return { status: 'denied', sql: null, inlineSql: null, reasons, ...rest };
  }
  const sql = `SELECT id FROM things WHERE ${condition}`;
  return { status: 'compiled', sql, inlineSql: sql, reasons: [], ...rest };
};

/** A statement on a table of several tenants, restricted to one of them. */
async function restrictTenants(dialect: 'mysql' | 'sqlite', schema: string): Promise<string> {
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'tenant_id', type: 'varchar(60)' },
  ];
  const tables = [{ name: 'tenants', kind: 'table' as const, columns }];
  const { inlineSql } = await polyglot.restrict({
    dialect,
    sql: 'SELECT id FROM tenants',
    entities: [],
    catalog: { defaultSchema: schema, schemas: [{ name: schema, tables }] },
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: [rule('tenant_id = {{ t }}', { t: 't4000' })],
    rowBarrier: false,
  });
  return inlineSql ?? '';
}

/** The number of differences of a binding without types, which is reproducible. */
async function countPlanted(database: TypedDatabase): Promise<number> {
  const { differences } = await compareValues(database, untyped, { count: 100, seed: 417_002 });
  return differences.length;
}

async function compare(database: TypedDatabase, restrict: Restrict): Promise<Tally> {
  return compareValues(database, restrict, { count: COUNT, seed: SEED });
}

describe(`rows of a restricted statement are those of an exact, typed comparison, seed ${SEED}`, () => {
  test(
    'on PostgreSQL',
    async ({ annotate }) => {
      const database = await openPostgres();
      const tally = await compare(database, (request) => postgres.restrict(request));
      await annotate(
        JSON.stringify({ ...tally, differences: tally.differences.length, fruitful: tally.fruitful.size }),
      );
      await database.close();
      expect(tally.differences.slice(0, 10)).toEqual([]);
      expect(tally.withRows).toBeGreaterThan(tally.compared / 10);
      expect(tally.refused).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    'on SQLite',
    async ({ annotate }) => {
      const file = new sqlite.Database();
      const database = openSqlite(file);
      const tally = await compare(database, (request) => polyglot.restrict(request));
      await annotate(
        JSON.stringify({ ...tally, differences: tally.differences.length, fruitful: tally.fruitful.size }),
      );
      file.close();
      expect(tally.differences.slice(0, 10)).toEqual([]);
      expect(tally.withRows).toBeGreaterThan(tally.compared / 10);
      expect(tally.refused).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test('and an index on the column finds them on SQLite', async () => {
    const file = new sqlite.Database();
    file.exec('CREATE TABLE tenants (id integer, tenant_id varchar(60))');
    file.exec('CREATE INDEX tenant ON tenants (tenant_id)');
    file.exec("INSERT INTO tenants VALUES (1, 't1'), (2, 'T4000'), (4000, 't4000')");
    const sql = await restrictTenants('sqlite', 'main');
    const plan = file.all(`EXPLAIN QUERY PLAN ${sql}`);
    expect(JSON.stringify(plan)).toContain('USING INDEX tenant (tenant_id=?)');
    expect(file.all(sql)).toEqual([{ id: 4000 }]);
    file.close();
  });

  test(
    'and a binding without types is caught on each',
    async () => {
      const file = new sqlite.Database();
      const [ofPostgres, ofSqlite] = [await openPostgres(), openSqlite(file)];
      expect(await countPlanted(ofPostgres)).toBeGreaterThan(0);
      expect(await countPlanted(ofSqlite)).toBeGreaterThan(0);
      await ofPostgres.close();
      file.close();
    },
    TIMEOUT_MS,
  );
});

describe.skipIf(!isMariaDbInstalled)(
  `on MariaDB${isMariaDbInstalled ? '' : ', skipped: none is installed'}`,
  () => {
    let server: DatabaseServer;
    let connection: Connection;
    let database: TypedDatabase;

    beforeAll(async () => {
      server = await startMariaDb();
      const { port, user, password } = server;
      connection = await createConnection({ host: '127.0.0.1', port, user, password, charset: 'utf8mb4' });
      database = await openMysql(connection);
    });
    afterAll(async () => {
      await connection.end();
      await server[Symbol.asyncDispose]();
    });

    test(
      `rows are those of an exact, typed comparison, seed ${SEED}`,
      async ({ annotate }) => {
        const tally = await compare(database, (request) => polyglot.restrict(request));
        await annotate(
          JSON.stringify({ ...tally, differences: tally.differences.length, fruitful: tally.fruitful.size }),
        );
        expect(tally.differences.slice(0, 10)).toEqual([]);
        expect(tally.withRows).toBeGreaterThan(tally.compared / 10);
        expect(tally.refused).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test('and an index on the column finds them', async () => {
      await connection.query(
        'CREATE TABLE tenants (id integer, tenant_id varchar(60), KEY tenant (tenant_id))',
      );
      await connection.query("INSERT INTO tenants SELECT seq, CONCAT('t', seq) FROM seq_1_to_5000");
      const sql = await restrictTenants('mysql', 'shop');
      const [plan] = await connection.query(`EXPLAIN ${sql}`);
      expect(plan).toMatchObject([{ key: 'tenant' }]);
      const [rows] = await connection.query(sql);
      expect(rows).toEqual([{ id: 4000 }]);
    });

    test(
      'and a binding without types is caught',
      async () => {
        expect(await countPlanted(database)).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  },
);
