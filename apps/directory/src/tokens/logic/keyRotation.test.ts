import { describe, expect, it } from 'vitest';
import { isDueForRotation, retiredBefore } from './keyRotation.js';

const createdAt = new Date('2026-01-01T00:00:00Z');

describe('the rotation of a signing key', () => {
  it('is due at the configured age, and never with an age of 0', () => {
    expect(isDueForRotation(createdAt, new Date('2026-01-01T23:59:59Z'), 24)).toBe(false);
    expect(isDueForRotation(createdAt, new Date('2026-01-02T00:00:00Z'), 24)).toBe(true);
    expect(isDueForRotation(createdAt, new Date('2036-01-01T00:00:00Z'), 0)).toBe(false);
  });

  it('keeps the former key until an hour after its longest token has expired', () => {
    expect(retiredBefore(new Date('2026-01-02T01:00:00Z'))).toEqual(createdAt);
  });
});
