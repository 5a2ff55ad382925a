import type { Catalog } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import type { ResolvedRule, RestrictionRequest, SqlEngine } from './logic/model.js';
import { createPostgres } from './engines.js';
import { rememberAnswers } from './rememberAnswers.js';
import { SHOP } from './testing/neighbours.js';

const engine = await createPostgres();

/** The engine with a count of what it is asked. */
function counted(): { remembering: SqlEngine; asked: () => number } {
  let asked = 0;
  const counting: SqlEngine = {
    ...engine,
    restrict(request) {
      asked += 1;
      return engine.restrict(request);
    },
    printExpression(...question) {
      asked += 1;
      return engine.printExpression(...question);
    },
  };
  return { remembering: rememberAnswers(counting), asked: () => asked };
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
  pinnedSchema: null,
  allowedSchemas: null,
  rules: [rule],
  rowBarrier: false,
};
const valued = (value: string | number | string[]): ResolvedRule => ({
  ...rule,
  values: { tenant: { value, source: 'assignment' } },
});

/** Each field of a request with another value. */
const OTHERS: { [F in keyof RestrictionRequest]: RestrictionRequest[F][] } = {
  dialect: ['duckdb'],
  sql: ['select id from orders ', 'select amount from orders', null],
  entities: [[{ table: 'orders' }], [{ table: 'orders', alias: 'o' }]],
  catalog: [null, structuredClone(SHOP)],
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

describe('an engine that remembers', () => {
  it('works out once what is asked twice', async () => {
    const { remembering, asked } = counted();
    const first = await remembering.restrict(request);
    expect(await remembering.restrict(structuredClone({ ...request, catalog: null }))).not.toEqual(first);
    expect(await remembering.restrict({ ...structuredClone(request), catalog: SHOP })).toBe(first);
    expect(asked()).toBe(2);
    for (let time = 0; time < 2; time += 1) {
      expect(await remembering.printExpression('id = {{ a }}', { a: 1 }, 'postgres')).toBe('id = 1');
      expect(await remembering.printExpression('id = {{ a }}', { a: '1' }, 'postgres')).toBe("id = '1'");
      expect(await remembering.printExpression('id = {{ a }}', {}, 'postgres')).toBeNull();
    }
    expect(asked()).toBe(5);
  });

  const cases = Object.entries(OTHERS).flatMap(([field, values]) =>
    values.map((value): [string, RestrictionRequest] => [
      `${field} ${JSON.stringify(value)?.slice(0, 80)}`,
      { ...request, [field]: value },
    ]),
  );
  it.each(cases)('answers as if it had been asked nothing before: %s', async (_, other) => {
    const { remembering, asked } = counted();
    await remembering.restrict(request);
    const knowsNothing = await createPostgres();
    expect(await remembering.restrict(other)).toEqual(await knowsNothing.restrict(other));
    expect(await remembering.restrict(request)).toEqual(await knowsNothing.restrict(request));
    expect(asked()).toBe(2);
  });

  it('gives answers that nobody can change', async () => {
    const { remembering } = counted();
    const { parameters, conditions } = await remembering.restrict(request);
    expect(() => parameters.push('more')).toThrow(TypeError);
    expect(() => Object.assign(conditions[0] ?? {}, { expression: 'true' })).toThrow(TypeError);
  });

  it('asks again after a failure, and keeps nothing that is very large', async () => {
    let failures = 1;
    const failing = rememberAnswers({
      ...engine,
      async restrict(question) {
        if ((failures -= 1) >= 0) throw new Error('gone');
        return engine.restrict(question);
      },
    });
    await expect(failing.restrict(request)).rejects.toThrow('gone');
    expect(await failing.restrict(request)).toMatchObject({ status: 'compiled' });
    const { remembering, asked } = counted();
    const large = { ...request, sql: `select id from orders where id < 5${' '.repeat(600_000)}` };
    for (let time = 0; time < 2; time += 1) await remembering.restrict(large);
    expect(asked()).toBe(2);
  });

  it('never takes one catalog for another, however many there were', async () => {
    const { remembering } = counted();
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
      const governed = await remembering.restrict({ ...request, catalog: tables('tenant_id') });
      const free = await remembering.restrict({ ...request, catalog: tables('region') });
      expect([governed.conditions.length, free.conditions.length]).toEqual([1, 0]);
    }
  });
});
