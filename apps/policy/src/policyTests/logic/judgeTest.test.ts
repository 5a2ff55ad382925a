import type { Compiled, JsonObject, TestExpectation } from '@gatehouse/contract';
import { expect, it } from 'vitest';
import { expressionsOf, judgeTest } from './judgeTest.js';

const COMPILED: Compiled = {
  status: 'compiled',
  dialect: 'postgres',
  sql: 'select 1',
  parameters: [],
  inlineSql: 'select 1',
  conditions: [
    { table: 'orders', alias: 'o', schema: 'sales', expression: 'tenant_id = 1', rules: ['own'] },
    { table: 'orders', alias: 'p', schema: 'sales', expression: 'tenant_id = 1', rules: ['own'] },
    { table: 'items', alias: null, schema: null, expression: 'a = 1', rules: ['own'] },
  ],
  reasons: [],
};
const PRINTED = new Map<string, string | null>([
  ['tenant_id = 1', 'tenant_id = 1'],
  ['TENANT_ID=1', 'tenant_id = 1'],
  ['a = 1', 'a = 1'],
  ['a = 2', 'a = 2'],
  ['a =', null],
]);
const judge = (
  expectation: TestExpectation,
  rows: JsonObject[] | null = null,
  compiled: Compiled = COMPILED,
) => judgeTest(expectation, { compiled, rows }, PRINTED);

it('checks every given field, and no other', () => {
  expect(judge({ status: 'compiled' })).toEqual([]);
  expect(judge({ status: 'denied' })).toEqual(['The status is compiled, not denied.']);
});

it('finds a reason by its code', () => {
  const denied: Compiled = {
    ...COMPILED,
    status: 'denied',
    sql: null,
    inlineSql: null,
    reasons: [{ code: 'MISSING_VALUE', message: 'x' }],
  };
  expect(judge({ status: 'denied', reason: 'MISSING_VALUE' }, null, denied)).toEqual([]);
  expect(judge({ reason: 'UNASSIGNED' }, null, denied)).toEqual([
    'The reason UNASSIGNED is not given; given are: MISSING_VALUE.',
  ]);
  expect(judge({ reason: 'UNASSIGNED' })).toEqual(['The reason UNASSIGNED is not given; given are: none.']);
});

it('compares normalized conditions, in any order of tables', () => {
  expect(judge({ conditions: { orders: 'TENANT_ID=1', items: 'a = 1' } })).toEqual([]);
  expect(judge({ conditions: { 'sales.orders': 'tenant_id = 1' } })).toEqual([]);
  expect(judge({ conditions: { items: 'a = 2' } })).toEqual(['The condition of items is a = 1, not a = 2.']);
  expect(judge({ conditions: { 'other.orders': 'a = 1' } })).toEqual([
    'other.orders has no condition, where one is expected.',
  ]);
  expect(judge({ conditions: { items: 'a =' } })).toEqual([
    'The condition that is expected of items does not parse.',
  ]);
  expect(expressionsOf({ conditions: { items: 'a = 2' } }, { compiled: COMPILED, rows: null })).toEqual([
    'a = 2',
    'tenant_id = 1',
    'a = 1',
  ]);
  expect(expressionsOf({ tables: [] }, { compiled: COMPILED, rows: null })).toEqual([]);
});

it('ignores the table name in a condition, but not within strings', () => {
  const expression = "o.a = 'o.b' AND `o`.c = 1 AND foo.d = 2";
  const compiled: Compiled = {
    ...COMPILED,
    conditions: [{ table: 'orders', alias: 'o', schema: null, expression, rules: [] }],
  };
  const forms = [expression, "a = 'o.b' AND c = 1 AND foo.d = 2", "a = 'b' AND c = 1 AND foo.d = 2"];
  const printed = new Map(forms.map((form) => [form, form]));
  const passes = forms.map(
    (orders) => judgeTest({ conditions: { orders } }, { compiled, rows: null }, printed).length === 0,
  );
  expect(passes).toEqual([true, true, false]);
});

it('never treats two expressions that do not parse as equal', () => {
  const broken = {
    ...COMPILED,
    conditions: [{ table: 't', alias: null, schema: null, expression: 'b =', rules: [] }],
  };
  expect(judge({ conditions: { t: 'a =' } }, null, broken)).toHaveLength(1);
  expect(judge({ conditions: { t: 'a = 1' } }, null, broken)).toHaveLength(1);
});

it('compares governed tables as a set of names with or without a schema', () => {
  expect(judge({ tables: ['items', 'sales.orders'] })).toEqual([]);
  expect(judge({ tables: ['items', 'orders'] })).toEqual([]);
  expect(judge({ tables: ['items', 'users'] })).toEqual([
    'users is not governed, where it is expected to be.',
    'sales.orders is governed, where it is not expected to be.',
  ]);
  expect(judge({ tables: [] })).toHaveLength(2);
});

it('compares rows as a multiset, in any order of rows and columns', () => {
  const rows = [
    { a: 1, b: 'x' },
    { a: 1, b: 'x' },
    { a: 2, b: null },
  ];
  expect(judge({ rows: [rows[2] ?? {}, { b: 'x', a: 1 }, { b: 'x', a: 1 }] }, rows)).toEqual([]);
  expect(judge({ rows: [rows[0] ?? {}, rows[2] ?? {}] }, rows)).toEqual([
    'Rows were read that are not expected: {"a":1,"b":"x"}.',
  ]);
  expect(judge({ rows: [...rows, { a: 3 }, { a: 3 }] }, rows)).toEqual([
    'Expected rows are absent: {"a":3} (2 times).',
  ]);
  expect(
    judge(
      { rows: [] },
      [1, 2, 3, 4, 5].map((a) => ({ a })),
    ),
  ).toEqual(['Rows were read that are not expected: {"a":1}, {"a":2}, {"a":3} and 2 more.']);
});

it('fails if rows are expected and none were read', () => {
  expect(judge({ rows: [] }, null)).toEqual(['No rows were read.']);
  expect(judge({ rows: [] }, [])).toEqual([]);
});
