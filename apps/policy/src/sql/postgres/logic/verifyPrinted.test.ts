import fc from 'fast-check';
import type { Node } from '@pgsql/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../logic/denials.js';
import { loadParser, parsePrinted } from './parser.js';
import { ExpectedConditions, verifyCondition, verifyPrinted } from './verifyPrinted.js';

beforeAll(loadParser);

function conditionOf(text: string): Node {
  const { whereClause } = parsePrinted(`SELECT WHERE ${text}`);
  if (!whereClause) throw new Error('no condition');
  return whereClause;
}

/**
 * The fault in the printed form of a tree in which `orders` is governed by `orders.a = 1`; null if it is
 * verified.
 */
function faultOf(text: string, tree = text, added = ['orders.a = 1']): string | null {
  const conditions = new ExpectedConditions();
  for (const condition of added) {
    conditions.add({ schema: 'public', name: 'orders' }, conditionOf(condition));
  }
  try {
    verifyPrinted(text, parsePrinted(tree), { conditions, isGoverned: ({ table }) => table === 'orders' });
    return null;
  } catch (error) {
    return error instanceof Refusal && error.reason.code === 'NOT_VERIFIED' ? error.message : String(error);
  }
}

const RESTRICTED = '(SELECT * FROM public.orders WHERE orders.a = 1)';
const UNRESTRICTED = 'a reference to orders is not restricted';

describe('printed text', () => {
  test.each([
    `SELECT * FROM ${RESTRICTED} AS o`,
    `SELECT * FROM public.lookup WHERE EXISTS (SELECT 1 FROM ${RESTRICTED} AS orders)`,
    `WITH orders AS (SELECT * FROM ${RESTRICTED} AS o) SELECT * FROM orders`,
    `WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a`,
  ])('is proven: %s', (sql) => {
    expect(faultOf(sql)).toBeNull();
  });

  test('must parse to the tree', () => {
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

  test('has each table under any of the conditions of that table, whatever their order', () => {
    const value = fc.integer({ min: 1, max: 5 });
    const values = fc.array(value, { minLength: 1, maxLength: 8 });
    const conditionOn = (number: number) => `orders.a = ${number}`;
    fc.assert(
      fc.property(values, values, (added, read) => {
        const tables = read.map(
          (number) => `(SELECT * FROM public.orders WHERE ${conditionOn(number)}) AS o`,
        );
        const text = `SELECT 1 FROM ${tables.join(', ')}`;
        const isProven = read.every((number) => added.includes(number));
        expect(faultOf(text, text, added.map(conditionOn))).toBe(isProven ? null : UNRESTRICTED);
      }),
    );
  });

  test.each([
    'SELECT * FROM orders',
    'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1) SELECT * FROM a, orders',
    'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders',
    'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) AS x, orders',
  ])('names every table with its schema: %s', (sql) => {
    expect(faultOf(sql)).toBe('the table orders has no schema');
  });

  test('may be a single condition', () => {
    expect(() => verifyCondition('a = 1', conditionOf('a = 1'))).not.toThrow();
    expect(() => verifyCondition('a = 1 OR true', conditionOf('a = 1'))).toThrow('reads back as another one');
    expect(() => verifyCondition('a = 1 GROUP BY b', conditionOf('a = 1'))).toThrow(
      'reads back as another one',
    );
  });
});
