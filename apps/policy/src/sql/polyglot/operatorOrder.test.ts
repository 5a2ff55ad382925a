import { randomRuns, startMariaDb } from '@gatehouse/testing';
import type { Catalog } from '@gatehouse/contract';
import { spawnSync } from 'node:child_process';
import { createConnection } from 'mysql2/promise';
import sqlite from 'node-sqlite3-wasm';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../testing/polyglot/random.js';
import { writeCondition } from '../../testing/polyglot/randomConditions.js';
import { ruleOf } from '../../testing/restrictions.js';
import { ParserThread } from '../../testing/polyglot/parserThread.js';
import { PolyglotEngine } from './dialectEngine.js';

const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
const CONDITIONS = env.FUZZ_QUERIES === undefined ? randomRuns(600) : Number(env.FUZZ_QUERIES);
const SEED = Number(env.FUZZ_SEED ?? 20_261_129);

const SETUP = [
  'CREATE TABLE facts (id int, tenant varchar(9), a int, b int, s varchar(9))',
  `INSERT INTO facts VALUES (1, 't1', 0, 1, 'x1'), (2, 't1', 1, NULL, 'y'), (3, 't1', NULL, 2, NULL),
    (4, 't1', 2, 2, ''), (5, 't1', 3, 0, 'x'), (6, 't2', 1, 1, 'x1'), (7, 't2', 0, NULL, NULL)`,
  'CREATE TABLE free (n int)',
  'INSERT INTO free VALUES (1), (3)',
];
const FILTER = "DELETE FROM facts WHERE tenant <> 't1'";
const RULE = ruleOf('tenant = {{ t }}', { t: 't1' }, { type: 'TABLE_LIST', tables: [{ table: 'facts' }] });

const columnsOf = (text: string) =>
  text.split(' ').map((name) => ({ name, type: name === 'tenant' ? 'text' : '' }));
const catalogOf = (schema: string): Catalog => ({
  defaultSchema: schema,
  lowerCaseTableNames: 0,
  schemas: [
    {
      name: schema,
      tables: [
        { name: 'facts', kind: 'table', columns: columnsOf('id tenant a b s') },
        { name: 'free', kind: 'table', columns: columnsOf('n') },
      ],
    },
  ],
});

const parser = new ParserThread();
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

type Read = (from: 'base' | 'oracle', sql: string) => unknown;

/** Restricts random statements, and compares their rows with those of tables that are filtered by hand. */
async function compare(dialect: 'mysql' | 'sqlite', read: Read) {
  const random = new Random(SEED);
  const tally = { compared: 0, invalid: 0, refused: 0, differences: [] as unknown[] };
  for (let count = 0; count < CONDITIONS; count += 1) {
    const condition = writeCondition(random);
    const sql = `SELECT id, ${condition} AS c FROM facts WHERE ${condition} OR id > 4 ORDER BY id`;
    const { inlineSql } = await engine.restrict({
      dialect,
      sql,
      entities: [],
      catalog: catalogOf(dialect === 'mysql' ? 'base' : 'main'),
      isGoverned: true,
      pinnedSchema: null,
      allowedSchemas: null,
      rules: [RULE],
      rowBarrier: false,
    });
    const wanted = await read('oracle', sql);
    if (wanted === null) tally.invalid += 1;
    else if (inlineSql === null) tally.refused += 1;
    else {
      tally.compared += 1;
      const rows = await read('base', inlineSql);
      if (JSON.stringify(rows) !== JSON.stringify(wanted)) tally.differences.push({ sql, rows, wanted });
    }
  }
  return tally;
}

test(`SQLite reads conditions without parentheses as they were written, seed ${SEED}`, async ({
  annotate,
}) => {
  const databases = { base: new sqlite.Database(), oracle: new sqlite.Database() };
  for (const database of Object.values(databases)) SETUP.forEach((statement) => database.exec(statement));
  databases.oracle.exec(FILTER);
  const tally = await compare('sqlite', (from, sql) => {
    try {
      return databases[from].all(sql);
    } catch {
      return null;
    }
  });
  await annotate(JSON.stringify({ ...tally, differences: tally.differences.length }));
  expect(tally.differences.slice(0, 3)).toEqual([]);
  expect(tally.refused).toBeLessThan(CONDITIONS * 0.1);
  expect(tally.compared).toBeGreaterThan(CONDITIONS * 0.7);
  for (const database of Object.values(databases)) database.close();
});

const isInstalled = ['mariadbd', '/usr/sbin/mariadbd'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined,
);

test.skipIf(!isInstalled)(
  `MariaDB reads conditions without parentheses as they were written, seed ${SEED}`,
  async ({ annotate }) => {
    await using server = await startMariaDb();
    const { port, user, password } = server;
    const connection = await createConnection({ host: '127.0.0.1', port, user, password });
    for (const name of ['base', 'oracle']) {
      await connection.query(`CREATE DATABASE ${name}`);
      await connection.query(`USE ${name}`);
      for (const statement of SETUP) await connection.query(statement);
    }
    await connection.query(FILTER);
    const tally = await compare('mysql', async (_, sql) => {
      try {
        const [rows] = await connection.query(sql);
        return rows;
      } catch {
        return null;
      }
    });
    await annotate(JSON.stringify({ ...tally, differences: tally.differences.length }));
    await connection.end();
    expect(tally.differences.slice(0, 3)).toEqual([]);
    expect(tally.refused).toBeLessThan(CONDITIONS * 0.1);
    expect(tally.compared).toBeGreaterThan(CONDITIONS * 0.7);
  },
);
