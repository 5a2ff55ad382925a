import { describe, expect, it } from 'vitest';
import { applyChanges, changedFields, isUnchanged } from './changedFields.js';

describe('the fields that an update changes', () => {
  const current = { name: 'A', owner: null as string | null, isActive: true };

  it('are those that are given and differ', () => {
    const changes = changedFields(current, { name: 'B', owner: 'x', isActive: true });
    expect(changes).toEqual({ name: { from: 'A', to: 'B' }, owner: { from: null, to: 'x' } });
    expect(applyChanges(current, changes)).toEqual({ name: 'B', owner: 'x', isActive: true });
  });

  it('are none where nothing is given or nothing differs', () => {
    const changes = changedFields(current, { name: undefined, owner: null, isActive: true });
    expect(isUnchanged(changes)).toBe(true);
    expect(applyChanges(current, changes)).toEqual(current);
  });
});
