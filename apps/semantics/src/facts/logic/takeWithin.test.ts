import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeWithin } from './takeWithin.js';

const sized = (...sizes: number[]) => sizes.map((bytes) => ({ bytes }));

describe('takeWithin', () => {
  it.each([
    ['all that fits', [3, 3, 4], [3, 3, 4]],
    ['what fits beside something that does not', [3, 9, 4], [3, 4]],
    ['the first, however large', [11, 1], [11]],
    ['nothing of nothing', [], []],
  ])('is %s', (_, sizes, taken) => {
    expect(takeWithin(sized(...sizes), 10)).toEqual(sized(...taken));
  });

  it('returns everything after enough repetitions', () => {
    const size = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(fc.array(size, { maxLength: 12 }), (sizes) => {
        let left = sized(...sizes);
        for (let round = 0; round < sizes.length; round += 1) {
          const taken = new Set(takeWithin(left, 10));
          left = left.filter((item) => !taken.has(item));
        }
        expect(left).toEqual([]);
      }),
    );
  });
});
