import type { Catalog } from '@gatehouse/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPostgres } from '../compiler/localEngines.js';
import type { SqlEngine } from '../logic/restriction.js';
import { restrictShop, rule, shopCatalog } from '../../testing/polyglot/shop.js';

let engine: SqlEngine;
beforeAll(async () => {
  engine = await createPostgres();
});

const repeat = (count: number, part: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator);
const stars = (count: number) => repeat(count, () => '*');

const WIDE: Catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: [
        {
          name: 'wide',
          kind: 'table',
          columns: Array.from({ length: 1664 }, (_, index) => ({ name: `c${index}`, type: '' })),
        },
      ],
    },
  ],
};

/** Restricts a statement of PostgreSQL and returns its status with the codes of its reasons. */
async function outcomeOf(sql: string, catalog = shopCatalog('public')) {
  const changes = { dialect: 'postgres', catalog } as const;
  const { status, reasons } = await restrictShop(engine, sql, changes);
  return [status, ...reasons.map(({ code }) => code)];
}
const REFUSED = ['denied', 'TOO_LARGE'];

describe('a select list', () => {
  test('with stars that multiply through WITH queries is refused before expansion', async () => {
    const more = repeat(8, (index) => `c${index} as (select ${stars(900)} from b)`);
    const sql = `with a as (select ${stars(250)} from orders), b as (select ${stars(100)} from a), ${more} select 1`;
    expect(await outcomeOf(sql)).toEqual(REFUSED);
  });

  test.each([
    ['a subquery', `select 1 from (select ${stars(417)} from orders) a`],
    ['a set operation', `select ${stars(417)} from orders union select ${stars(417)} from orders`],
    ['a qualified star', `select ${repeat(417, () => 'o.*')} from orders o`],
    ['a join', `select ${stars(209)} from orders a cross join orders b`],
    ['an EXISTS', `select 1 where exists (select ${stars(417)} from orders)`],
    ['expressions', `select ${repeat(1665, String)}`],
    ['VALUES', `select 1 from (values (${repeat(1665, String)})) a`],
    ['columns that are not known', `select ${stars(1665)} from elsewhere`],
  ])('of more than 1,664 columns is refused in %s', async (_, sql) => {
    expect(await outcomeOf(sql)).toEqual(REFUSED);
  });

  test('of 1,664 columns is restricted', async () => {
    expect(await outcomeOf(`select ${stars(416)} from orders`)).toEqual(['compiled']);
    expect(await outcomeOf('select * from wide', WIDE)).toEqual(['compiled']);
  });
});

describe('a FROM clause', () => {
  test.each([
    ['a list', `select 1 from ${repeat(301, (index) => `orders a${index}`)}`],
    ['a join', `select 1 from ${repeat(301, (index) => `orders a${index}`, ' cross join ')}`],
    [
      'joins within a list',
      `select 1 from ${repeat(151, (index) => `orders a${index} cross join orders b${index}`)}`,
    ],
    ['a subquery', `select (select count(*) from ${repeat(301, (index) => `countries a${index}`)})`],
  ])('of more than 300 items is refused in %s', async (_, sql) => {
    expect(await outcomeOf(sql)).toEqual(REFUSED);
  });

  test('of 300 items is restricted', async () => {
    const sql = `select 1 from ${repeat(300, (index) => `orders a${index}`)}`;
    expect(await outcomeOf(sql)).toEqual(['compiled']);
  });
});

test('refuses a statement that prints a long rule too many times', async () => {
  const expression = `tenant_id in (${repeat(1500, () => `'x'`)})`;
  const sql = `select 1 where ${repeat(2000, () => 'exists (select 1 from orders)', ' and ')}`;
  const changes = { dialect: 'postgres', catalog: shopCatalog('public'), rules: [rule(expression)] } as const;
  const { status, reasons } = await restrictShop(engine, sql, changes);
  expect([status, ...reasons.map(({ code }) => code)]).toEqual(REFUSED);
});

test('reports at most a hundred reasons', async () => {
  const sql = `select 1 where ${repeat(2000, () => 'exists (select 1 from elsewhere)', ' and ')}`;
  const [status, ...codes] = await outcomeOf(sql);
  expect(status).toBe('denied');
  expect(codes).toEqual(Array.from({ length: 100 }, () => 'UNKNOWN_TABLE'));
});

test('refuses rules again for the next statement, however many reasons there are', async () => {
  const rules = Array.from({ length: 101 }, (_, index) => rule(`absent_${index} = 1`));
  const changes = { dialect: 'postgres', catalog: shopCatalog('public'), rules } as const;
  for (const sql of ['select 1 from orders', 'select 2 from orders']) {
    expect((await restrictShop(engine, sql, changes)).status).toBe('denied');
  }
});

test('rejects an empty rule, whose cache entry has no characters', async () => {
  expect(await engine.checkExpression('', 'postgres')).not.toBeNull();
});
