import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShareScope } from '@gatehouse/contract';
import type { Share } from '../../sharing/logic/grants.js';
import {
  changeParts,
  countParted,
  differenceOf,
  formatPart,
  formatParts,
  parseParts,
  PART_SHARES,
  partAt,
  partShares,
  partsToChange,
  placeOf,
  type NewPart,
  type ShareDifference,
  type SharePart,
} from './partedShares.js';

const createdAt = new Date('2026-03-01T12:00:00Z');
const SCOPES = ['group', 'specific_org_user', 'specific_tenant_user', 'all_org_users'] as const;
type Target = Pick<Share, 'scope' | 'targetId'>;

/** Creates shares and parts with ids of their own. */
function createIds() {
  let [shares, parts] = [0, 0];
  return {
    // Ids of parts come in no order, and some are numbers.
    newId: () =>
      ['part', '', '-', '_'].map((prefix) => `${prefix}${97 - (parts % 97)}${parts}`)[parts++ % 4] ?? '',
    share: ({ scope, targetId }: Target, expiresAt: Date | null = null): Share => {
      const id = `sh_${(shares += 1)}`;
      const subject = `u:key${shares}`;
      return {
        id,
        subject,
        scope,
        targetId,
        tenantKey: null,
        role: 'VIEWER',
        expiresAt,
        createdAt,
        createdBy: 'ou_a',
      };
    },
  };
}

/** Ids that are prefixes of each other, of all characters of an id, up to the longest. */
const HOSTILE = [
  'a',
  'a-',
  'a-a',
  'a_',
  'aa',
  'A',
  'AA',
  'Aa',
  '-',
  '--',
  '_',
  '_-',
  '0',
  '00',
  '9',
  'z',
  'Z',
];
const hostileId = fc.oneof(
  fc.constantFrom(...HOSTILE, 'z'.repeat(64), `${'z'.repeat(63)}-`, '-'.repeat(64), 'Z'.repeat(64)),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,3}$/),
);
const expiry = fc.option(fc.integer({ min: 0, max: 5 }).map((days) => new Date(days * 86_400_000)));
const scope = fc.constantFrom<ShareScope>(...SCOPES);
const target: fc.Arbitrary<Target> = fc
  .record({ scope, targetId: hostileId })
  .map((each) => (each.scope === 'all_org_users' ? { ...each, targetId: null } : each));

/** A number below 10,000 as an id. */
const numbered = (index: number): Target => ({
  scope: index % 3 === 0 ? 'specific_tenant_user' : 'specific_org_user',
  targetId: `user-${String((index * 7919) % 10_000).padStart(4, '0')}`,
});

const padded = (index: number): Target => ({ scope: 'group', targetId: String(index).padStart(6, '0') });

/** Shares added together, and the places of those removed or changed: a part of all, in their order. */
interface Step {
  targets: readonly Target[];
  expiresAt: Date | null;
  from: number;
  to: number;
  every: number;
  isChange: boolean;
}

const stepOf = (targets: fc.Arbitrary<Target[]>): fc.Arbitrary<Step> => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const every = fc.constantFrom(1, 1, 2, 3, 20, 1000);
  return fc
    .record({ targets, expiresAt: expiry, one: fraction, other: fraction, every, isChange: fc.boolean() })
    .map(({ one, other, ...step }) => ({ ...step, from: Math.min(one, other), to: Math.max(one, other) }));
};

/** Many at consecutive places or all over, or few. */
const distinctTargets = fc
  .record({
    start: fc.nat(9999),
    count: fc.constantFrom(0, 1, 5, 60, 300),
    stride: fc.constantFrom(1, 77, 7919),
  })
  .map(({ start, count, stride }) =>
    Array.from({ length: count }, (_, index) => numbered((start + index * stride) % 10_000)),
  );
/** Some at equal places, sometimes more than a part has. */
const anyTargets = fc.oneof(
  { weight: 5, arbitrary: fc.array(target, { maxLength: 60 }) },
  { weight: 1, arbitrary: target.map((each) => Array.from({ length: 70 }, () => each)) },
);

/** The model: all shares in the order of their places, those of one place in any order. */
const inOrder = (shares: readonly Share[]): string[] => shares.map(placeOf).toSorted();
const idsOf = (shares: readonly Pick<Share, 'id'>[]) => shares.map(({ id }) => id).toSorted();

/** Returns the shares after a step, of which no two are at the same place if `isDistinct`. */
function sharesAfter(
  shares: readonly Share[],
  step: Step,
  isDistinct: boolean,
  ids: ReturnType<typeof createIds>,
) {
  const ordered = shares.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const [from, to] = [step.from * ordered.length, step.to * ordered.length];
  const kept = ordered.flatMap((share, index) => {
    const isNamed = index >= from && index < to && index % step.every === 0;
    if (!isNamed) return share;
    return step.isChange ? { ...share, expiresAt: step.expiresAt } : [];
  });
  const places = new Set(kept.map(placeOf));
  const added = step.targets.filter((each) => {
    const isKnown = isDistinct && places.has(placeOf(each));
    places.add(placeOf(each));
    return !isKnown;
  });
  return [...added.map((each) => ids.share(each, step.expiresAt)), ...kept];
}

/** Parts as a store has them: the list as text, and the shares by the id of their part. */
interface Stored {
  list: ReadonlyMap<string, string>;
  sharesById: ReadonlyMap<string, readonly Share[]>;
}

const partsOf = ({ list }: Stored): SharePart[] => parseParts(Object.fromEntries(list));

function withAdded({ list, sharesById }: Stored, added: readonly NewPart[]): Stored {
  const ids = added.map(({ part }) => part.id);
  expect(
    ids.filter((id) => sharesById.has(id)),
    'have unused ids',
  ).toEqual([]);
  return {
    list: new Map([...list, ...added.map(({ part }) => [part.id, formatPart(part)] as const)]),
    sharesById: new Map([...sharesById, ...added.map(({ part, shares }) => [part.id, shares] as const)]),
  };
}

const store = (added: readonly NewPart[]) => withAdded({ list: new Map(), sharesById: new Map() }, added);

const without = <V>(entries: ReadonlyMap<string, V>, ids: readonly string[]) =>
  new Map([...entries].filter(([id]) => !ids.includes(id)));

/** Changes the parts as the store does, given only the shares of those that it reads. */
function change(stored: Stored, difference: ShareDifference, newId: () => string) {
  const parts = partsOf(stored);
  const named = partsToChange(parts, difference);
  const read: string[] = [];
  const sharesOf = (id: string) => {
    read.push(id);
    return stored.sharesById.get(id) ?? [];
  };
  const { added, obsolete, parts: current } = changeParts(parts, difference, { newId, sharesOf });
  expect(read).toEqual(named);
  expect(obsolete).toEqual(named);
  expect(new Set(obsolete).size).toBe(obsolete.length);
  const { list, sharesById } = withAdded(stored, added);
  const after = { list: without(list, obsolete), sharesById: without(sharesById, obsolete) };
  expect(partsOf(after)).toEqual(current);
  return { after, obsolete };
}

/** Checks that the parts hold exactly the shares, in order, and describe them. */
function expectShares(stored: Stored, shares: readonly Share[]): void {
  const parts = partsOf(stored);
  const inParts = parts.map(({ id }) => stored.sharesById.get(id) ?? []);
  expect(idsOf(inParts.flat())).toEqual(idsOf(shares));
  expect(new Set(inParts.flat())).toEqual(new Set(shares));
  expect(inParts.flat().map(placeOf)).toEqual(inOrder(shares));
  expect(countParted(parts)).toBe(shares.length);
  const described = inParts.map((own, index) => {
    const [nextExpiry = null] = own
      .flatMap((each) => each.expiresAt?.getTime() ?? [])
      .toSorted((a, b) => a - b);
    return { id: parts[index]?.id, count: own.length, nextExpiry, first: own[0] && placeOf(own[0]) };
  });
  expect(parts).toEqual(described);
  // Shares of one place are in one part, where a search for the place finds them.
  const found = inParts.map((own) => [...new Set(own.map((share) => partAt(parts, placeOf(share))))]);
  expect(found).toEqual(parts.map((_, index) => [index]));
  const tooLarge = inParts.filter((own) => {
    const last = own.map(placeOf).at(-1);
    return own.length > PART_SHARES && own.filter((share) => placeOf(share) !== last).length >= PART_SHARES;
  });
  expect(tooLarge).toEqual([]);
}

/** Checks that a change replaced the parts that it is about, and at most a neighbour of each. */
function expectFewReplaced(
  parts: readonly SharePart[],
  { removed, added }: ShareDifference,
  gone: readonly string[],
) {
  const touched = new Set([...removed, ...added].map((share) => partAt(parts, placeOf(share))));
  const isNear = (index: number) => [index - 1, index, index + 1].some((each) => touched.has(each));
  const replaced = parts.flatMap(({ id }, index) => (gone.includes(id) ? index : []));
  expect(replaced.filter((index) => !isNear(index))).toEqual([]);
  expect([...touched].filter((index) => index < parts.length && !replaced.includes(index))).toEqual([]);
}

/** Checks that there are few parts: any two neighbours have more shares than one part may have. */
function expectFewParts(parts: readonly SharePart[]): void {
  const counts = parts.map(({ count }) => count);
  expect(counts.filter((count) => count === 0 || count > PART_SHARES)).toEqual([]);
  const together = counts.slice(1).map((count, index) => count + (counts[index] ?? 0));
  expect(together.filter((count) => count <= PART_SHARES)).toEqual([]);
  const needed = Math.ceil(countParted(parts) / PART_SHARES);
  expect(parts.length).toBeLessThanOrEqual(2 * needed + 1);
}

describe('parts after any changes', () => {
  const runs = { numRuns: randomRuns(150, 3000) };

  it('are few and small, and those without a change stay as they are', () => {
    const steps = fc.array(stepOf(distinctTargets), { minLength: 1, maxLength: 10 });
    const property = fc.property(steps, (each) => {
      const ids = createIds();
      let [shares, stored] = [[] as readonly Share[], store([])];
      for (const step of each) {
        const after = sharesAfter(shares, step, true, ids);
        const difference = differenceOf(shares, after);
        const changed = change(stored, difference, ids.newId);
        expectShares(changed.after, after);
        expectFewParts(partsOf(changed.after));
        expectFewReplaced(partsOf(stored), difference, changed.obsolete);
        [shares, stored] = [after, changed.after];
      }
    });
    expect(() => fc.assert(property, runs)).not.toThrow();
  });

  it('keep shares of equal places together, with ids of any characters', () => {
    const steps = fc.array(stepOf(anyTargets), { minLength: 1, maxLength: 10 });
    const property = fc.property(steps, (each) => {
      const ids = createIds();
      let [shares, stored] = [[] as readonly Share[], store([])];
      for (const step of each) {
        const after = sharesAfter(shares, step, false, ids);
        stored = change(stored, differenceOf(shares, after), ids.newId).after;
        expectShares(stored, after);
        shares = after;
      }
    });
    expect(() => fc.assert(property, runs)).not.toThrow();
  });

  it('stay as they are without a difference', () => {
    const ids = createIds();
    const counts = Array.from({ length: 300 }, (_, index) => index + 1);
    const replaced = counts.flatMap((count) => {
      const shares = Array.from({ length: count }, (_, index) => ids.share(numbered(index)));
      const stored = store(partShares(shares, ids.newId));
      expectFewParts(partsOf(stored));
      return change(stored, differenceOf(shares, [...shares]), ids.newId).obsolete;
    });
    expect(replaced).toEqual([]);
  });

  it('join a small part with a neighbour that is split', () => {
    const ids = createIds();
    // Each second part may have one share more, the others have few.
    const counts = [60, 5, 60, 5, 60];
    let next = 0;
    const shares = counts.map((count) =>
      Array.from({ length: count }, () => ids.share(padded((next += 10)))),
    );
    const stored = counts.reduce(
      (all, _, at) => withAdded(all, partShares(shares[at] ?? [], ids.newId)),
      store([]),
    );
    const added = [0, 2, 4].flatMap((at) => {
      const first = Number(shares[at]?.[0]?.targetId);
      return Array.from({ length: 5 }, (_, index) => ids.share(padded(first + index + 1)));
    });
    const { after } = change(stored, { removed: [], added }, ids.newId);
    expectShares(after, [...shares.flat(), ...added]);
    expectFewParts(partsOf(after));
    expect(after.list.size).toBe(5);
  });

  it('have room for further shares if there are several', () => {
    const ids = createIds();
    const shares = Array.from({ length: 1000 }, (_, index) => ids.share(numbered(index)));
    const parts = partShares(shares, ids.newId);
    expect(parts).toHaveLength(Math.ceil(1000 / 48));
    for (const { part } of parts) expect(part.count).toBeLessThanOrEqual(48);
    expect(partShares(shares.slice(0, PART_SHARES), ids.newId)).toHaveLength(1);
    expect(partShares(shares.slice(0, PART_SHARES + 1), ids.newId)).toHaveLength(2);
    expect(partShares([], ids.newId)).toEqual([]);
  });
});

describe('the part of a place', () => {
  it('is the last one that begins at the place or before it, and else the first', () => {
    const places = fc.uniqueArray(target.map(placeOf), { maxLength: 40 });
    const property = fc.property(places, target.map(placeOf), (firsts, place) => {
      const parts = firsts
        .toSorted()
        .map((first, index) => ({ id: `${index}`, count: 1, nextExpiry: null, first }));
      const expected = parts.findLastIndex(({ first }) => first <= place);
      expect(partAt(parts, place)).toBe(Math.max(0, expected));
    });
    fc.assert(property, { numRuns: randomRuns(500, 10_000) });
  });
});

describe('a listed part', () => {
  it('is the same after it was stored as text', () => {
    const nextExpiry = fc.option(fc.nat());
    const part = fc.record({ id: hostileId, count: fc.nat(99), nextExpiry, first: target.map(placeOf) });
    const parts = fc.uniqueArray(part, { comparator: (a, b) => a.id === b.id || a.first === b.first });
    const property = fc.property(parts, (listed) => {
      const ordered = listed.toSorted((a, b) => (a.first < b.first ? -1 : 1));
      expect(parseParts(formatParts(listed))).toEqual(ordered);
    });
    fc.assert(property, { numRuns: randomRuns(300, 3000) });
  });
});

describe('the difference of two lists of shares', () => {
  it('contains a changed share twice, a moved one not at all', () => {
    const ids = createIds();
    const [one, two, three] = [0, 1, 2].map((index) => ids.share(numbered(index))) as [Share, Share, Share];
    const changed: Share = { ...two, role: 'EDITOR' };
    expect(differenceOf([one, two], [three, changed, one])).toEqual({
      removed: [two],
      added: [three, changed],
    });
  });
});
