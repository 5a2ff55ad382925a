import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boundFaults, FAULTS_MAX } from './boundedFaults.js';
import { fieldErrorsOf } from './fieldErrors.js';
import { findProcedure } from './services/index.js';
import { ParamValue } from './vocabulary.js';

const MANY = 20_000;

/** A schema that counts the values that it has checked. */
function counting() {
  const checked = { count: 0 };
  const schema = z.custom<unknown>((value) => {
    checked.count += 1;
    return value === 'valid';
  });
  return { checked, schema };
}

const manyEntries = (value: unknown) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`k${index}`, value]));

function faultsOf(schema: z.ZodType, value: unknown): number {
  const parsed = schema.safeParse(value);
  return parsed.success ? 0 : fieldErrorsOf(parsed.error).length;
}

describe('an input with very many faults', () => {
  it.each<[string, (item: z.ZodType) => z.ZodType, unknown]>([
    ['entries', (item) => z.record(z.string(), item), manyEntries('x')],
    ['items', (item) => z.array(item), Array.from({ length: MANY }, () => 'x')],
    ['items of optional fields', (item) => z.array(item).optional(), Array.from({ length: MANY }, () => 'x')],
    [
      'items of items',
      (item) => z.array(z.strictObject({ list: z.array(item) })),
      Array.from({ length: MANY / 10 }, () => ({ list: Array.from({ length: 10 }, () => 'x') })),
    ],
    [
      'entries of an option of a union',
      (item) => z.union([z.strictObject({ a: z.record(z.string(), item) }), z.string()]),
      { a: manyEntries('x') },
    ],
  ])('is rejected after the first of them: %s', (_, of, value) => {
    const { checked, schema } = counting();
    const input = boundFaults(z.strictObject({ field: of(schema) }));
    const faults = faultsOf(input, { field: value });
    expect(faults).toBeGreaterThan(0);
    expect(faults).toBeLessThanOrEqual(FAULTS_MAX + 1);
    expect(checked.count).toBeLessThanOrEqual(FAULTS_MAX);
  });

  it('is rejected early if each of its items is a list of faults that fits no option', () => {
    const { checked, schema } = counting();
    const option = z.array(schema);
    const input = boundFaults(z.strictObject({ lists: z.array(z.union([option, z.array(z.int())])) }));
    const lists = Array.from({ length: MANY / 100 }, () => Array.from({ length: 100 }, () => 'x'));
    expect(faultsOf(input, { lists })).toBeGreaterThan(0);
    expect(checked.count).toBeLessThan(2000);
    expect(input.parse({ lists: [...lists.keys()].map(() => [1, 2]) }).lists).toHaveLength(lists.length);
  });

  it('is rejected with the first faults of its unknown fields', () => {
    expect(faultsOf(boundFaults(z.strictObject({})), manyEntries(0))).toBe(1000);
  });

  it('is rejected in a request for a token, which needs no secret for that', () => {
    const { input } = findProcedure('directory.tokens.issue');
    const faults = faultsOf(input, { securityParams: manyEntries({}) });
    expect(faults).toBe(FAULTS_MAX + 1);
  });
});

describe('an input without faults', () => {
  it('is accepted, although many items do not fit the first options of a union', () => {
    const input = boundFaults(z.strictObject({ params: z.record(z.string(), ParamValue) }));
    const numbers = Array.from({ length: FAULTS_MAX * 2 }, (_, index) => index);
    const params = { ...manyEntries(7), numbers };
    expect(input.parse({ params })).toEqual({ params });
  });

  it('is checked completely after one that failed', () => {
    const { checked, schema } = counting();
    const input = boundFaults(z.strictObject({ list: z.array(schema) }));
    expect(faultsOf(input, { list: Array.from({ length: MANY }, () => 'x') })).toBeGreaterThan(0);
    checked.count = 0;
    const list = [...Array.from({ length: MANY }, () => 'valid'), 'x'];
    expect(faultsOf(input, { list })).toBe(1);
    expect(checked.count).toBe(MANY + 1);
  });
});

it('no input can discard the fault that stands for items that were not checked', () => {
  const list = z.array(z.string());
  expect(() => boundFaults(z.strictObject({ list: list.catch([]) }))).toThrow('not checked');
});
