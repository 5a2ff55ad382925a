import { PGlite } from '@electric-sql/pglite';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlEngine } from '../logic/restriction.js';
import { createPostgres } from '../compiler/localEngines.js';
import { SHOP_SQL, shopRequest } from '../../testing/restrictions.js';

let engine: SqlEngine;
let database: PGlite;

beforeAll(async () => {
  [engine, database] = await Promise.all([createPostgres(), PGlite.create()]);
  await database.exec(SHOP_SQL);
});
afterAll(() => database.close());

/** Tables, columns and results of this name. A function of this name would take the row of a table. */
const NAME = 'leak';

/** Expressions whose names PostgreSQL chooses from their parts. */
const { expression } = fc.letrec<Record<'expression' | 'target' | 'query', string>>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('1', "'x'", 'NULL', 'true', 'current_date', `lower('a')`, '1 + 2', 'EXISTS (SELECT 1)'),
    tie('query').map((query) => `(${query})`),
    tie('expression').map((value) => `(${value})::text`),
    tie('expression').map((value) => `CAST(${value} AS varchar(9))`),
    tie('expression').map((value) => `CASE WHEN true THEN 'a' ELSE (${value})::text END`),
    tie('expression').map((value) => `coalesce((${value})::text, 'a')`),
    tie('expression').map((value) => `nullif((${value})::text, 'b')`),
    tie('expression').map((value) => `(${value})::text COLLATE "C"`),
    tie('expression').map((value) => `(ARRAY[(${value})::text])[1]`),
    tie('target').map((value) => `ARRAY(SELECT ${value})::text`),
  ),
  target: fc
    .tuple(tie('expression'), fc.boolean())
    .map(([value, isNamed]) => (isNamed ? `${value} AS ${NAME}` : value)),
  query: fc.oneof(
    { maxDepth: 4 },
    tie('target').map((value) => `SELECT ${value}`),
    fc
      .tuple(fc.constantFrom(`${NAME}.*`, '*', `${NAME}.${NAME}`), tie('target'))
      .map(([selected, value]) => `SELECT ${selected} FROM (SELECT ${value}) ${NAME}`),
    tie('target').map((value) => `SELECT * FROM (SELECT ${value}) ${NAME}(y)`),
    tie('target').map((value) => `SELECT ${value} UNION ALL SELECT NULL WHERE false`),
    tie('expression').map((value) => `VALUES (${value})`),
    tie('target').map((value) => `WITH ${NAME} AS (SELECT ${value}) SELECT * FROM ${NAME}`),
  ),
}));

/** The names that PostgreSQL gives to the columns of a statement; null if it rejects the statement. */
async function namesOf(sql: string): Promise<string[] | null> {
  const result = await database.query(`${sql} LIMIT 0`).catch(() => null);
  return result && result.fields.map(({ name }) => name);
}

test('no statement names a column that PostgreSQL would take for a function of the row', async () => {
  let named = 0;
  await fc.assert(
    fc.asyncProperty(expression, async (value) => {
      const names = await namesOf(`SELECT ${value}`);
      fc.pre(names !== null);
      const { status } = await engine.restrict(shopRequest(`SELECT s.${NAME} FROM (SELECT ${value}) s`));
      if (status !== 'compiled') return;
      named += 1;
      expect(names).toContain(NAME);
    }),
    { numRuns: randomRuns(1500, 20_000) },
  );
  expect(named).toBeGreaterThan(0);
});
