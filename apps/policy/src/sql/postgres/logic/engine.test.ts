import { parseSync } from 'libpg-query';
import { beforeAll, describe, expect, test } from 'vitest';
import { createCatalogIndexer } from '../../logic/catalogIndex.js';
import type { SqlEngine } from '../../logic/restriction.js';
import { createPostgresEngine } from './engine.js';
import { quoteName } from './printParts.js';
import { parsePrinted } from './parser.js';
import { printSelect } from './printSelect.js';
import { isSameTree } from './trees.js';

let engine: SqlEngine;
beforeAll(async () => {
  engine = await createPostgresEngine({
    indexCatalog: createCatalogIndexer(),
    rules: new Map(),
    tables: new Map(),
    conditions: new Map(),
    parameterized: new Map(),
  });
});

test.each([
  ['SELECT * FROM orders FOR UPDATE', 'a locking clause such as FOR UPDATE is not allowed'],
  ['SELECT current_user', 'a function that describes the session, such as current_user, is not allowed'],
  ['SELECT * FROM orders TABLESAMPLE SYSTEM (10)', 'TABLESAMPLE is not allowed'],
  ["SELECT 'orders'::regclass", 'the type regclass is not allowed'],
  ['SELECT 1 OPERATOR(public.+) 2', 'the operator public.+ is not allowed'],
])('names in SQL what it rejects: %s', async (sql, message) => {
  const request = {
    dialect: 'postgres',
    sql,
    entities: [],
    catalog: null,
    isGoverned: false,
    rules: [],
  } as const;
  const schemas = { pinnedSchema: null, allowedSchemas: null, rowBarrier: false };
  const { reasons } = await engine.restrict({ ...request, ...schemas });
  expect(reasons).toEqual([expect.objectContaining({ message })]);
});

describe('printed text parses to the same tree', () => {
  test.each([
    "SELECT -1, - a, +a, a - -1, 1.5e10, 0, '', 'it''s', E'\\\\', b'101', x'1F', NULL, true, false, 99999999999",
    'SELECT a AND b AND c, a AND (b AND c), (a OR b) AND NOT c, NOT (a AND b), a = (b = c), (a + b) * c - (d - e)',
    'SELECT a IS NULL, a IS NOT NULL, a IS TRUE, a IS NOT UNKNOWN, (a = b) IS FALSE, a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b',
    "SELECT a LIKE 'x', a NOT LIKE 'x', a ILIKE 'x', a NOT ILIKE 'x', a ~ 'x', a !~* 'x', a ->> 'b', a @> b, a ? 'k'",
    'SELECT a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2, a BETWEEN SYMMETRIC b + 1 AND c, a NOT BETWEEN SYMMETRIC 1 AND 2',
    'SELECT a IN (1, 2), a NOT IN (1), a IN (SELECT 1), a NOT IN (SELECT 1), a = ANY (SELECT 1), a < ALL (SELECT 1), a = ANY (b), a <> ALL (ARRAY[1, 2])',
    'SELECT EXISTS (SELECT 1), ARRAY(SELECT 1), (SELECT 1), ROW(), ROW(1), (1, 2), (a, b) = (1, 2), (a, b) IN (SELECT 1, 2)',
    'SELECT CASE a WHEN 1 THEN 2 END, CASE WHEN a THEN b ELSE c END, COALESCE(a, 1), GREATEST(a, b), LEAST(a, b), NULLIF(a, b), GROUPING(a)',
    'SELECT CAST(a AS integer), a::numeric(10, 2), a::varchar(3)[], a::int[3], a::timestamptz, a::timestamp(3), a::double precision, a::interval, \'x\'::char(3), a::"char", (a::int)::text',
    'SELECT count(*), count(DISTINCT a), sum(a) FILTER (WHERE b), string_agg(a, b ORDER BY c DESC NULLS LAST), percentile_cont(0.5) WITHIN GROUP (ORDER BY a), f(VARIADIC a), f(a, x => 1)',
    'SELECT sum(a) OVER (), sum(a) OVER w, sum(a) OVER (w ROWS UNBOUNDED PRECEDING), sum(a) OVER (PARTITION BY b ORDER BY c RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t WINDOW w AS (PARTITION BY b)',
    'SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING EXCLUDE TIES), sum(a) OVER (ORDER BY b GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP), sum(a) OVER (ORDER BY b ROWS 1 + 1 PRECEDING EXCLUDE CURRENT ROW)',
    'SELECT a[1], a[1:2], a[:2], a[1:], a[:], (f(a))[1], ARRAY[1, 2], ARRAY[[1], [2]], a COLLATE "C", (a || b) COLLATE pg_catalog."C"',
    'SELECT CURRENT_DATE, CURRENT_TIMESTAMP(3), LOCALTIME, LOCALTIMESTAMP(0), a OPERATOR(pg_catalog.+) b, |/ a, @ a',
    'SELECT * FROM a, ONLY b, s.c AS x, s."D e" AS "y z" (p, "Q")',
    'SELECT * FROM a JOIN b ON true LEFT JOIN c USING (x, y) AS u RIGHT JOIN (d CROSS JOIN e) ON x = y NATURAL FULL JOIN f',
    'SELECT * FROM (a JOIN b ON true) AS j (x), (SELECT 1) AS s (y), LATERAL (SELECT 1) AS l, (VALUES (1, 2), (3, 4)) AS v (a, b), (SELECT 1)',
    'SELECT * FROM f(1), LATERAL f(a) WITH ORDINALITY AS t (x, n), ROWS FROM (f(1), g(2)) AS r',
    'SELECT DISTINCT a FROM b WHERE c GROUP BY a, (b, c), () HAVING d ORDER BY 1 ASC NULLS FIRST, a DESC LIMIT 5 OFFSET 2',
    'SELECT DISTINCT ON (a, b) c FROM d GROUP BY DISTINCT ROLLUP (a, b), CUBE (c), GROUPING SETS ((a), (b, c), ()) LIMIT ALL',
    'SELECT a FROM b ORDER BY a OFFSET 1 FETCH FIRST 3 + 1 ROWS WITH TIES'.replace('3 + 1', '(3 + 1)'),
    '(SELECT 1 ORDER BY 1 LIMIT 1) UNION ALL (SELECT 2) EXCEPT SELECT 3 INTERSECT ALL SELECT 4 ORDER BY 1',
    'SELECT 1 UNION (SELECT 2 UNION SELECT 3)',
    'WITH RECURSIVE a (x) AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (WITH c AS (SELECT 2) SELECT * FROM c) SELECT * FROM a, b',
    'SELECT "select", "Mixed", "with ""quotes""", "ünï", a AS "from", t."*", "in"."like" FROM t',
  ])('%s', (sql) => {
    const tree = parsePrinted(sql);
    const printed = printSelect(tree);
    expect(isSameTree(parsePrinted(printed), tree)).toBe(true);
    expect(printSelect(parsePrinted(printed))).toBe(printed);
  });

  test('leaves a name unquoted only if it reads back as itself', () => {
    const names = ['a', 'a_1', 'name', 'order', 'Order', 'a b', 'é', '1a', 'select', 'timestamp', 'a"b'];
    for (const name of names) {
      expect(JSON.stringify(parseSync(`SELECT x.${quoteName(name)} FROM x`))).toContain(
        JSON.stringify({ sval: name }),
      );
    }
    expect(['a_1', 'name', 'order', 'A', 'a b'].map(quoteName)).toEqual([
      'a_1',
      'name',
      '"order"',
      '"A"',
      '"a b"',
    ]);
  });

  test('trees differ if a field, a node or its index in a list differs', () => {
    const sqls = [
      'SELECT a',
      'SELECT b',
      'SELECT a, a',
      'SELECT a FROM b',
      'SELECT 0',
      "SELECT ''",
      'SELECT false',
      'SELECT NULL',
      'SELECT 1',
    ];
    for (const [index, sql] of sqls.entries()) {
      for (const [other, text] of sqls.entries()) {
        expect(isSameTree(parsePrinted(sql), parsePrinted(text))).toBe(index === other);
      }
    }
  });
});

describe('checkExpression', () => {
  test.each([
    'tenant_id = {{ t }}',
    'active',
    'true',
    "status IN ('a', 'b') AND NOT deleted",
    'is_admin OR {{ all }}',
    'id IN (SELECT x.id FROM x WHERE x.owner = {{ actor.id }})',
    'EXISTS (SELECT 1 FROM x)',
    "date_trunc('day', created_at) > now() - interval '30 days'",
    'coalesce(region, {{ r }}) = {{ r }}',
    '(a, b) IN (({{ x }}, {{ y }}))',
    'CAST(flag AS boolean)',
    'lower("Name") LIKE {{ p }}',
    'region ~ {{ pattern@secret }}',
    'id = ANY({{ ids }})',
    'doc @> {{ d }}',
  ])('%s may be saved', async (expression) => {
    expect(await engine.checkExpression(expression, 'postgres')).toBeNull();
  });

  test.each([
    ["a = 'é' AND count(*) > {{ x }}", 'count'],
    ['a = {{ a_long_name }} AND pg_sleep(1) = 1', 'pg_sleep'],
    ['a = {{ a_long_name }} AND ', ''],
    ["a = {{ x }} AND b = '{{ y }}'", '{{ y }}'],
    ['a = 1 -- b', '--'],
  ])('%s is faulty where it is', async (expression, at) => {
    const fault = await engine.checkExpression(expression, 'postgres');
    expect(expression.slice(fault?.position ?? -1)).toMatch(new RegExp(`^${at.replaceAll(/[{}]/g, '[$&]')}`));
  });
});

describe('analyzeExpression', () => {
  test.each<[string, unknown]>([
    ['a = {{ x }}', { kind: 'compare', column: 'a', operator: '=', value: { placeholder: 'x' } }],
    ['5 < a', { kind: 'compare', column: 'a', operator: '>', value: { literal: 5 } }],
    ["t.a <> 'x'", { kind: 'compare', column: 'a', operator: '<>', value: { literal: 'x' } }],
    ['a = false', { kind: 'compare', column: 'a', operator: '=', value: { literal: false } }],
    [
      'a IN (1, {{ x }})',
      { kind: 'in', column: 'a', values: [{ literal: 1 }, { placeholder: 'x' }], isNegated: false },
    ],
    ['a NOT IN {{ x }}', { kind: 'in', column: 'a', values: [{ placeholder: 'x' }], isNegated: true }],
    ['a = ANY({{ x }})', { kind: 'in', column: 'a', values: [{ placeholder: 'x' }], isNegated: false }],
    ['a <> ALL({{ x }})', { kind: 'in', column: 'a', values: [{ placeholder: 'x' }], isNegated: true }],
    ['a > ANY({{ x }})', { kind: 'other', columns: ['a'] }],
    ['a IS NOT NULL', { kind: 'isNull', column: 'a', isNegated: true }],
    ['true', { kind: 'constant', value: true }],
    ['false', { kind: 'constant', value: false }],
    ['a = b', { kind: 'other', columns: ['a', 'b'] }],
    ['lower(a) = c || {{ x }}', { kind: 'other', columns: ['a', 'c'] }],
    ['a = NULL', { kind: 'other', columns: ['a'] }],
    ['active', { kind: 'other', columns: ['active'] }],
    [
      'NOT (a IS NULL OR true)',
      {
        kind: 'not',
        part: {
          kind: 'or',
          parts: [
            { kind: 'isNull', column: 'a', isNegated: false },
            { kind: 'constant', value: true },
          ],
        },
      },
    ],
  ])('%s', async (expression, condition) => {
    expect(await engine.analyzeExpression(expression, 'postgres')).toEqual(condition);
  });

  test('returns null for text that does not parse', async () => {
    expect(await engine.analyzeExpression('a =', 'postgres')).toBeNull();
  });
});
