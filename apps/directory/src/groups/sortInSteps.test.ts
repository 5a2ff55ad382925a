import { setImmediate as nextTurn } from 'node:timers/promises';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortInSteps } from './sortInSteps.js';

it('has the order of toSorted, with equal elements in the order that they had', async () => {
  const pairs = fc.array(fc.tuple(fc.nat(9), fc.nat()), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(pairs, fc.integer({ min: 1, max: 12 }), async (values, run) => {
      const sorted = await sortInSteps(values, ([a], [b]) => a < b, run);
      expect(sorted).toEqual(values.toSorted(([a], [b]) => a - b));
    }),
    { numRuns: randomRuns(200) },
  );
});

it('lets others continue after each run of elements', async () => {
  let isSorted = false;
  let turns = 0;
  const sorting = sortInSteps([5, 4, 3, 2, 1, 0], (a, b) => a < b, 1).then((sorted) => {
    isSorted = true;
    return sorted;
  });
  for (; !isSorted; turns += 1) await nextTurn();
  expect(await sorting).toEqual([0, 1, 2, 3, 4, 5]);
  // Five between the runs, and three, two and one before the merges.
  expect(turns).toBeGreaterThanOrEqual(11);
});
