import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from './changeResource.js';

describe('the keyed mutex', () => {
  it('runs tasks with the same key one after the other, and tasks with other keys concurrently', async () => {
    const mutex = createKeyedMutex();
    const log: string[] = [];
    const task = (name: string, ms: number) => async () => {
      log.push(`${name} begins`);
      await sleep(ms);
      log.push(`${name} ends`);
      return name;
    };
    const outcomes = await Promise.all([
      mutex.runExclusive('a', task('first', 40)),
      mutex.runExclusive('a', task('second', 1)),
      mutex.runExclusive('b', task('other', 1)),
    ]);
    expect(outcomes).toEqual(['first', 'second', 'other']);
    expect(log.filter((line) => !line.startsWith('other'))).toEqual([
      'first begins',
      'first ends',
      'second begins',
      'second ends',
    ]);
    expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'));
  });

  it('runs the next task after a failed one', async () => {
    const mutex = createKeyedMutex();
    const failed = mutex.runExclusive('a', async () => {
      throw new Error('no');
    });
    const next = mutex.runExclusive('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
