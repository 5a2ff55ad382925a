import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYTES_MAX, createPolicyBudget, TooLarge, type ByteBudget } from './byteBudget.js';

const bytesOf = (part: unknown) => Buffer.byteLength(JSON.stringify(part));

/** Values as long as they are large, of every kind of character. */
const text = fc
  .tuple(fc.constantFrom('a', '"', '\n', '\0', 'ß', '語', '😀', '\ud800'), fc.nat(60_000))
  .map(([character, count]) => character.repeat(count));
const part = fc.oneof(
  text,
  fc.jsonValue(),
  fc.record({
    name: text,
    value: fc.oneof(fc.double(), fc.boolean(), fc.constant(null)),
    texts: fc.array(text),
  }),
);

/** Counts a value, or spends its bytes. Returns false if that is refused. */
function takes(budget: ByteBudget, value: unknown, isCounted: boolean): boolean {
  try {
    if (isCounted) budget.count(value);
    else budget.spend(bytesOf(value));
    return true;
  } catch (error) {
    if (error instanceof TooLarge) return false;
    throw error;
  }
}

describe('ByteBudget', () => {
  it('refuses the first part with which there are more bytes than the limit, and none before', () => {
    const sizes = fc.array(fc.tuple(part, fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.nat(3_000_000), (parts, free) => {
        const budget = createPolicyBudget();
        budget.spend(BYTES_MAX - free);
        let left = free;
        for (const [value, isCounted] of parts) {
          left -= bytesOf(value);
          const isTaken = takes(budget, value, isCounted);
          expect(isTaken).toBe(left >= 0);
          if (!isTaken) return;
        }
      }),
      { numRuns: 200 },
    );
  });

  it('counts each character by its bytes in JSON', () => {
    for (const character of ['a', '"', '\0', 'ß', '語', '😀', '\ud800']) {
      const budget = createPolicyBudget();
      const each = character.repeat(1000);
      budget.spend(BYTES_MAX - 10 * bytesOf([each]));
      for (let count = 0; count < 10; count += 1) budget.count([each]);
      expect(() => budget.count('')).toThrow(TooLarge);
    }
  });
});
