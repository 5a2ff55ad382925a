import { randomBytes } from 'node:crypto';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, BUCKETS, isWholeCheaper, planBuckets, rangeOf, type BucketCount } from './userBuckets.js';

const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket);
/** The order of the engine. */
const isBelow = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

function isIn(key: string, bucket: number): boolean {
  const { $gte, $lt } = rangeOf(bucket);
  return !isBelow(key, $gte) && ($lt === undefined || isBelow(key, $lt));
}

const starts = all.map((bucket) => rangeOf(bucket).$gte);
const keys = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 4 }).map((rest) => `u:${rest}`),
  fc.constantFrom(...starts),
  fc.constantFrom(...starts).map((start) => start.slice(0, -1)),
  fc.constantFrom(...starts).map((start) => `${start}-`),
);

describe('the buckets of keys', () => {
  it('contain every text exactly once', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(all.filter((bucket) => isIn(key, bucket))).toEqual([bucketOf(key)]);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  it('adjoin each other in the order of the engine', () => {
    for (const bucket of all.slice(1)) {
      expect(rangeOf(bucket - 1).$lt).toBe(rangeOf(bucket).$gte);
      expect(isBelow(rangeOf(bucket - 1).$gte, rangeOf(bucket).$gte)).toBe(true);
    }
    expect([rangeOf(0).$gte, rangeOf(BUCKETS - 1).$lt]).toEqual(['', undefined]);
  });

  it('have about equally many new keys', () => {
    const sizes = all.map(() => 0);
    const size = 200;
    for (let made = 0; made < BUCKETS * size; made += 1) {
      const bucket = bucketOf(`u:${randomBytes(12).toString('base64url')}`);
      sizes[bucket] = (sizes[bucket] ?? 0) + 1;
    }
    // Ten standard deviations.
    for (const each of sizes) expect(Math.abs(each - size)).toBeLessThan(10 * Math.sqrt(size));
  });
});

describe('the count of a whole part', () => {
  it.each([
    [50_000, 14],
    [100_000, 25],
    [1_000_000, 78],
  ])('of %i users is cheaper than those of more than %i buckets', (size, most) => {
    expect(isWholeCheaper(size, most, 3000)).toBe(false);
    expect(isWholeCheaper(size, most + 1, 3000)).toBe(true);
  });
});

describe('the plan of a count', () => {
  const now = 1_000_000;
  const settleMs = 60_000;
  const rest = all.slice(3);
  const plan = (at: (number | undefined)[], counted: (BucketCount | undefined)[]) =>
    planBuckets({ at, now }, counted, settleMs);

  it('uses the counts of buckets that have the same mark, or still none', () => {
    const counted = [
      { mark: 7, count: 10 },
      { mark: undefined, count: 20 },
      { mark: now, count: 40 },
    ];
    expect(plan([7, undefined, now], counted)).toEqual({ known: 70, settled: rest, unsettled: [] });
  });

  it('counts buckets with another mark again', () => {
    const counted = [
      { mark: 7, count: 10 },
      { mark: undefined, count: 20 },
      { mark: now, count: 40 },
    ];
    expect(plan([8, 7, 7], counted)).toEqual({ known: 0, settled: all, unsettled: [] });
  });

  it('keeps no count that began less than the settle time after the mark', () => {
    const at = [now - settleMs, now - settleMs + 1, now + 1];
    expect(plan(at, [])).toEqual({ known: 0, settled: [0, ...rest], unsettled: [1, 2] });
  });
});
