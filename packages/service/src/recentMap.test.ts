import { describe, expect, it } from 'vitest';
import { RecentMap } from './recentMap.js';

describe('a map of what was used of late', () => {
  it('keeps what is used and forgets what is not', () => {
    const map = new RecentMap<number>(20);
    map.set('used', 1);
    map.set('idle', 2);
    for (let round = 0; round < 10; round += 1) {
      expect(map.get('used')).toBe(1);
      map.set(`k${round}`, round);
    }
    expect(map.get('idle')).toBeUndefined();
  });

  it('never weighs more than it may by more than one key', () => {
    const map = new RecentMap<number>(1000);
    const keys = Array.from({ length: 10_000 }, (_, index) => `key-${index}`);
    for (const [index, key] of keys.entries()) map.set(key, index);
    const held = keys.filter((key) => map.get(key) !== undefined);
    expect(held.join('').length).toBeLessThan(1010);
    expect(held.length).toBeGreaterThan(50);
  });

  it('weighs what it is told to', () => {
    const map = new RecentMap<number>(100);
    map.set('a', 1, 30);
    map.set('a', 2, 30);
    map.set('b', 3, 30);
    expect([map.get('a'), map.get('b')]).toEqual([2, 3]);
    map.set('c', 4, 60);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, undefined, 4]);
  });

  it('forgets what is deleted, wherever it is held', () => {
    const map = new RecentMap<number>(8);
    map.set('aaaa', 1);
    map.set('bbbb', 2);
    map.delete('aaaa');
    map.delete('bbbb');
    expect([map.get('aaaa'), map.get('bbbb')]).toEqual([undefined, undefined]);
  });
});
