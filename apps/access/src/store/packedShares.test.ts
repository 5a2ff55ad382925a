import { ACCESS_LEVELS, SHARE_SCOPES } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShareFacts } from '../logic/facts.js';
import { packShares, unpackShares } from './packedShares.js';

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
  it('are unpacked for a reader as they were, without those that do not reach it', () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 20 }), fc.uniqueArray(subject), (shares, subjects) => {
        const reached = new Set<string>(subjects);
        const unpacked = unpackShares(packShares(shares) ?? '', reached);
        expect(unpacked).toEqual(shares.filter((one) => reached.has(one.subject)));
      }),
    );
  });

  it('are left out where there are very many', () => {
    const [one] = fc.sample(share, 1);
    const of = (count: number) => packShares(Array.from({ length: count }, () => one as ShareFacts));
    expect(of(200)).toBeDefined();
    expect(of(201)).toBeUndefined();
  });
});
