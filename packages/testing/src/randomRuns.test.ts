import { afterEach, expect, it, vi } from 'vitest';
import { lowerRuns, randomRuns } from './randomRuns.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('runs the whole sample on a machine of ordinary speed', () => {
  const warn = vi.spyOn(process.stderr, 'write');
  expect([0.5, 1, 1.4].map((slower) => lowerRuns(300, slower))).toEqual([300, 300, 300]);
  expect(warn).not.toHaveBeenCalled();
});

it('lowers the runs on a slow machine, at most to a fifth, and prints that', () => {
  const warn = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect([2, 4, 5, 50].map((slower) => lowerRuns(300, slower))).toEqual([150, 75, 60, 60]);
  expect(lowerRuns(1, 50)).toBe(1);
  expect(warn).toHaveBeenCalledTimes(4);
  expect(warn).toHaveBeenCalledWith('random test: 150 of 300 runs, the machine is 2.0 times slower\n');
});

it('runs a quarter of the sample for each change, and all of it in the nightly run', () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('ALL_TESTS', '1');
  const nightly = randomRuns(300);
  vi.stubEnv('ALL_TESTS', undefined);
  expect(randomRuns(300)).toBe(Math.min(nightly, 75));
  expect(nightly).toBeGreaterThanOrEqual(60);
});

it('runs everything with FUZZ_FULL, however slow the machine is', () => {
  vi.stubEnv('FUZZ_FULL', '1');
  expect(randomRuns(10, 100_000)).toBe(100_000);
  expect(randomRuns(10)).toBe(10);
});
