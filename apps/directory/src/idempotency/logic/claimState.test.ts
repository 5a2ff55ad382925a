import { describe, expect, it } from 'vitest';
import { claimStateOf } from './claimState.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const claim = {
  leaseUntil: at(1),
  expiresAt: at(60),
  isAnswered: false,
  isReleased: false,
};

describe('a request whose key was claimed before', () => {
  it.each([
    [
      'is running while the first attempt may still respond',
      'running',
      { ...claim, isSameRequest: true, isSameCaller: true, now: at(0) },
    ],
    [
      'finds the key free once the lease of that attempt has expired',
      'free',
      { ...claim, isSameRequest: true, isSameCaller: true, now: at(1) },
    ],
    [
      'gets the stored response until the claim expires',
      'answered',
      { ...claim, isAnswered: true, isSameRequest: true, isSameCaller: true, now: at(59) },
    ],
    [
      'is a mismatch while a different request runs',
      'mismatch',
      { ...claim, isSameRequest: false, isSameCaller: true, now: at(0) },
    ],
    [
      'is a mismatch after a different request crashed',
      'mismatch',
      { ...claim, isSameRequest: false, isSameCaller: true, now: at(2) },
    ],
    [
      'is a mismatch after a different request got a response',
      'mismatch',
      { ...claim, isAnswered: true, isSameRequest: false, isSameCaller: true, now: at(2) },
    ],
    [
      'is decided again when the rights of the caller have changed',
      'changed',
      { ...claim, isAnswered: true, isSameRequest: true, isSameCaller: false, now: at(2) },
    ],
    [
      'is running even when the rights of the caller have changed',
      'running',
      { ...claim, isSameRequest: true, isSameCaller: false, now: at(0) },
    ],
    [
      'finds a released key free',
      'free',
      { ...claim, isReleased: true, isSameRequest: true, isSameCaller: true, now: at(0) },
    ],
    [
      'finds a released key free for a different request',
      'free',
      { ...claim, isReleased: true, isSameRequest: false, isSameCaller: true, now: at(0) },
    ],
    [
      'finds an expired key free',
      'free',
      { ...claim, isAnswered: true, isSameRequest: true, isSameCaller: true, now: at(60) },
    ],
    [
      'finds an expired key free for a different request',
      'free',
      { ...claim, isSameRequest: false, isSameCaller: true, now: at(60) },
    ],
  ] as const)('%s', (_sentence, expected, { now, ...facts }) => {
    expect(claimStateOf(facts, now)).toBe(expected);
  });
});
