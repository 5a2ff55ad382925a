import { describe, expect, it } from 'vitest';
import { judgeCommit, mayBeRepeated } from './judgeCommit.js';

describe('a version of a dashboard', () => {
  it.each([
    ['the first', { blob: null, version: null }, { blob: 'a', version: 1 }, 'commit'],
    ['a later one', { blob: 'a', version: 1 }, { blob: 'b', version: 2 }, 'commit'],
    [
      'the same one, which the branch has not',
      { blob: 'a', version: 2 },
      { blob: 'b', version: 2 },
      'commit',
    ],
    ['a later one that changed nothing', { blob: 'a', version: 1 }, { blob: 'a', version: 2 }, 'note'],
    ['one that others brought', { blob: 'a', version: null }, { blob: 'a', version: 1 }, 'note'],
    ['the same one again', { blob: 'a', version: 2 }, { blob: 'a', version: 2 }, 'leave'],
    ['an earlier one with the same content', { blob: 'a', version: 2 }, { blob: 'a', version: 1 }, 'leave'],
    ['an earlier one', { blob: 'b', version: 2 }, { blob: 'a', version: 1 }, 'commitBeneath'],
  ] as const)('that is %s', (_, state, next, step) => {
    expect(judgeCommit(state, next)).toBe(step);
  });

  it('may have been committed before only if it is no later than what came', () => {
    expect([null, 1, 2, 3].map((version) => mayBeRepeated(version, { version: 2 }))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
