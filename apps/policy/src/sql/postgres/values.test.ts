import { PGlite } from '@electric-sql/pglite';
import type { ParamValue } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqlEngine } from '../logic/restriction.js';
import { createPostgres } from '../compiler/localEngines.js';
import { ruleOf, shopRequest } from '../../testing/restrictions.js';

let engine: SqlEngine;
let database: PGlite;

const CATALOG = {
  schemas: [
    {
      name: 'public',
      tables: [
        {
          name: 'things',
          kind: 'table' as const,
          columns: ['id', 'big', 'price', 'label', 'flag', 'uid', 'day', 'kind', 'tags', 'doc'].map(
            (name) => ({
              name,
              type: '',
            }),
          ),
        },
      ],
    },
  ],
};

beforeAll(async () => {
  [engine, database] = await Promise.all([createPostgres(), PGlite.create()]);
  await database.exec(`
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE TABLE things (id int, big bigint, price numeric, label text, flag boolean, uid uuid, day date, kind mood,
      tags text[], doc jsonb);
    INSERT INTO things VALUES
      (1, 5000000000, 1.5, 'a', true, '00000000-0000-0000-0000-000000000001', '2024-01-01', 'sad', '{a,b}', '{"a": 1}'),
      (2, 2, 2, E'it''s \\\\ {x}', false, '00000000-0000-0000-0000-000000000002', '2024-02-02', 'happy', '{c}', '{}'),
      (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`);
  // The client loads the array type of the new type.
  await database.refreshArrayTypes();
});
afterAll(async () => {
  await database.close();
});

const ODD = "it's \\ {x}";

/** Expressions with a value, and the ids of the matching rows in both forms. */
const CASES: [expression: string, value: ParamValue, ids: number[]][] = [
  ['id = {{x}}', 1, [1]],
  ['id = {{x}}', 1.5, []],
  ['id < {{x}}', 1.5, [1]],
  ['id > {{x}}', -1, [1, 2, 3]],
  ['id - {{x}} = 3', -2, [1]],
  ['id < {{x}}', 5_000_000_000, [1, 2, 3]],
  ['big = {{x}}', 5_000_000_000, [1]],
  ['price = {{x}}', 1.5, [1]],
  ['id < {{x}}', 1e21, [1, 2, 3]],
  ['price > {{x}}', 1e-7, [1, 2]],
  ['id = {{x}}', 0, []],
  ['id = {{x}}', '1', [1]],
  ['label = {{x}}', 'a', [1]],
  ['label = {{x}}', ODD, [2]],
  ['label = {{x}}', '', []],
  ['label LIKE {{x}}', 'a%', [1]],
  ["label || 'b' = {{x}}", 'ab', [1]],
  ['lower(label) = lower({{x}})', 'A', [1]],
  ["concat(label, {{x}}) = 'ab'", 'b', [1]],
  ["coalesce(label, {{x}}) = 'z'", 'z', [3]],
  ['{{x}} IS NOT NULL', 'y', [1, 2, 3]],
  ['flag = {{x}}', true, [1]],
  ['flag IS NOT DISTINCT FROM {{x}}', false, [2]],
  ['{{x}}', true, [1, 2, 3]],
  ['{{x}} OR id = 1', false, [1]],
  ['NOT {{x}}', false, [1, 2, 3]],
  ['uid = {{x}}', '00000000-0000-0000-0000-000000000002', [2]],
  ['day >= {{x}}', '2024-01-15', [2]],
  ['day >= {{x}}::date', '2024-01-15', [2]],
  ["date_trunc('month', day) = {{x}}", '2024-02-01', [2]],
  ['kind = {{x}}', 'happy', [2]],
  ['doc @> {{x}}', '{"a": 1}', [1]],
  ["doc ->> {{x}} = '1'", 'a', [1]],
  ['tags @> {{x}}::text[]', ['a'], [1]],
  ['tags && {{x}}::text[]', ['c', 'z'], [2]],
  ['id IN {{x}}', [1, 3], [1, 3]],
  ['id IN ({{x}})', [1, 3], [1, 3]],
  ['id in {{x}}', 2, [2]],
  ['id IN ({{x}}, 3)', 2, [2, 3]],
  ['id IN {{x}}', [1, 5_000_000_000], [1]],
  ['id IN {{x}}', [1.5, 2], [2]],
  ['id NOT IN {{x}}', [1, 3], [2]],
  ['NOT id IN {{x}}', [1, 3], [2]],
  ['id = ANY({{x}})', [1, 3], [1, 3]],
  ['id = ANY({{x}})', 3, [3]],
  ['id <> ALL({{x}})', [1, 3], [2]],
  ['id > ANY({{x}})', [1, 2], [2, 3]],
  ['id > ALL({{x}})', [1, 2], [3]],
  ['label LIKE ANY({{x}})', ['a%', '%x}'], [1, 2]],
  ['id IN {{x}}', [], []],
  ['id NOT IN {{x}}', [], [1, 2, 3]],
  ['big NOT IN {{x}}', [], [1, 2, 3]],
  ['big NOT IN {{x}}', [2], [1]],
  ['id = ANY({{x}})', [], []],
  ['id <> ALL({{x}})', [], [1, 2, 3]],
  ['id > ALL({{x}}) AND id > 1', [], [2, 3]],
  ['label IN {{x}}', ['a', ODD], [1, 2]],
  ['uid IN {{x}}', ['00000000-0000-0000-0000-000000000001'], [1]],
  ['kind IN {{x}}', ['happy', 'sad'], [1, 2]],
  ['day IN {{x}}', ['2024-01-01'], [1]],
  ["(id, label) = ({{x}}, 'a')", 1, [1]],
  ['CASE WHEN id = {{x}} THEN true ELSE false END', 2, [2]],
  ['id BETWEEN {{x}} AND 2', 2, [2]],
  ['id = {{x}} OR id = {{x}} + 1', 1, [1, 2]],
];

describe('a value means the same as a parameter and as a literal', () => {
  test.each(CASES)('%s with %j', async (expression, value, ids) => {
    const rules = [ruleOf(expression, { x: value }, { type: 'TABLE_LIST', tables: [{ table: 'things' }] })];
    const request = shopRequest('SELECT id FROM things ORDER BY id', { rules, catalog: CATALOG });
    const { sql, inlineSql, parameters, reasons } = await engine.restrict(request);
    expect(reasons).toEqual([]);
    const inlined = await database.query<{ id: number }>(inlineSql ?? '');
    const parameterized = await database.query<{ id: number }>(sql ?? '', parameters);
    expect(inlined.rows.map((row) => row.id)).toEqual(ids);
    expect(parameterized.rows.map((row) => row.id)).toEqual(ids);
    const printed = await engine.printExpression(expression, { x: value }, 'postgres');
    const filtered = await database.query<{ id: number }>(
      `SELECT id FROM things WHERE ${printed} ORDER BY id`,
    );
    expect(filtered.rows.map((row) => row.id)).toEqual(ids);
  });
});

describe('a value that does not fit its placeholder', () => {
  test.each<[string, ParamValue]>([
    ['id = {{x}}', [1]],
    ['label LIKE {{x}}', ['a']],
    ['id IN (1, {{x}})', [2]],
    ['(id, id) IN ({{x}})', [1, 2]],
    ['{{x}}', 'yes'],
    ['{{x}} AND id = 1', 1],
    ['NOT {{x}}', []],
    ['id = {{x}}', Number.NaN],
    ['id = {{x}}', Number.POSITIVE_INFINITY],
    ['id IN {{x}}', [1, Number.NaN]],
    ['label = {{x}}', 'a\0b'],
    ['label IN {{x}}', ['a\0b']],
  ])('%s with %j denies', async (expression, value) => {
    const rules = [ruleOf(expression, { x: value }, { type: 'TABLE_LIST', tables: [{ table: 'things' }] })];
    const request = shopRequest('SELECT id FROM things', { rules, catalog: CATALOG });
    const { status, sql, reasons } = await engine.restrict(request);
    expect({ status, sql, reasons }).toMatchObject({
      status: 'denied',
      sql: null,
      reasons: [{ code: 'UNFIT_VALUE' }],
    });
    expect(await engine.printExpression(expression, { x: value }, 'postgres')).toBeNull();
  });

  test('a placeholder without a value prints nothing', async () => {
    expect(await engine.printExpression('id = {{x}}', {}, 'postgres')).toBeNull();
    expect(await engine.printExpression('id =', {}, 'postgres')).toBeNull();
  });
});

describe('a value for a money column, which the server rounds to the digits of its locale', () => {
  const columns = [
    { name: 'id', type: 'integer' },
    { name: 'price', type: 'money' },
  ];
  const catalog = {
    schemas: [{ name: 'public', tables: [{ name: 'invoices', kind: 'table' as const, columns }] }],
  };
  const restrict = (expression: string, value: ParamValue) => {
    const rules = [ruleOf(expression, { x: value }, { type: 'TABLE_LIST', tables: [{ table: 'invoices' }] })];
    return engine.restrict(shopRequest('SELECT id FROM invoices', { rules, catalog }));
  };
  beforeAll(async () => {
    await database.exec(`
      CREATE TABLE invoices (id int, price money);
      INSERT INTO invoices VALUES (1, '0'), (2, '1.56'), (3, '2')`);
  });

  test.each<[string, ParamValue]>([
    ['price = {{x}}', '1.555'],
    ['price = {{x}}', '0.004'],
    ['price = {{x}}', '1.5'],
    ['price IN {{x}}', ['2', '1.555']],
  ])('denies %s with %j', async (expression, value) => {
    expect(await restrict(expression, value)).toMatchObject({
      status: 'denied',
      reasons: [{ code: 'UNFIT_VALUE' }],
    });
  });

  test('permits whole numbers', async () => {
    const { sql, inlineSql, parameters } = await restrict('price = {{x}}', '2');
    expect((await database.query(inlineSql ?? '')).rows).toEqual([{ id: 3 }]);
    expect((await database.query(sql ?? '', parameters)).rows).toEqual([{ id: 3 }]);
  });
});
