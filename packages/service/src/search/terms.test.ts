import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTerm, mayHaveTerm, searchMin, searchTerms, termsOf } from './terms.js';

const SCOPE = 'p_one';
const characters = fc.constantFrom(...'abcde ß€😀\u0301'.split(/(?:)/u));
const run = fc.constantFrom(2 as const, 4 as const);
const text = fc.string({ unit: characters, maxLength: 60 });

describe('the terms of a record', () => {
  it('contain those of every search that one of its texts contains', () => {
    fc.assert(
      fc.property(run, text, text, text, (length, before, search, after) => {
        const found = { fields: [], texts: [before + search + after], run: length };
        const terms = new Set(termsOf(SCOPE, found));
        expect(searchTerms(SCOPE, length, search).filter((term) => !terms.has(term))).toEqual([]);
      }),
    );
  });

  it('exist for each search of the smallest length', () => {
    fc.assert(
      fc.property(run, text, (length, search) => {
        const isLongEnough = Array.from(search).length >= searchMin(length);
        expect(searchTerms(SCOPE, length, search).length > 0).toBe(isLongEnough);
      }),
    );
  });

  it('are about two fifths of the length of a text', () => {
    const random = fc.sample(fc.string({ minLength: 300, maxLength: 300 }), { numRuns: 20, seed: 1 });
    for (const each of random) {
      const count = termsOf(SCOPE, { fields: [], texts: [each], run: 4 }).length;
      expect(count).toBeGreaterThan(90);
      expect(count).toBeLessThan(150);
    }
  });

  it('differ by scope, field and value, and never by the order of fields', () => {
    const terms = ['p_one', 'p_two'].flatMap((scope) =>
      ['tag', 'createdBy'].flatMap((field) =>
        ['a', 'b', true, false].map((value) => fieldTerm(scope, [field, value])),
      ),
    );
    expect(new Set(terms).size).toBe(terms.length);
    expect(fieldTerm('p_one', ['tag', 'a'])).toBe(fieldTerm('p_one', ['tag', 'a']));
    expect(terms.every((term) => Number.isInteger(term) && term === (term | 0))).toBe(true);
  });

  it('stay the same, since they are stored', () => {
    expect(fieldTerm('p_one', ['tag', 'sales'])).toBe(-1608237310);
    expect(termsOf('p_one', { fields: [], texts: ['monthly figures'], run: 4 })).toEqual([
      -1523510826, -2112440131, -451955759, -916852205,
    ]);
  });

  it('are few for a long text, which every search then considers', () => {
    const points = Array.from({ length: 5000 }, (_, index) => 0x4e00 + ((index * 7919) % 20_000));
    const long = [String.fromCodePoint(...points)];
    const terms = termsOf(SCOPE, { fields: [['tag', 'a']], texts: long, run: 4 });
    expect(terms).toHaveLength(2);
    expect(terms).toContain(fieldTerm(SCOPE, ['tag', 'a']));
    expect(mayHaveTerm(SCOPE, 7).terms.$in).toEqual([7, terms[1], null]);
  });
});
