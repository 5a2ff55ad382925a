import { describe, expect, it } from 'vitest';
import { chooseStep, mayBeRepeated } from './commitStep.js';

describe('a version of a dashboard', () => {
  it.each([
    ['the first', { blob: null, version: null }, { blob: 'a', version: 1 }, 'commit'],
    ['a later one', { blob: 'a', version: 1 }, { blob: 'b', version: 2 }, 'commit'],
    ['the same one with other content', { blob: 'a', version: 2 }, { blob: 'b', version: 2 }, 'commit'],
    ['a later one without changes', { blob: 'a', version: 1 }, { blob: 'a', version: 2 }, 'record'],
    ['one that others pushed', { blob: 'a', version: null }, { blob: 'a', version: 1 }, 'record'],
    ['the same one again', { blob: 'a', version: 2 }, { blob: 'a', version: 2 }, 'skip'],
    ['an earlier one with the same content', { blob: 'a', version: 2 }, { blob: 'a', version: 1 }, 'skip'],
    ['an earlier one', { blob: 'b', version: 2 }, { blob: 'a', version: 1 }, 'commitBeneath'],
  ] as const)('that is %s', (_, state, next, step) => {
    expect(chooseStep(state, next)).toBe(step);
  });

  it('may be repeated only if it is not later than the recorded one', () => {
    expect([null, 1, 2, 3].map((version) => mayBeRepeated(version, { version: 2 }))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
