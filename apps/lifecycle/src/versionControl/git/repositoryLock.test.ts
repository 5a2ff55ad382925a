import { mkdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTestRepository } from '../../testing/testRepository.js';
import type { BareRepository } from './bareRepository.js';
import { withRepositoryLock } from './repositoryLock.js';

const lockOf = ({ directory }: BareRepository) => join(directory, 'gatehouse.lock');
const isLocked = (bare: BareRepository) =>
  stat(lockOf(bare)).then(
    () => true,
    () => false,
  );

describe('the lock of a repository', () => {
  it('runs one task at a time, and is released after each, even if it fails', async () => {
    await using repository = await createTestRepository();
    let running = 0;
    const task = async () => {
      running += 1;
      expect(running).toBe(1);
      expect(await isLocked(repository.bare)).toBe(true);
      await sleep(5);
      running -= 1;
      throw new Error('failed');
    };
    const tasks = Array.from({ length: 5 }, () => withRepositoryLock(repository.elsewhere(), task));
    const outcomes = await Promise.allSettled(tasks);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect(await isLocked(repository.bare)).toBe(false);
  });

  it('is taken from a process that died', async () => {
    await using repository = await createTestRepository();
    await mkdir(lockOf(repository.bare));
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lockOf(repository.bare), longAgo, longAgo);
    expect(await withRepositoryLock(repository.bare, async () => 'done')).toBe('done');
    expect(await isLocked(repository.bare)).toBe(false);
  });

  it('is not waited for longer than 3 seconds', async () => {
    await using repository = await createTestRepository();
    await mkdir(lockOf(repository.bare));
    const muchLater = new Date(Date.now() + 3_600_000);
    await utimes(lockOf(repository.bare), muchLater, muchLater);
    const began = performance.now();
    expect(await withRepositoryLock(repository.bare, async () => 'done')).toBe('done');
    expect(performance.now() - began).toBeGreaterThanOrEqual(2900);
    expect(await isLocked(repository.bare)).toBe(true);
  });
});
