import type { Catalog } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import type { ResolvedRule, RestrictionRequest, SqlEngine } from '../logic/restriction.js';
import { createPostgres } from './localEngines.js';
import { ResultCache } from './engines.js';
import { SHOP } from '../../testing/neighbours.js';

const engine = await createPostgres();

/** The cached engine, and the number of calls that reach the engine. */
function counted(): { cached: SqlEngine; calls: () => number } {
  let calls = 0;
  const counting: SqlEngine = {
    ...engine,
    restrict(request) {
      calls += 1;
      return engine.restrict(request);
    },
    printExpression(...args) {
      calls += 1;
      return engine.printExpression(...args);
    },
  };
  return { cached: new ResultCache().wrap(counting), calls: () => calls };
}

const rule: ResolvedRule = {
  name: 'own',
  definitionId: 'usd_1',
  assignmentId: 'usa_1',
  source: 'persisted',
  matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
  expression: 'tenant_id = {{ tenant }}',
  values: { tenant: { value: 'north', source: 'assignment' } },
  missing: [],
};
const request: RestrictionRequest = {
  dialect: 'postgres',
  sql: 'select id from orders',
  entities: [],
  catalog: SHOP,
  isGoverned: true,
  pinnedSchema: null,
  allowedSchemas: null,
  rules: [rule],
  rowBarrier: false,
};
const valued = (value: string | number | string[]): ResolvedRule => ({
  ...rule,
  values: { tenant: { value, source: 'assignment' } },
});

/** Each field of a request with other values. */
const OTHERS: { [F in keyof RestrictionRequest]: RestrictionRequest[F][] } = {
  dialect: ['duckdb'],
  sql: ['select id from orders ', 'select amount from orders', null],
  entities: [[{ table: 'orders' }], [{ table: 'orders', alias: 'o' }]],
  catalog: [null, structuredClone(SHOP)],
  isGoverned: [false],
  pinnedSchema: ['public'],
  allowedSchemas: [[], ['public']],
  rules: [
    [],
    [rule, rule],
    [valued('south')],
    [valued('1')],
    [valued(1)],
    [valued(['north'])],
    [{ ...rule, expression: 'tenant_id <> {{ tenant }}' }],
    [{ ...rule, matcher: { type: 'TABLE_LIST', tables: [{ table: 'customers' }] } }],
    [{ ...rule, missing: ['tenant'] }],
    [{ ...rule, name: 'another' }],
  ],
  rowBarrier: [true],
};

describe('a cached engine', () => {
  it('computes a repeated request once', async () => {
    const { cached, calls } = counted();
    const first = await cached.restrict(request);
    expect(await cached.restrict(structuredClone({ ...request, catalog: null }))).not.toEqual(first);
    expect(await cached.restrict({ ...structuredClone(request), catalog: SHOP })).toBe(first);
    expect(calls()).toBe(2);
    for (let time = 0; time < 2; time += 1) {
      expect(await cached.printExpression('id = {{ a }}', { a: 1 }, 'postgres')).toBe('id = 1');
      expect(await cached.printExpression('id = {{ a }}', { a: '1' }, 'postgres')).toBe("id = '1'");
      expect(await cached.printExpression('id = {{ a }}', {}, 'postgres')).toBeNull();
    }
    expect(calls()).toBe(5);
  });

  const cases = Object.entries(OTHERS).flatMap(([field, values]) =>
    values.map((value): [string, RestrictionRequest] => [
      `${field} ${JSON.stringify(value)?.slice(0, 80)}`,
      { ...request, [field]: value },
    ]),
  );
  it.each(cases)('returns the result of an empty cache: %s', async (_, other) => {
    const { cached, calls } = counted();
    await cached.restrict(request);
    const uncached = await createPostgres();
    expect(await cached.restrict(other)).toEqual(await uncached.restrict(other));
    expect(await cached.restrict(request)).toEqual(await uncached.restrict(request));
    expect(calls()).toBe(2);
  });

  it('returns frozen results', async () => {
    const { cached } = counted();
    const { parameters, conditions } = await cached.restrict(request);
    expect(() => parameters.push('more')).toThrow(TypeError);
    expect(() => Object.assign(conditions[0] ?? {}, { expression: 'true' })).toThrow(TypeError);
  });

  it('caches neither failures nor very large results', async () => {
    let failures = 1;
    const failing = new ResultCache().wrap({
      ...engine,
      async restrict(each) {
        if ((failures -= 1) >= 0) throw new Error('gone');
        return engine.restrict(each);
      },
    });
    await expect(failing.restrict(request)).rejects.toThrow('gone');
    expect(await failing.restrict(request)).toMatchObject({ status: 'compiled' });
    const { cached, calls } = counted();
    const large = { ...request, sql: `select id from orders where id < 5${' '.repeat(600_000)}` };
    for (let time = 0; time < 2; time += 1) await cached.restrict(large);
    expect(calls()).toBe(2);
  });

  it('never mixes up catalogs', async () => {
    const { cached } = counted();
    const tables = (name: string): Catalog => ({
      defaultSchema: 'public',
      schemas: [
        {
          name: 'public',
          tables: [
            {
              name: 'orders',
              kind: 'table',
              columns: [
                { name, type: 'text' },
                { name: 'id', type: 'int' },
              ],
            },
          ],
        },
      ],
    });
    for (let number = 0; number < 20; number += 1) {
      const governed = await cached.restrict({ ...request, catalog: tables('tenant_id') });
      const free = await cached.restrict({ ...request, catalog: tables('region') });
      expect([governed.conditions.length, free.conditions.length]).toEqual([1, 0]);
    }
  });
});
