import sqlite from 'node-sqlite3-wasm';
import { afterAll, expect, test } from 'vitest';
import {
  compareQueries,
  type Restrict,
  type Tally,
  type Value,
  type WorldDatabase,
} from '../testing/polyglot/compareQueries.js';
import type { World } from '../testing/polyglot/randomWorld.js';
import { createBase, createOracle } from '../testing/polyglot/worldTables.js';
import { ParserThread } from './parserThread.js';
import { PolyglotEngine } from './polyglotEngine.js';

/** How many queries are compared; the environment may ask for many more. */
const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
const QUERIES = Number(env.FUZZ_QUERIES ?? 3000);
/** The tests ask the same queries each time, so that they fail for a change alone; `npm run fuzz` asks others. */
const SEED = Number(env.FUZZ_SEED ?? 388_233_811);

const parser = new ParserThread({ timeoutMs: 20_000 });
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

const restrict: Restrict = (sql, { catalog, rules, dialect }) =>
  engine.restrict({
    dialect,
    sql,
    entities: [],
    catalog,
    pinnedSchema: null,
    allowedSchemas: null,
    rules,
    rowBarrier: false,
  });

async function open(world: World): Promise<WorldDatabase> {
  const databases = { base: new sqlite.Database(), oracle: new sqlite.Database() };
  createBase(world).forEach((statement) => databases.base.exec(statement));
  createOracle(world).forEach((statement) => databases.oracle.exec(statement));
  return {
    oracleSchema: 'main',
    async read(from, sql, values: readonly Value[]) {
      return databases[from].all(sql, [...values]);
    },
    close() {
      databases.base.close();
      databases.oracle.close();
    },
  };
}

const compare = (count: number, restrictWith: Restrict): Promise<Tally> =>
  compareQueries({ dialect: 'sqlite', count, seed: SEED, open, restrict: restrictWith });

test(
  `random statements on SQLite read what may be seen, seed ${SEED}`,
  async ({ annotate }) => {
    const tally = await compare(QUERIES, restrict);
    const { compared, invalid, refused } = tally;
    await annotate(JSON.stringify({ compared, invalid, refused: refused.length }));
    expect(tally.differences.slice(0, 3)).toEqual([]);
    expect(tally.refused.length / QUERIES).toBeLessThan(0.02);
    expect(tally.invalid).toBeLessThan(QUERIES * 0.02);
    expect(tally.compared).toBeGreaterThan(QUERIES * 0.95);
  },
  QUERIES * 200 + 60_000,
);

test(`with the row barrier they read the same, seed ${SEED}`, async () => {
  const withBarrier: Restrict = (sql, { catalog, rules, dialect }) =>
    engine.restrict({
      dialect,
      sql,
      entities: [],
      catalog,
      pinnedSchema: null,
      allowedSchemas: null,
      rules,
      rowBarrier: true,
    });
  const tally = await compare(100, withBarrier);
  expect(tally.differences.slice(0, 3)).toEqual([]);
  expect(tally.compared).toBeGreaterThan(90);
});

test(`a restrictor that forgets a rule is caught, seed ${SEED}`, async () => {
  const forgetful: Restrict = (sql, world) => restrict(sql, { ...world, rules: world.rules.slice(1) });
  const { differences } = await compare(100, forgetful);
  expect(differences.length).toBeGreaterThan(0);
});

test(`a restrictor that restricts the first table alone is caught, seed ${SEED}`, async () => {
  const RESTRICTED = /\(SELECT \* FROM (`main`\.`[^`]+`) WHERE (?:[^()]|\([^()]*\))*\)/g;
  const careless: Restrict = async (sql, world) => {
    const restricted = await restrict(sql, world);
    let count = 0;
    const undo = (match: string, table: string): string => (count++ === 0 ? match : table);
    return { ...restricted, inlineSql: restricted.inlineSql?.replaceAll(RESTRICTED, undo) ?? null };
  };
  const { differences } = await compare(100, careless);
  expect(differences.length).toBeGreaterThan(0);
});
