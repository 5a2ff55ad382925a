import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { restrictOutermostOnly } from './brokenRestriction.js';
import { Choices } from './choices.js';
import { compareOnTapes, emptyReport, type Restrict } from './differential.js';
import { PostgresOracle } from './postgresOracle.js';
import { tellProgress } from './progress.js';
import { makeWorld } from './worlds.js';
import type { SqlEngine } from '../logic/model.js';
import { createPostgres } from '../engines.js';

/** How many queries are compared; `npm run fuzz` asks for many more. */
const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
export const QUERIES = Number(env.FUZZ_QUERIES ?? 3000);
/** The tests ask the same queries each time, so that they fail for a change alone; `npm run fuzz` asks others. */
const SEED = env.FUZZ_SEED === undefined ? 20_261_122 : Number(env.FUZZ_SEED);
const QUERIES_PER_WORLD = 60;
/** A machine that is busy with other things may take this long for each. */
const MS_PER_QUERY = 300;

/** With other seeds the first thing found may be a statement that the mistake has made invalid. */
const SEED_OF_LEAK = 1;

const tape = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const tapes = fc.record({
  world: tape(250),
  queries: fc.array(tape(160), { minLength: QUERIES_PER_WORLD, maxLength: QUERIES_PER_WORLD, size: 'max' }),
});

let oracle: PostgresOracle;
let engine: SqlEngine;

beforeAll(async () => {
  [oracle, engine] = await Promise.all([PostgresOracle.start(), createPostgres()]);
});
afterAll(async () => {
  await oracle.close();
});

async function compare(restrict: Restrict, queries: number, seed: number) {
  const report = emptyReport();
  const tell = tellProgress('PostgreSQL', queries);
  const property = fc.asyncProperty(tapes, async (made) => {
    await compareOnTapes(made, { oracle, restrict, report });
    tell(report.compared);
  });
  const numRuns = Math.ceil(queries / QUERIES_PER_WORLD);
  const details = await fc.check(property, {
    numRuns,
    endOnFailure: true,
    seed,
  });
  return { details, report };
}

describe('restricted statements, beside native row-level security', () => {
  test('the role of the comparison is subject to row-level security', async () => {
    const world = makeWorld(new Choices(new Uint8Array()));
    await oracle.load(world);
    const governed = world.tables.find((table) => world.rules.some((rule) => rule.covers(table)));
    expect(governed).toBeDefined();
    const security = await oracle.readerSecurity(`${governed?.schema}."${governed?.name}"`);
    expect(security).toEqual({ role: 'reader', isAbove: false, isActive: true });
  });

  test(
    'give the same rows, parameterized and with literals',
    async ({ annotate }) => {
      const { details, report } = await compare((request) => engine.restrict(request), QUERIES, SEED);
      if (details.failed) throw new Error(await fc.asyncDefaultReportMessage(details));
      const { compared, refused, invalid, narrowed } = report;
      const total = compared + refused + invalid;
      await annotate(`${JSON.stringify(report)}, seed ${details.seed}`);
      expect(total).toBeGreaterThanOrEqual(QUERIES);
      expect(invalid / total).toBeLessThan(0.05);
      expect(refused / total).toBeLessThan(0.02);
      expect(narrowed / compared).toBeGreaterThan(0.2);
    },
    QUERIES * MS_PER_QUERY,
  );

  test('a restriction that forgets subqueries is found out', async () => {
    const { details } = await compare(restrictOutermostOnly, 600, SEED_OF_LEAK);
    expect(details.failed).toBe(true);
    // Rows that native security keeps back, not a statement that fails.
    expect(String(details.errorInstance)).toMatch(/expected \[.*\], got \[/);
  });
});
