import type { Node } from '@pgsql/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../sql/denials.js';
import { loadParser, parsePrinted } from './parser.js';
import { tableKey, verifyCondition, verifyPrinted } from './verifyPrinted.js';

beforeAll(loadParser);

function conditionOf(text: string): Node {
  const { whereClause } = parsePrinted(`SELECT WHERE ${text}`);
  if (!whereClause) throw new Error('no condition');
  return whereClause;
}

/** What is wrong with a print of a tree in which `orders` is governed by `orders.a = 1`; null when it is proven. */
function faultOf(text: string, tree = text): string | null {
  const conditions = new Map([[tableKey('public', 'orders'), [conditionOf('orders.a = 1')]]]);
  try {
    verifyPrinted(text, parsePrinted(tree), { conditions, isGoverned: ({ table }) => table === 'orders' });
    return null;
  } catch (error) {
    return error instanceof Refusal && error.reason.code === 'NOT_VERIFIED' ? error.message : String(error);
  }
}

const RESTRICTED = '(SELECT * FROM public.orders WHERE orders.a = 1)';
const UNRESTRICTED = 'a reference to orders is not restricted';

describe('what was printed', () => {
  test.each([
    `SELECT * FROM ${RESTRICTED} AS o`,
    `SELECT * FROM public.lookup WHERE EXISTS (SELECT 1 FROM ${RESTRICTED} AS orders)`,
    `WITH orders AS (SELECT * FROM ${RESTRICTED} AS o) SELECT * FROM orders`,
    `WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a`,
  ])('is proven: %s', (sql) => {
    expect(faultOf(sql)).toBeNull();
  });

  test('has to read back as the tree', () => {
    const message = 'what was printed reads back as another statement';
    expect(faultOf('SELECT 1', 'SELECT 2')).toBe(message);
    expect(faultOf('SELECT a + b * c', 'SELECT (a + b) * c')).toBe(message);
    expect(faultOf('SELECT 1 AS a', 'SELECT 1 AS "A"')).toBe(message);
    expect(faultOf('SELECT 1; SELECT 2', 'SELECT 1')).toBe('what was printed cannot be read');
    expect(faultOf('SELECT (', 'SELECT 1')).toBe('what was printed cannot be read');
  });

  test.each([
    'SELECT * FROM public.orders',
    `SELECT * FROM ${RESTRICTED} AS o, public.orders`,
    'SELECT * FROM (SELECT * FROM public.orders) AS o',
    'SELECT * FROM (SELECT * FROM public.orders WHERE orders.a = 2) AS o',
    'SELECT * FROM (SELECT * FROM public.orders WHERE orders.a = 1 OR true) AS o',
    'SELECT * FROM (SELECT * FROM public.orders, public.lookup WHERE orders.a = 1) AS o',
    'SELECT * FROM (SELECT *, (SELECT 1) FROM public.orders WHERE orders.a = 1) AS o',
    'SELECT * FROM (SELECT * FROM public.orders WHERE orders.a = 1 UNION SELECT * FROM public.orders) AS o',
    'SELECT * FROM public.lookup ORDER BY (SELECT max(a) FROM public.orders)',
    'WITH x AS (SELECT * FROM public.orders) SELECT * FROM x',
  ])('has every governed table restricted: %s', (sql) => {
    expect(faultOf(sql)).toBe(UNRESTRICTED);
  });

  test.each([
    'SELECT * FROM orders',
    'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1) SELECT * FROM a, orders',
    'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders',
    'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) AS x, orders',
  ])('names every table with its schema: %s', (sql) => {
    expect(faultOf(sql)).toBe('the table orders has no schema');
  });

  test('is a condition of its own where it is one', () => {
    expect(() => verifyCondition('a = 1', conditionOf('a = 1'))).not.toThrow();
    expect(() => verifyCondition('a = 1 OR true', conditionOf('a = 1'))).toThrow('reads back as another one');
    expect(() => verifyCondition('a = 1 GROUP BY b', conditionOf('a = 1'))).toThrow(
      'reads back as another one',
    );
  });
});
