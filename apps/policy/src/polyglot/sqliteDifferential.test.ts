import sqlite, { type Database as SqliteDatabase } from 'node-sqlite3-wasm';
import { afterAll, expect, test } from 'vitest';
import type { Restriction } from '../logic/model.js';
import { QueryWriter, SCHEMA_MARK } from '../testing/polyglot/randomQuery.js';
import { makeWorld, type World } from '../testing/polyglot/randomWorld.js';
import { Random } from '../testing/polyglot/random.js';
import { asMultiset, createBase, createOracle } from '../testing/polyglot/worldTables.js';
import { ParserThread } from './parserThread.js';
import { PolyglotEngine } from './polyglotEngine.js';

// The package is CommonJS and has its names on its default export.
const { Database } = sqlite;

const QUERIES = Number(process.env['FUZZ_QUERIES'] ?? 1500);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const QUERIES_PER_WORLD = 25;

const parser = new ParserThread({ timeoutMs: 20_000 });
const engine = new PolyglotEngine(parser);
afterAll(() => parser.close());

interface Databases extends Disposable {
  base: SqliteDatabase;
  oracle: SqliteDatabase;
}

function openDatabases(world: World): Databases {
  const base = new Database();
  const oracle = new Database();
  for (const statement of createBase(world)) base.exec(statement);
  for (const statement of createOracle(world)) oracle.exec(statement);
  return {
    base,
    oracle,
    [Symbol.dispose]() {
      base.close();
      oracle.close();
    },
  };
}

interface Tally {
  compared: number;
  /** Statements that the generator wrote and that the database itself refuses. */
  invalid: number;
  refused: string[];
  differences: string[];
}

type Restrict = (sql: string, world: World) => Promise<Restriction>;

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

function tryAll(database: SqliteDatabase, sql: string, values: (string | number | boolean)[] = []): unknown[] | null {
  try {
    return database.all(sql, values);
  } catch {
    return null;
  }
}

/** Runs random statements as restricted, and as written against views of what may be seen. */
async function compareAll(count: number, seed: number, restrictWith: Restrict): Promise<Tally> {
  const tally: Tally = { compared: 0, invalid: 0, refused: [], differences: [] };
  for (let number = 0; number < count; number += QUERIES_PER_WORLD) {
    const random = new Random(seed * 1000 + number);
    const world = makeWorld(random, 'sqlite');
    using databases = openDatabases(world);
    const writer = new QueryWriter(world, random);
    for (let each = 0; each < QUERIES_PER_WORLD; each += 1) {
      const sql = writer.statement().replaceAll(SCHEMA_MARK, world.schema);
      await compareOne(sql, { world, databases, tally, restrictWith });
    }
  }
  return tally;
}

async function compareOne(
  sql: string,
  of: { world: World; databases: Databases; tally: Tally; restrictWith: Restrict },
): Promise<void> {
  const { world, databases, tally } = of;
  const wanted = tryAll(databases.oracle, sql);
  if (wanted === null) {
    tally.invalid += 1;
    return;
  }
  const restricted = await of.restrictWith(sql, world);
  if (restricted.sql === null || restricted.inlineSql === null) {
    tally.refused.push(`${sql}\n  ${JSON.stringify(restricted.reasons)}`);
    return;
  }
  const expected = asMultiset(wanted);
  const parameters = restricted.parameters as (string | number | boolean)[];
  const inline = tryAll(databases.base, restricted.inlineSql);
  const parameterized = tryAll(databases.base, restricted.sql, parameters);
  tally.compared += 1;
  for (const rows of [inline, parameterized]) {
    if (rows !== null && asMultiset(rows).join() === expected.join()) continue;
    tally.differences.push(`${sql}\n  became ${restricted.inlineSql}`);
  }
}

test(
  `random statements read what may be seen, seed ${SEED}`,
  async () => {
    const tally = await compareAll(QUERIES, SEED, restrict);
    expect(tally.differences.slice(0, 3)).toEqual([]);
    expect(tally.refused.length, tally.refused.slice(0, 3).join('\n')).toBeLessThan(QUERIES * 0.02);
    expect(tally.invalid).toBeLessThan(QUERIES * 0.05);
    expect(tally.compared).toBeGreaterThan(QUERIES * 0.9);
  },
  QUERIES * 200 + 60_000,
);

test(`a restrictor that forgets a rule is caught, seed ${SEED}`, async () => {
  const forgetful: Restrict = (sql, world) => restrict(sql, { ...world, rules: world.rules.slice(1) });
  const tally = await compareAll(100, SEED, forgetful);
  expect(tally.differences.length).toBeGreaterThan(10);
});

test(`a restrictor that skips subqueries of conditions is caught, seed ${SEED}`, async () => {
  // What the engine put into a condition's subquery is taken out again.
  const shallow: Restrict = async (sql, world) => {
    const restricted = await restrict(sql, world);
    const undo = (text: string | null): string | null =>
      text?.replaceAll(/(?<=(?:EXISTS|IN) \(SELECT [^()]{1,60} FROM )\(SELECT \* FROM (\S+) WHERE [^()]*\)/g, '$1') ?? null;
    return { ...restricted, inlineSql: undo(restricted.inlineSql) };
  };
  const tally = await compareAll(300, SEED, shallow);
  expect(tally.differences.length).toBeGreaterThan(0);
});
