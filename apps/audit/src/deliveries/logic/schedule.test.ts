import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDue, nextAttemptAt, readRetryAfter, waitingAt } from './schedule.js';

const SECONDS = [5, 30, 120, 600, 1800, 3600, 7200, 18_000, 18_000, 36_000];
const DELAYS_MS = SECONDS.map((seconds) => seconds * 1000);
const now = new Date('2026-05-01T12:00:00Z');

const waitMs = (failed: { tries: number; retryAfterMs?: number; jitter?: number }) => {
  const next = nextAttemptAt(DELAYS_MS, { jitter: 0, ...failed, now });
  return next && next.getTime() - now.getTime();
};

describe('nextAttemptAt', () => {
  it.each([
    [1, 5],
    [2, 30],
    [3, 120],
    [4, 600],
    [5, 1800],
    [6, 3600],
    [7, 7200],
    [8, 18_000],
    [9, 18_000],
    [10, 36_000],
  ])('after attempt %i waits %i seconds', (tries, seconds) => {
    expect(waitMs({ tries })).toBe(seconds * 1000);
  });

  it('ends after the eleventh attempt, about a day after the first', () => {
    expect(waitMs({ tries: 11 })).toBeNull();
    const hours = SECONDS.reduce((sum, seconds) => sum + seconds, 0) / 3600;
    expect(hours).toBeGreaterThan(23);
    expect(hours * 1.2).toBeLessThan(29);
  });

  it.each([
    ['extends a delay', 1, 60_000, 60_000],
    ['does not shorten a delay', 6, 1000, 3_600_000],
    ['is limited to the longest delay', 1, 999_999_999, 36_000_000],
  ])('Retry-After %s', (_, tries, retryAfterMs, expected) => {
    expect(waitMs({ tries, retryAfterMs })).toBe(expected);
  });

  const delays = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 12 });
  const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

  it('never returns less than the delay, nor a time beyond the horizon', () => {
    const failed = fc.record({
      jitter: chance,
      now: moment,
      retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
    });
    fc.assert(
      fc.property(delays, failed, fc.nat(), (delaysMs, given, pick) => {
        const tries = 1 + (pick % delaysMs.length);
        const next = nextAttemptAt(delaysMs, { tries, ...given }) ?? given.now;
        const waitedMs = next.getTime() - given.now.getTime();
        expect(waitedMs).toBeGreaterThanOrEqual(delaysMs[tries - 1] ?? 0);
        expect(waitedMs).toBeLessThanOrEqual(Math.max(...delaysMs) * 1.2);
        expect(isDue(next, waitingAt(delaysMs, given.now))).toBe(waitedMs === 0);
        expect(isDue(next, waitingAt(delaysMs, next))).toBe(true);
      }),
    );
  });

  it('ends after one attempt more than there are delays', () => {
    fc.assert(
      fc.property(delays, chance, (delaysMs, jitter) => {
        const waits = [...delaysMs, 0].map((_, index) =>
          nextAttemptAt(delaysMs, { tries: index + 1, now, jitter }),
        );
        expect(waits.map((wait) => wait === null)).toEqual([...delaysMs.map(() => false), true]);
      }),
    );
  });
});

describe('isDue', () => {
  const waiting = waitingAt(DELAYS_MS, now);
  const after = (ms: number) => new Date(now.getTime() + ms);
  it.each([
    ['a past time', after(-1), true],
    ['now', after(0), true],
    ['a future time', after(1), false],
    ['the longest delay', after(36_000_000 * 1.2), false],
    ['a time beyond any delay, after a clock was set back', after(36_000_000 * 1.2 + 1), true],
  ])('%s', (_, at, expected) => {
    expect(isDue(at, waiting)).toBe(expected);
  });
});

describe('readRetryAfter', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Fri, 01 May 2026 12:01:00 GMT', 60_000],
    ['Fri, 01 May 2026 11:00:00 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['9999999999999999999', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s', (value, expected) => {
    expect(readRetryAfter(value, now)).toBe(expected);
  });
});
