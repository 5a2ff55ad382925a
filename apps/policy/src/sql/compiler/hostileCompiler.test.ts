import type { SqlDialect } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Restriction, SqlEngine } from '../logic/restriction.js';
import { HOSTILE_RULES, HOSTILE_STATEMENTS } from '../../testing/hostileStatements.js';
import { restrictShop, rule, shopCatalog } from '../../testing/polyglot/shop.js';
import { CompilePool } from './pool.js';

const { env = {} } = import.meta as ImportMeta & { env?: Partial<Record<string, string>> };
const isFull = env.FUZZ_FULL === '1';
/** The largest request with `FUZZ_FULL`, else a smaller one. */
const SIZES = isFull ? [250, 1000, 4000, 16_000, 60_000] : [400];
const RULE_SIZES = isFull ? [100, 1000, 5000] : [200];
const RULES_AT_ONCE = isFull ? 1000 : 250;
/**
 * One dialect of each engine, and one of which only conditions are returned; all distinct dialects with
 * `FUZZ_FULL`.
 */
const HOSTILE_DIALECTS: readonly SqlDialect[] = isFull
  ? ['postgres', 'mysql', 'sqlite', 'duckdb', 'snowflake', 'bigquery', 'mssql']
  : ['postgres', 'mysql', 'duckdb'];
/** Reached only by a compiler that hangs: these tests do not judge the limit, `termination.test.ts` does. */
const TIMEOUT_MS = 600_000;
/** The size limit of a result, with room for JSON syntax: the engine counts 4 MiB. */
const RESULT_CHARACTERS_MAX = 10 * 1024 * 1024;

const pool = new CompilePool({ timeoutMs: TIMEOUT_MS });
const engine = pool.engineOf('o_hostile');
let seed = 0;
beforeAll(() => engine.checkExpression('a = 1', 'postgres'));
afterAll(() => pool.stop());

const restrictIn = (on: SqlEngine, sql: string, changes: Parameters<typeof restrictShop>[2]) => {
  const schema = { postgres: 'public', mysql: 'shop' }[String(changes?.dialect)] ?? 'main';
  return restrictShop(on, sql, { catalog: shopCatalog(schema), ...changes });
};

/** Whether a caller can use the result: a restricted statement, or a refusal with a reason. */
function isAnswer({ status, sql, reasons }: Restriction): boolean {
  if (status === 'denied' || status === 'invalid_sql') return sql === null && reasons.length > 0;
  return status === 'conditions_only' || (status === 'compiled' && sql !== null);
}

describe('of each hostile statement', () => {
  const cases = HOSTILE_DIALECTS.flatMap((dialect) =>
    Object.entries(HOSTILE_STATEMENTS).map(([name, make]) => ({ dialect, name, make })),
  );
  test.each(cases)('$name in $dialect is answered or refused', async (hostile) => {
    const { dialect, make } = hostile;
    for (const size of SIZES) {
      const restricted = await restrictIn(engine, make(size, (seed += 1)), { dialect });
      expect(restricted).toSatisfy(isAnswer);
      expect(JSON.stringify(restricted).length).toBeLessThan(RESULT_CHARACTERS_MAX);
    }
  });
});

describe('of each hostile rule', () => {
  const cases = HOSTILE_DIALECTS.flatMap((dialect) =>
    Object.entries(HOSTILE_RULES).map(([name, make]) => ({ dialect, name, make })),
  );
  test.each(cases)('$name in $dialect is answered or refused', async (hostile) => {
    const { dialect, make } = hostile;
    const sql = `select 1 where ${Array.from({ length: 300 }, () => 'exists (select 1 from orders)').join(' and ')}`;
    for (const size of RULE_SIZES) {
      const expression = make(size);
      await engine.checkExpression(expression, dialect);
      await engine.analyzeExpression(expression, dialect);
      await engine.printExpression(expression, { tenant: 1 }, dialect);
      const rules = [rule(expression, { tenant: 1 })];
      const restricted = await restrictIn(engine, sql, { dialect, rules });
      expect(restricted).toSatisfy(isAnswer);
      expect(JSON.stringify(restricted).length).toBeLessThan(RESULT_CHARACTERS_MAX);
    }
  });

  const many = HOSTILE_DIALECTS.flatMap((dialect) => [
    { dialect, kind: 'equal', make: () => 'tenant_id = 1' },
    { dialect, kind: 'different', make: (index: number) => `tenant_id = ${index}` },
  ]);
  test.each(many)('many $kind ones at once in $dialect succeed or are refused', async (hostile) => {
    const { dialect, make } = hostile;
    const tables = Array.from({ length: 500 }, (_, index) => ({ table: `t${index}` }));
    const rules = Array.from({ length: RULES_AT_ONCE }, (_, index) =>
      rule(make(index), {}, { type: 'TABLE_LIST', tables: [...tables, { table: 'orders' }] }),
    );
    const sql = `select 1 from ${Array.from({ length: 50 }, (_, index) => `orders a${index}`).join(', ')}`;
    expect(await restrictIn(engine, sql, { dialect, rules })).toSatisfy(isAnswer);
  });
});

describe('different rules and statements, each as long as may be cached,', () => {
  // In full they are more than the heap of the thread could hold.
  const count = isFull ? 400 : 4;
  test.each(['postgres', 'mysql'] as const)('leave room for others in %s', async (dialect) => {
    const padding = Array.from({ length: 900 }, () => 'a.b=1').join(' and ');
    for (let index = 0; index < count; index += 1) {
      const rules = [rule(`tenant_id = ${(seed += 1)} and ${padding.replaceAll('a.b', 'id')}`)];
      const sql = `select ${seed} from orders where ${padding.replaceAll('a.b', 'id')}`;
      expect(await restrictIn(engine, sql, { dialect, rules })).toSatisfy(isAnswer);
    }
  });
});

test('another organization is answered while one floods the compiler with slow statements', async () => {
  const conditions = Array.from({ length: 2000 }, () => 'exists (select 1 from orders)').join(' and ');
  const sql = (index: number) => `select ${index} where ${conditions}`;
  const other = pool.engineOf('o_other');
  const quick = (index: number) => restrictIn(other, `select ${index} from orders`, { dialect: 'postgres' });
  // Both threads are started first, so that their start is not measured.
  await Promise.all([quick(0), restrictIn(engine, 'select 1', { dialect: 'postgres' })]);
  const order: string[] = [];
  const slow = Array.from({ length: 8 }, async (_, index) => {
    // On a slow machine the last calls exceed the wait limit.
    await restrictIn(engine, sql(index), { dialect: 'postgres' }).catch(() => {});
    order.push('slow');
  });
  for (let index = 1; index <= 5; index += 1) await quick(index);
  order.push('quick');
  await Promise.all(slow);
  expect(order.indexOf('quick')).toBeLessThan(slow.length);
});

test('the main thread goes on while a statement is compiled', async () => {
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const sql = `select 1 where ${Array.from({ length: 5000 }, () => 'exists (select 1 from countries)').join(' and ')}`;
  await restrictIn(engine, sql, { dialect: 'postgres' });
  isDone = true;
  expect(turns).toBeGreaterThan(100);
});

/** The exponent with which the cost grows from one size to the next. */
const growthOf = (costs: readonly [number, number], factor: number) =>
  Math.log(Math.max(costs[1], 1) / Math.max(costs[0], 1)) / Math.log(factor);
const GROWTH_MAX = 1.7;

test('growth with the square of the size is noticed', () => {
  const squared = (size: number) => size * size;
  expect(growthOf([squared(2000), squared(16_000)], 8)).toBeGreaterThan(GROWTH_MAX);
  expect(growthOf([2000, 16_000], 8)).toBeLessThan(GROWTH_MAX);
});

// This test measures time, so it is not part of the ordinary tests.
describe.runIf(isFull)('the time that', () => {
  const cases = HOSTILE_DIALECTS.flatMap((dialect) =>
    Object.entries(HOSTILE_STATEMENTS).map(([name, make]) => ({ dialect, name, make })),
  );
  test.each(cases)(
    '$name in $dialect take time that grows with their number',
    { timeout: 300_000 },
    async (hostile) => {
      const { dialect, make } = hostile;
      const costOf = async (size: number) => {
        const times: number[] = [];
        for (let run = 0; run < 3; run += 1) {
          const sql = make(size, (seed += 1));
          const startedMs = performance.now();
          await restrictIn(engine, sql, { dialect });
          times.push(performance.now() - startedMs);
        }
        // Shorter times are noise.
        return Math.max(Math.min(...times), 30);
      };
      expect(growthOf([await costOf(2000), await costOf(16_000)], 8)).toBeLessThan(GROWTH_MAX);
    },
  );
});
