import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.js';

describe('turns', () => {
  it('run tasks of one key one after the other, and those of others meanwhile', async () => {
    const turns = createTurns();
    const log: string[] = [];
    const task = (name: string, ms: number) => async () => {
      log.push(`${name} begins`);
      await sleep(ms);
      log.push(`${name} ends`);
      return name;
    };
    const outcomes = await Promise.all([
      turns.take('a', task('first', 40)),
      turns.take('a', task('second', 1)),
      turns.take('b', task('other', 1)),
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

  it('come although the task before failed', async () => {
    const turns = createTurns();
    const failed = turns.take('a', async () => {
      throw new Error('no');
    });
    const next = turns.take('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBe('yes');
  });
});
