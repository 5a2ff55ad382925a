import { describe, expect, it } from 'vitest';
import { replaceSecret, secretsInForce } from './secrets.js';

describe('secretsInForce', () => {
  const now = new Date('2026-05-01T12:00:00Z');
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);

  it('returns the current secret and, for 24 hours, the one before', () => {
    const rotated = replaceSecret({ sealedSecret: 'a', formerSecrets: [] }, 'b', now);
    expect(secretsInForce(rotated, now)).toEqual(['b', 'a']);
    expect(secretsInForce(rotated, later(23.9))).toEqual(['b', 'a']);
    expect(secretsInForce(rotated, later(24))).toEqual(['b']);
  });

  it('returns at most five secrets', () => {
    const names = ['b', 'c', 'd', 'e', 'f', 'g'];
    const rotated = names.reduce((secrets, name) => replaceSecret(secrets, name, now), {
      sealedSecret: 'a',
      formerSecrets: [],
    } as ReturnType<typeof replaceSecret>);
    expect(secretsInForce(rotated, now)).toEqual(['g', 'f', 'e', 'd', 'c']);
    expect(secretsInForce(replaceSecret(rotated, 'h', later(25)), later(25))).toEqual(['h', 'g']);
  });
});
