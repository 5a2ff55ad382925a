import { ACCESS_LEVELS, SHARE_SCOPES } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShareFacts } from '../../decisions/logic/access.js';
import { foldText, searchPatternOf, searchTextOf } from './document.js';
import { packShares, unpackShares } from './packedShares.js';

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
  ])('is equal for %s and %s', (a, b) => {
    expect(foldText(a)).toBe(foldText(b));
  });

  it('does not change when folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { examples: [['ẞ'], ['İ'], ['ŉ']] },
    );
  });
});

describe('a search pattern', () => {
  it('matches exactly the texts that contain the search', () => {
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

const subject = fc.constantFrom(
  'u:a',
  'u:a-b_c',
  't:a',
  'g:grp_a',
  'g:a',
  'audience:all_org_users',
  'home:org',
);
const share: fc.Arbitrary<ShareFacts> = fc.record({
  id: fc.stringMatching(/^sh_[A-Za-z0-9_-]{1,16}$/),
  scope: fc.constantFrom(...SHARE_SCOPES),
  role: fc.constantFrom(...ACCESS_LEVELS),
  subject,
  expiresAt: fc.option(fc.date({ noInvalidDate: true })),
});

describe('packed shares', () => {
  it('unpack to the original shares that reach the reader', () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 20 }), fc.uniqueArray(subject), (shares, subjects) => {
        const reached = new Set<string>(subjects);
        const unpacked = unpackShares(packShares(shares) ?? '', reached);
        expect(unpacked).toEqual(shares.filter((one) => reached.has(one.subject)));
      }),
    );
  });

  it('are undefined for more than 200 shares', () => {
    const [one] = fc.sample(share, 1);
    const of = (count: number) => packShares(Array.from({ length: count }, () => one as ShareFacts));
    expect(of(200)).toBeDefined();
    expect(of(201)).toBeUndefined();
  });
});
