import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundedTotal, sumOf, TOTAL_MAX } from './totals.js';

it('is exact up to its bound, for two lists as for one', () => {
  const count = fc.oneof(
    fc.nat({ max: 20_000 }),
    fc.constantFrom(TOTAL_MAX - 1, TOTAL_MAX, TOTAL_MAX + 1, 0),
  );
  fc.assert(
    fc.property(count, count, fc.nat({ max: 5000 }), (first, second, further) => {
      const max = TOTAL_MAX + further;
      const counted = Math.min(first, max + 1);
      const sum = sumOf(boundedTotal(counted, max), boundedTotal(Math.min(second, TOTAL_MAX + 1)));
      const isBounded = first + second > TOTAL_MAX;
      expect(sum.total).toBe(Math.min(first + second, TOTAL_MAX));
      expect(sum.totalIsLowerBound ?? false).toBe(isBounded);
    }),
  );
});
