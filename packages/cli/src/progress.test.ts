import { describe, expect, it } from 'vitest';
import { remainingTime } from './progress.js';

describe('the remaining time', () => {
  it.each([
    [500, 1, 10, ''],
    [2000, 0, 10, ''],
    [2000, 2, 10, ', about 8 s left'],
    [60_000, 1, 10, ', about 9 min left'],
    [2000, 10, 10, ''],
  ])('after %i ms with %i of %i is "%s"', (elapsedMs, done, total, text) => {
    expect(remainingTime(elapsedMs, done, total)).toBe(text);
  });
});
