import { describe, expect, it } from 'vitest';
import { judgeClaim } from './idempotentRequest.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const claim = {
  requestHash: 'a',
  leaseUntil: at(1),
  expiresAt: at(60),
  isAnswered: false,
  isReleased: false,
};

describe('a request whose key was claimed before', () => {
  it.each([
    ['is running while the first attempt may still answer', 'running', { ...claim, by: 'a', now: at(0) }],
    [
      'finds the key free once the lease of that attempt has ended',
      'free',
      { ...claim, by: 'a', now: at(1) },
    ],
    ['is answered however long ago it was', 'answered', { ...claim, isAnswered: true, by: 'a', now: at(59) }],
    ['is a mismatch beside another one that runs', 'mismatch', { ...claim, by: 'b', now: at(0) }],
    ['is a mismatch after another one that died', 'mismatch', { ...claim, by: 'b', now: at(2) }],
    [
      'is a mismatch after another one that was answered',
      'mismatch',
      { ...claim, isAnswered: true, by: 'b', now: at(2) },
    ],
    ['finds a key free that was given up', 'free', { ...claim, isReleased: true, by: 'a', now: at(0) }],
    ['finds it free for another, too', 'free', { ...claim, isReleased: true, by: 'b', now: at(0) }],
    ['finds the key free when it has expired', 'free', { ...claim, isAnswered: true, by: 'a', now: at(60) }],
    ['finds an expired key free, whatever it was for', 'free', { ...claim, by: 'b', now: at(60) }],
  ] as const)('%s', (_sentence, expected, { by, now, ...facts }) => {
    expect(judgeClaim(facts, by, now)).toBe(expected);
  });
});
