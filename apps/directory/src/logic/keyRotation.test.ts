import { describe, expect, it } from 'vitest';
import { isDueForRotation, retiredBefore } from './keyRotation.js';

const createdAt = new Date('2026-01-01T00:00:00Z');

describe('the rotation of a signing key', () => {
  it('is due at its age, and never where that is 0', () => {
    expect(isDueForRotation(createdAt, new Date('2026-01-01T23:59:59Z'), 24)).toBe(false);
    expect(isDueForRotation(createdAt, new Date('2026-01-02T00:00:00Z'), 24)).toBe(true);
    expect(isDueForRotation(createdAt, new Date('2036-01-01T00:00:00Z'), 0)).toBe(false);
  });

  it('leaves the former key until the longest token that it signed has ended, and an hour more', () => {
    expect(retiredBefore(new Date('2026-01-02T01:00:00Z'))).toEqual(createdAt);
  });
});
