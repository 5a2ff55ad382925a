import { describe, expect, it } from 'vitest';
import { memberOf, unauthenticatedCaller } from './caller.js';
import { Pace } from './pace.js';

const caller = memberOf('o_1');

describe('the rate limit of responses without a place', () => {
  it('allows a hundred responses at once, then one every hundredth of a second', () => {
    const pace = new Pace(() => 0);
    const delays = Array.from({ length: 110 }, () => pace.delayOf(caller, 'RATE_LIMITED'));
    expect(delays.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 0));
    expect(delays.slice(100)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  it('delays a response by at most two seconds', () => {
    const pace = new Pace(() => 0);
    const delays = Array.from({ length: 1000 }, () => pace.delayOf(caller, 'RATE_LIMITED'));
    expect(Math.max(...delays)).toBe(2000);
  });

  it('recovers after a pause', () => {
    let now = 0;
    const pace = new Pace(() => now);
    for (let count = 0; count < 1000; count += 1) pace.delayOf(caller, 'RATE_LIMITED');
    now = 3000;
    expect(pace.delayOf(caller, 'RATE_LIMITED')).toBe(0);
  });

  it('applies to one caller and to limited codes only', () => {
    const pace = new Pace(() => 0);
    for (let count = 0; count < 1000; count += 1) pace.delayOf(caller, 'RATE_LIMITED');
    expect(pace.delayOf(memberOf('o_2'), 'RATE_LIMITED')).toBe(0);
    expect(pace.delayOf(unauthenticatedCaller('192.0.2.1'), 'UNAUTHENTICATED')).toBe(0);
    expect(pace.delayOf(caller, 'NOT_FOUND')).toBe(0);
  });
});
