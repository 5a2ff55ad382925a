import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareMembers,
  countOutsideParts,
  describePart,
  joiningTime,
  joinParts,
  splitMembers,
  type MemberPart,
} from './memberParts.js';

const at = (time: number) => new Date(time);
const part = (id: string, count: number, last = 0): MemberPart => ({ id, count, last: at(last) });

describe('the parts of a group', () => {
  it('are joined so that two neighbours have more members than one may have, and none is empty', () => {
    const size = 10;
    const counts = fc.array(fc.tuple(fc.integer({ min: 1, max: size }), fc.nat(size)), { maxLength: 20 });
    fc.assert(
      fc.property(counts, (found) => {
        const parts = found.map(([count], index) => part(`p${index}`, count));
        const left = new Map(
          parts.map(({ id, count }, index) => [id, Math.min(count, found[index]?.[1] ?? 0)]),
        );
        const leftIn = ({ id }: MemberPart) => left.get(id) ?? 0;
        const runs = joinParts(parts, leftIn, size);
        expect(runs.flatMap((run) => run.parts)).toEqual(parts.filter((each) => leftIn(each) > 0));
        expect(runs.map(({ count }) => count)).toEqual(
          runs.map((run) => run.parts.reduce((sum, each) => sum + leftIn(each), 0)),
        );
        expect(runs.filter(({ count }) => count === 0 || count > size)).toEqual([]);
        const pairs = runs.slice(1).map(({ count }, index) => count + (runs[index]?.count ?? 0));
        expect(pairs.filter((count) => count <= size)).toEqual([]);
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('do not count to the members in the document', () => {
    expect(countOutsideParts({ memberCount: 7 })).toBe(7);
    expect(countOutsideParts({ memberCount: 7, parts: [part('p1', 2), part('p2', 4)] })).toBe(1);
  });

  it('have members who joined before all others, even if the clock of another process is ahead', () => {
    expect(joiningTime({}, at(5))).toEqual(at(5));
    expect(joiningTime({ parts: [part('p1', 1, 3), part('p2', 1, 9)] }, at(5))).toEqual(at(10));
    expect(joiningTime({ parts: [part('p1', 1, 3)] }, at(5))).toEqual(at(5));
  });

  it('are described by their size and their last member, and have one', () => {
    const members = [
      { id: 'gm_2', addedAt: at(1) },
      { id: 'gm_1', addedAt: at(2) },
    ];
    expect(describePart('p1', members)).toEqual(part('p1', 2, 2));
    expect(() => describePart('p1', [])).toThrow(RangeError);
  });
});

describe('the members of a group', () => {
  it('have the order of their times, and then of their ids', () => {
    const members = [
      { id: 'gm_b', addedAt: at(2) },
      { id: 'gm_a', addedAt: at(2) },
      { id: 'gm_c', addedAt: at(1) },
    ];
    expect(members.toSorted(compareMembers).map(({ id }) => id)).toEqual(['gm_c', 'gm_a', 'gm_b']);
  });

  it('are split into runs, of which the last may be shorter', () => {
    expect(splitMembers([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(splitMembers([], 2)).toEqual([]);
  });
});
