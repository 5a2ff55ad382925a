import { describe, expect, it } from 'vitest';
import { applyChanges, changedFields, isUnchanged } from './changedFields.js';

describe('changed fields', () => {
  const current = { name: 'A', owner: null as string | null, isActive: true };

  it('are the given fields whose values differ', () => {
    const changes = changedFields(current, { name: 'B', owner: 'x', isActive: true });
    expect(changes).toEqual({ name: { from: 'A', to: 'B' }, owner: { from: null, to: 'x' } });
    expect(applyChanges(current, changes)).toEqual({ name: 'B', owner: 'x', isActive: true });
  });

  it('are empty when no field is given or no value differs', () => {
    const changes = changedFields(current, { name: undefined, owner: null, isActive: true });
    expect(isUnchanged(changes)).toBe(true);
    expect(applyChanges(current, changes)).toEqual(current);
  });
});
