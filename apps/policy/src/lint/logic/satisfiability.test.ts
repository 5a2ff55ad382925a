import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition, ConditionValue } from '../../sql/logic/restriction.js';
import { relate } from './literals.js';
import { canHold, type Truth } from './satisfiability.js';
import { Work } from './work.js';

type Scalar = string | number | boolean;
type Row = Record<string, Scalar | null>;

/** A way to compare two values: below 0, 0 or above 0, depending on types and collations. */
type Order = (a: Scalar, b: Scalar) => number;
const plain = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
const ORDERS: Record<string, Order> = {
  binary: (a, b) => (typeof a === typeof b ? plain(Number(a), Number(b)) || plain(String(a), String(b)) : 1),
  text: (a, b) => plain(String(a), String(b)),
  'no case': (a, b) => plain(String(a).toLowerCase(), String(b).toLowerCase()),
  'no punctuation': (a, b) => plain(String(a).replaceAll(/\W|_/g, ''), String(b).replaceAll(/\W|_/g, '')),
  backwards: (a, b) => (/^\d/.test(String(a)) ? 1 : -1) * plain(String(a), String(b)),
  numbers: (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? plain(String(a), String(b)) : plain(x, y);
  },
};

interface World {
  row: Row;
  /** The values of the placeholders. */
  values: Record<string, Scalar>;
  order: Order;
  /** The results of the parts that are not understood. */
  unknown: boolean | null;
}

const not = (value: boolean | null) => (value === null ? null : !value);

/** A slow and plain implementation of SQL logic, in which a comparison with NULL is NULL. */
function evaluate(condition: Condition, world: World): boolean | null {
  const { row, values, order, unknown } = world;
  const valueOf = (value: ConditionValue) =>
    'literal' in value ? value.literal : (values[value.placeholder] ?? 0);
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'other':
      return unknown;
    case 'not':
      return not(evaluate(condition.part, world));
    case 'and': {
      const parts = condition.parts.map((part) => evaluate(part, world));
      return parts.includes(false) ? false : parts.includes(null) ? null : true;
    }
    case 'or': {
      const parts = condition.parts.map((part) => evaluate(part, world));
      return parts.includes(true) ? true : parts.includes(null) ? null : false;
    }
    case 'isNull':
      return (row[condition.column] === null) !== condition.isNegated;
    case 'in': {
      if (condition.values.length === 0) return condition.isNegated;
      const cell = row[condition.column] ?? null;
      if (cell === null) return null;
      return condition.values.some((value) => order(cell, valueOf(value)) === 0) !== condition.isNegated;
    }
    case 'compare': {
      const cell = row[condition.column] ?? null;
      if (cell === null) return null;
      const by = order(cell, valueOf(condition.value));
      const results = {
        '=': by === 0,
        '<>': by !== 0,
        '<': by < 0,
        '<=': by <= 0,
        '>': by > 0,
        '>=': by >= 0,
      };
      return results[condition.operator];
    }
  }
}

const COLUMNS: Record<string, readonly Scalar[]> = {
  n: [0, 1, 2, 1.5],
  t: ['eu', 'us', 'EU', 'e-u', '1', '2', '10', '2024-01-01', '2024-02-01', ''],
  b: [true, false],
};
const literalOf = (column: string) =>
  fc.constantFrom(...(COLUMNS[column] ?? [])).map((literal) => ({ literal }));
const valueOf = (column: string): fc.Arbitrary<ConditionValue> =>
  fc.oneof(
    { weight: 5, arbitrary: literalOf(column) },
    { weight: 1, arbitrary: fc.constantFrom({ placeholder: 'x' }, { placeholder: 'y' }) },
  );
const column = fc.constantFrom('n', 't', 'b');
const atom: fc.Arbitrary<Condition> = column.chain((name) =>
  fc.oneof(
    fc.record({
      kind: fc.constant('compare' as const),
      column: fc.constant(name),
      operator: fc.constantFrom('=', '<>', '<', '<=', '>', '>='),
      value: valueOf(name),
    }),
    fc.record({
      kind: fc.constant('in' as const),
      column: fc.constant(name),
      values: fc.array(valueOf(name), { maxLength: 3 }),
      isNegated: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('isNull' as const), column: fc.constant(name), isNegated: fc.boolean() }),
  ),
);
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 8, arbitrary: atom },
  {
    weight: 1,
    arbitrary: fc.constantFrom(true, false, null).map((value) => ({ kind: 'constant' as const, value })),
  },
  { weight: 1, arbitrary: fc.constant<Condition>({ kind: 'other', columns: ['n'] }) },
);
const { condition: conditions } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('condition'), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('not' as const), part: tie('condition') }),
  ),
}));

const cell = (name: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.constantFrom(...(COLUMNS[name] ?? [])) },
  );
const world: fc.Arbitrary<World> = fc.record({
  row: fc.record({ n: cell('n'), t: cell('t'), b: cell('b') }),
  values: fc.record({
    x: fc.constantFrom<Scalar>(0, 1, 'eu', '1', true),
    y: fc.constantFrom<Scalar>(1, 2, 'us', 'EU', false),
  }),
  order: fc.constantFrom(...Object.values(ORDERS)),
  unknown: fc.constantFrom(true, false, null),
});
const worlds = fc.array(world, { minLength: 12, maxLength: 24 });

const TRUTHS: Record<Truth, (value: boolean | null) => boolean> = {
  true: (value) => value === true,
  false: (value) => value === false,
  notTrue: (value) => value !== true,
  notFalse: (value) => value !== false,
};

describe('what is reported as impossible', () => {
  it.each(['true', 'false', 'notTrue', 'notFalse'] as const)(
    'never happens for conditions required to be %s',
    (truth) => {
      let impossible = 0;
      fc.assert(
        fc.property(conditions, worlds, (asked, tried) => {
          if (canHold([{ condition: asked, truth }])) return;
          impossible += 1;
          for (const each of tried) expect(TRUTHS[truth](evaluate(asked, each))).toBe(false);
        }),
        { numRuns: randomRuns(3000) },
      );
      expect(impossible).toBeGreaterThan(30);
    },
  );

  it('never happens for two conditions together', () => {
    let impossible = 0;
    fc.assert(
      fc.property(conditions, conditions, worlds, (first, second, tried) => {
        if (
          canHold([
            { condition: first, truth: 'true' },
            { condition: second, truth: 'true' },
          ])
        )
          return;
        impossible += 1;
        for (const each of tried)
          expect([evaluate(first, each), evaluate(second, each)]).not.toEqual([true, true]);
      }),
      { numRuns: randomRuns(3000) },
    );
    expect(impossible).toBeGreaterThan(100);
  });
});

const compare = (
  name: string,
  operator: Extract<Condition, { kind: 'compare' }>['operator'],
  literal: Scalar,
): Condition => ({
  kind: 'compare',
  column: name,
  operator,
  value: { literal },
});
const within = (name: string, isNegated: boolean, ...literals: Scalar[]): Condition => ({
  kind: 'in',
  column: name,
  values: literals.map((literal) => ({ literal })),
  isNegated,
});
const isNull = (name: string): Condition => ({ kind: 'isNull', column: name, isNegated: false });
const all = (...parts: Condition[]): Condition => ({ kind: 'and', parts });
const any = (...parts: Condition[]): Condition => ({ kind: 'or', parts });
const asked = (name: string, operator: '=' | '<>', placeholder: string): Condition => ({
  kind: 'compare',
  column: name,
  operator,
  value: { placeholder },
});
const askedIn = (isNegated: boolean): Condition => ({
  kind: 'in',
  column: 'a',
  values: [{ placeholder: 'x' }],
  isNegated,
});

describe('what is proven', () => {
  const neverTrue: [string, Condition][] = [
    ['two values of one column', all(compare('a', '=', 1), compare('a', '=', 2))],
    ['two words of one column', all(compare('a', '=', 'eu'), compare('a', '=', 'us'))],
    ['a value and its opposite', all(compare('a', '=', 'eu'), compare('a', '<>', 'eu'))],
    ['an empty range', all(compare('a', '>', 5), compare('a', '<', 3))],
    ['an open range of one number', all(compare('a', '>=', 5), compare('a', '<', 5))],
    [
      'a range of dates the wrong way round',
      all(compare('a', '>=', '2024-02-01'), compare('a', '<', '2024-01-01')),
    ],
    ['a value outside of a range', all(compare('a', '=', 7), compare('a', '<=', 3))],
    ['a value outside of a list', all(compare('a', '=', 7), within('a', false, 1, 2, 3))],
    ['lists with nothing in common', all(within('a', false, 1, 2), within('a', false, 3, 4))],
    ['a list all of which is excluded', all(within('a', false, 1, 2), within('a', true, 1, 2, 3))],
    [
      'a list of which each value is excluded by another part',
      all(within('a', false, 1, 9), compare('a', '>', 2), compare('a', '<>', 9)),
    ],
    ['NULL and a value', all(isNull('a'), compare('a', '=', 1))],
    ['every way of a choice', all(compare('a', '=', 1), any(compare('a', '=', 2), compare('a', '>', 3)))],
    ['a negated comparison', all(compare('a', '=', 1), { kind: 'not', part: compare('a', '<', 5) })],
    ['one placeholder both ways', all(asked('a', '=', 'x'), asked('a', '<>', 'x'))],
    ['one list both ways', all(askedIn(false), askedIn(true))],
    ['an empty list', within('a', false)],
    ['a comparison with NULL', { kind: 'constant', value: null }],
  ];
  it.each(neverTrue)('to hold for no row: %s', (_, never) => {
    expect(canHold([{ condition: never, truth: 'true' }])).toBe(false);
  });

  const alwaysTrue: [string, Condition][] = [
    ['a constant', { kind: 'constant', value: true }],
    ['NULL or not', any(isNull('a'), { kind: 'not', part: isNull('a') })],
    ['NULL, a value or another', any(isNull('a'), compare('a', '=', 1), compare('a', '<>', 1))],
    ['NULL or any side of a number', any(isNull('a'), compare('a', '<', 1), compare('a', '>=', 1))],
    [
      'anything beside what is true',
      any({ kind: 'other', columns: ['a'] }, { kind: 'constant', value: true }),
    ],
    ['not in an empty list', within('a', true)],
  ];
  it.each(alwaysTrue)('to hold for every row: %s', (_, always) => {
    expect(canHold([{ condition: always, truth: 'notTrue' }])).toBe(false);
  });

  const open: [string, Condition][] = [
    ['a value or another, which a NULL is neither of', any(compare('a', '=', 1), compare('a', '<>', 1))],
    ['two placeholders, which may be the same', all(asked('a', '=', 'x'), asked('a', '<>', 'y'))],
    ['words that differ in case', all(compare('a', '=', 'eu'), compare('a', '=', 'EU'))],
    ['texts that some type reads as one', all(compare('a', '=', 'true'), compare('a', '=', 'yes'))],
    ['numbers as texts, of which one may be padded', all(compare('a', '=', '1'), compare('a', '=', '01'))],
    ['the order of words, which a collation decides', all(compare('a', '>', 'b'), compare('a', '<', 'a'))],
    ['values of several types', all(compare('a', '=', 1), compare('a', '=', '1'))],
    ['several columns', all(compare('a', '=', 1), compare('b', '=', 2))],
    ['a range of numbers that has room', all(compare('a', '>', 5), compare('a', '<', 6))],
    ['what is not understood', { kind: 'other', columns: ['a'] }],
    [
      'numbers beyond those that are held exactly',
      all(compare('a', '=', 2 ** 53), compare('a', '<>', 2 ** 53)),
    ],
    ['a NULL that no empty list holds', all(askedIn(true), isNull('a'))],
  ];
  it.each(open)('leaves open: %s', (_, condition) => {
    expect(canHold([{ condition, truth: 'true' }])).toBe(true);
    expect(canHold([{ condition, truth: 'notTrue' }])).toBe(true);
  });

  it('exceeds its budget on large input and then proves nothing', () => {
    const choice = (name: string) => any(...[1, 2, 3].map((literal) => compare(name, '=', literal)));
    const wide = all(
      ...Array.from({ length: 40 }, (_, index) => choice(`c${index}`)),
      compare('z', '=', 1),
      compare('z', '=', 2),
    );
    expect(canHold([{ condition: wide, truth: 'true' }])).toBe(true);
    const long = all(...Array.from({ length: 3000 }, (_, index) => compare('a', '>', index)));
    expect(canHold([{ condition: long, truth: 'true' }])).toBe(true);
    // Each part is compared with all before it on its column.
    const chain = Array.from({ length: 2000 }, (_, index) => compare('a', '<>', index));
    const square = all(...chain, compare('b', '=', 1), compare('b', '=', 2));
    expect(canHold([{ condition: square, truth: 'true' }])).toBe(true);
    const short = all(...chain.slice(0, 100), compare('b', '=', 1), compare('b', '=', 2));
    expect(canHold([{ condition: short, truth: 'true' }])).toBe(false);
  });

  it('proves nothing without work', () => {
    const never = all(compare('a', '=', 1), compare('a', '=', 2));
    const work = new Work(1000);
    expect(canHold([{ condition: never, truth: 'true' }], work)).toBe(false);
    expect(work.left).toBeLessThan(1000);
    expect(canHold([{ condition: never, truth: 'true' }], new Work(5))).toBe(true);
  });
});

describe('two values', () => {
  it('have the inverse relation in reverse order', () => {
    const opposite = {
      equal: 'equal',
      less: 'greater',
      greater: 'less',
      different: 'different',
      unknown: 'unknown',
    };
    const value = fc.oneof(...Object.keys(COLUMNS).map(valueOf));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(relate(b, a)).toBe(opposite[relate(a, b)]);
      }),
    );
  });
});
