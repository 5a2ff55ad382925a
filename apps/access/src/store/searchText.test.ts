import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText, searchPatternOf, searchTextOf } from './searchText.js';

const CHARACTERS = 'a,B,.,*,+,?,^,$,{,},(,),|,[,],\\,/,-,#,\n, ,ß,ς,😀'.split(',');

describe('folded text', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['Straße', 'STRAẞE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['é', 'E\u0301'],
    ['ﬁn', 'FIN'],
    ['ÄÖÜ', 'äöü'],
  ])('is the same for %s and %s', (a, b) => {
    expect(foldText(a)).toBe(foldText(b));
  });

  it('is folded for good', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { examples: [['ẞ'], ['İ'], ['ŉ']] },
    );
  });
});

describe('a search pattern', () => {
  it('matches the texts that hold the search, and no others', () => {
    const text = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 });
    fc.assert(
      fc.property(
        text,
        text.filter((search) => search !== ''),
        (title, search) => {
          const searched = searchTextOf({ title, description: 'Other' });
          expect(new RegExp(searchPatternOf(search), 'u').test(searched)).toBe(
            searched.includes(foldText(search)),
          );
        },
      ),
    );
  });
});
