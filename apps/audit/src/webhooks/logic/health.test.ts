import { describe, expect, it } from 'vitest';
import { failureOf, hasFailedForLong } from './health.js';

describe('failureOf', () => {
  it.each([
    [200, null],
    [204, null],
    [299, null],
    [301, 'redirected'],
    [307, 'redirected'],
    [400, 'refused'],
    [410, 'refused'],
    [503, 'refused'],
    [199, 'refused'],
  ])('maps %i to %s', (status, failure) => {
    expect(failureOf(status)).toBe(failure);
  });
});

describe('hasFailedForLong', () => {
  it('is true from the fifth day on', () => {
    const since = new Date('2026-05-01T12:00:00Z');
    expect(hasFailedForLong(since, new Date('2026-05-06T11:59:59Z'))).toBe(false);
    expect(hasFailedForLong(since, new Date('2026-05-06T12:00:00Z'))).toBe(true);
  });
});
