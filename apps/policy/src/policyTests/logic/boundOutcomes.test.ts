import type { PolicyTestOutcome } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { BoundedOutcomes, RUN_BYTES_MAX } from './boundOutcomes.js';

const outcomeOf = (changes: Partial<PolicyTestOutcome>): PolicyTestOutcome => ({
  testId: 'ust_1',
  name: 'A test',
  passed: true,
  failures: [],
  compiled: null,
  rows: null,
  isCut: false,
  ...changes,
});
const MIB = 1024 * 1024;
const rows = [{ text: 'x'.repeat(MIB) }];

describe('the outcomes of a run', () => {
  it('are kept completely while they fit', () => {
    const results = new BoundedOutcomes();
    results.add(outcomeOf({ rows }));
    expect(results.outcomes).toEqual([outcomeOf({ rows })]);
  });

  it('of 200 tests with 1 MiB of rows each are cut to their verdicts', () => {
    const results = new BoundedOutcomes();
    const failures = Array.from({ length: 100 }, () => 'é'.repeat(10_000));
    for (let test = 0; test < 200; test += 1) results.add(outcomeOf({ passed: false, failures, rows }));
    results.add(outcomeOf({}));
    expect(Buffer.byteLength(JSON.stringify(results.outcomes))).toBeLessThan(RUN_BYTES_MAX + 200 * 8000);
    expect(results.outcomes[0]?.isCut).toBe(false);
    const last = results.outcomes.at(-2);
    expect(last).toMatchObject({ passed: false, isCut: true, rows: null, compiled: null });
    expect(last?.failures).toHaveLength(6);
    expect(results.outcomes.at(-1)).toEqual(outcomeOf({}));
  });

  it('never cuts a character', () => {
    const results = new BoundedOutcomes();
    results.add(
      outcomeOf({ failures: [`${'x'.repeat(499)}😀`], rows: Array.from({ length: 9 }, () => rows[0] ?? {}) }),
    );
    expect(results.outcomes[0]?.failures[0]?.isWellFormed()).toBe(true);
  });
});
