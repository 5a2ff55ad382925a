import { describe, expect, it } from 'vitest';
import { markConditions } from './sqlMarks.js';

const condition = (table: string, alias: string | null, expression: string) => ({
  table,
  alias,
  schema: 'public',
  expression,
  rules: ['a rule'],
});

const marked = (sql: string, ...conditions: ReturnType<typeof condition>[]) =>
  markConditions(sql, conditions)
    .filter(({ condition: place }) => place !== null)
    .map(({ text, condition: place }) => [place, text]);

describe('the marks in a restricted statement', () => {
  const sql =
    "SELECT o.id FROM (SELECT * FROM public.orders WHERE (orders.tenant = 'a)b') AND (orders.n > 1)) AS o JOIN " +
    "(SELECT * FROM public.items WHERE items.tenant = 'a)b') AS i ON i.id = o.id WHERE o.n > 5";
  const conditions = [
    condition('orders', 'o', "(o.tenant = 'a)b') AND (o.n > 1)"),
    condition('items', 'i', "i.tenant = 'a)b'"),
  ];

  it('are at the injected conditions of each table, for every inner name of the table', () => {
    expect(marked(sql, ...conditions)).toEqual([
      [0, "(orders.tenant = 'a)b') AND (orders.n > 1)"],
      [1, "items.tenant = 'a)b'"],
    ]);
  });

  it('follow a table that has its own alias in the restriction', () => {
    const aliased =
      'SELECT * FROM (SELECT * FROM `main`.`orders` AS `gatehouse_governed` ' +
      'WHERE `gatehouse_governed`.`tenant` = 1) AS `o`';
    expect(marked(aliased, condition('orders', 'o', '`o`.`tenant` = 1'))).toEqual([
      [0, '`gatehouse_governed`.`tenant` = 1'],
    ]);
  });

  it('do not change the statement', () => {
    const parts = markConditions(sql, conditions);
    expect(parts.map(({ text }) => text).join('')).toBe(sql);
  });

  it('are at each occurrence of the same injected condition', () => {
    const union = 'SELECT * FROM (SELECT * FROM t WHERE t.a = 1) AS x, (SELECT * FROM t WHERE t.a = 1) AS y';
    expect(marked(union, condition('t', 'x', 'x.a = 1'))).toHaveLength(2);
  });

  it('skip a condition of the statement itself, even if its text is the same', () => {
    const own =
      'SELECT * FROM (SELECT * FROM (SELECT * FROM t WHERE t.a = 1) AS t WHERE a = 1) AS s WHERE a = 1';
    expect(marked(own, condition('t', 't', 't.a = 1'))).toEqual([[0, 't.a = 1']]);
  });

  it('skip another condition of the same table, and the same one of another table', () => {
    expect(
      marked("SELECT * FROM (SELECT * FROM t WHERE a = 'X') AS t", condition('t', null, "a = 'x'")),
    ).toEqual([]);
    expect(marked('SELECT * FROM (SELECT * FROM t WHERE a = 1) AS t', condition('u', null, 'a = 1'))).toEqual(
      [],
    );
    expect(
      marked('SELECT * FROM (SELECT * FROM t WHERE a = 12) AS t', condition('t', null, 'a = 1')),
    ).toEqual([]);
  });

  it('ignore the quotes of names', () => {
    expect(
      marked(
        'SELECT * FROM (SELECT * FROM `t` WHERE `t`.`a` = 1) AS `x`',
        condition('t', 'x', '"x"."a" = 1'),
      ),
    ).toEqual([[0, '`t`.`a` = 1']]);
  });
});
