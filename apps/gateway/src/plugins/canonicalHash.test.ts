import { countTurns } from '@gatehouse/testing';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalParts, hashCanonically } from './canonicalHash.js';

describe('the hash of a body', () => {
  const expectedOf = (value: unknown) => {
    const text = JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    });
    return createHash('sha256').update(text).digest('base64url');
  };

  it('is that of its JSON with sorted keys, also as former releases computed it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (json) => {
        const value: unknown = JSON.parse(JSON.stringify(json));
        expect(await hashCanonically(value)).toBe(expectedOf(value));
      }),
    );
    const keys = { b: 1, 10: 2, 9: 3, a: { z: [], y: {} }, é: undefined };
    expect(await hashCanonically(keys)).toBe(expectedOf(keys));
  });

  it('lets other work run while it is computed', async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(await countTurns(() => hashCanonically({ rows }))).toBeGreaterThan(10);
  });

  it('lets other work run while the names of one object are sorted', () => {
    const flat = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`k${index % 97}_${index}`, 0]),
    );
    let parts = 0;
    for (const part of canonicalParts(flat)) {
      if (part !== '') break;
      parts += 1;
    }
    expect(parts).toBeGreaterThan(10_000);
  });
});
