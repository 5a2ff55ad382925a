import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ComparisonBudget } from './comparisonBudget.js';
import { codePointsOf, DistancesFrom } from './editDistance.js';
import { foldCase } from './identifiers.js';
import * as suggestions from './suggestions.js';
import { NameList } from './suggestions.js';

const budget = new ComparisonBudget({ comparisons: Infinity, cells: Infinity });
const closestNames = (written: string, list: NameList, limit: number) =>
  suggestions.closestNames(written, list, { limit, budget });
const namesWithin = (written: string, list: NameList, distance: number) =>
  suggestions.namesWithin(written, list, { distance, budget });

/**
 * The distance by its definition: the length of the shortest path of single edits, found by exhaustive
 * search. Letters that are in neither text never shorten it.
 */
function slowDistance(from: string, to: string): number {
  const letters = [...new Set(Array.from(from + to))];
  const longest = Math.max(from.length, to.length) + 2;
  const seen = new Set([from]);
  let reached = [from];
  for (let edits = 0; ; edits += 1) {
    if (seen.has(to)) return edits;
    const neighbours = reached.flatMap((text) => [...neighboursOf(Array.from(text), letters)]);
    reached = [...new Set(neighbours)].filter((text) => text.length <= longest && !seen.has(text));
    for (const text of reached) seen.add(text);
  }
}

function* neighboursOf(text: string[], letters: string[]): Generator<string> {
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    for (const letter of letters) yield [...before, letter, ...after].join('');
    const [first, second, ...rest] = after;
    if (first === undefined) continue;
    yield [...before, ...after.slice(1)].join('');
    for (const letter of letters) yield [...before, letter, ...after.slice(1)].join('');
    if (second !== undefined) yield [...before, second, first, ...rest].join('');
  }
}

const distance = (a: string, b: string, bound = 1000) =>
  new DistancesFrom(codePointsOf(a)).to(codePointsOf(b), bound);

const fewLetters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 });
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', 'C', 'ä', 'ß', '😀'), maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

/** Texts with small distances. */
const likely = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 9 });

describe('the distance', () => {
  it('is the shortest path of edits', () => {
    fc.assert(
      fc.property(fewLetters, fewLetters, (a, b) => {
        expect(distance(a, b)).toBe(slowDistance(a, b));
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('is unrestricted: transposed characters may be edited again', () => {
    expect(distance('ca', 'abc')).toBe(2);
    expect(distance('region', 'regoin')).toBe(1);
  });

  it('is a metric', () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, c)).toBeLessThanOrEqual(distance(a, b) + distance(b, c));
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is `bound + 1` above a bound', () => {
    fc.assert(
      fc.property(fc.oneof(word, likely), fc.oneof(word, likely), fc.nat(6), (a, b, bound) => {
        expect(distance(a, b, bound)).toBe(Math.min(distance(a, b), bound + 1));
      }),
      { numRuns: randomRuns(5000) },
    );
  });
});

const lengthOf = (text: string) => codePointsOf(foldCase(text)).length;
const isSimilar = (a: string, b: string, edits: number) => edits <= Math.max(lengthOf(a), lengthOf(b)) / 2;

/** The similar names, sorted by distance and name, up to a limit. */
function slowClosest(written: string, names: readonly string[], limit: number): string[] {
  const ranked = [...new Set(names)]
    .map((name) => ({
      name,
      folded: foldCase(name),
      distance: distance(foldCase(written), foldCase(name)),
    }))
    .filter((each) => isSimilar(written, each.name, each.distance));
  const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  ranked.sort((a, b) => a.distance - b.distance || compare(a.folded, b.folded) || compare(a.name, b.name));
  return ranked.slice(0, limit).map(({ name }) => name);
}

describe('suggestions', () => {
  it('are the closest names, in alphabetical order for equal distances', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 30 }), fc.nat(10), (written, names, limit) => {
        expect(closestNames(written, new NameList(names), limit)).toEqual(slowClosest(written, names, limit));
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('leave out names that differ in more than half of their characters', () => {
    const list = new NameList(['amount', 'id', 'tenant_id']);
    expect(closestNames('amout', list, 3)).toEqual(['amount']);
    expect(closestNames('customer', list, 3)).toEqual([]);
    expect(closestNames('ab', new NameList(['ac', 'cd']), 3)).toEqual(['ac']);
  });

  it('ignore case, and count a surrogate pair as one character', () => {
    const list = new NameList(['STRASSE', 'Straße', 'a😀b']);
    expect(closestNames('straße', list, 2)).toEqual(['STRASSE', 'Straße']);
    expect(namesWithin('a😁b', list, 1)).toEqual(['a😀b']);
  });

  it('are empty for a name above the length limit', () => {
    const list = new NameList(['a']);
    expect(closestNames('a'.repeat(201), list, 3)).toEqual([]);
    expect(namesWithin('a'.repeat(201), list, 1000)).toEqual([]);
  });

  it('namesWithin returns all names within a distance', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 30 }), (written, names) => {
        const isNear = (name: string) => distance(foldCase(written), foldCase(name)) <= 1;
        expect(new Set(namesWithin(written, new NameList(names), 1))).toEqual(new Set(names.filter(isNear)));
      }),
    );
  });
});
