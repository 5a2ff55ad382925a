import { describe, expect, it } from 'vitest';
import { changesOf, consequencesOf } from './changes.js';

describe('changesOf', () => {
  const current = {
    url: 'https://a.example/',
    description: '',
    eventTypes: ['*'],
    projectId: null,
    isEnabled: true,
  };
  it('returns only the fields that differ', () => {
    expect(changesOf(current, { eventTypes: ['*'], url: undefined, projectId: null })).toBeNull();
    expect(changesOf(current, { eventTypes: ['*', '*'], isEnabled: true })).toEqual({
      eventTypes: { from: ['*'], to: ['*', '*'] },
    });
  });

  it('has consequences: a manual disabling, and cleared failures after enabling or moving', () => {
    const wanting = (wanted: object) => consequencesOf(changesOf(current, wanted) ?? {});
    expect(wanting({ isEnabled: false })).toEqual({ disabledReason: 'manual' });
    expect(wanting({ url: 'https://b.example/' })).toEqual({ failingSince: null });
    expect(wanting({ description: 'x' })).toEqual({});
    expect(consequencesOf({ isEnabled: { from: false, to: true } })).toEqual({
      disabledReason: null,
      failingSince: null,
    });
  });
});
