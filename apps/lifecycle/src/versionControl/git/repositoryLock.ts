import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import type { BareRepository } from './bareRepository.js';

/**
 * The age at which an unrenewed lock is stale, because its process died. Also the longest wait for a lock.
 */
const LOCK_TIMEOUT_MS = 3000;
/** Pauses of 5 to 10 ms between attempts, until the timeout. */
const RETRIES = { forever: true, factor: 1, minTimeout: 5, randomize: true, maxRetryTime: LOCK_TIMEOUT_MS };

/**
 * Runs a task with the lock of a repository, so that processes commit one after the other. If the lock cannot
 * be acquired in time, the task runs without it. That is safe, because git locks each ref: of two concurrent
 * commits, one is retried.
 */
export async function withRepositoryLock<T>(
  { directory }: BareRepository,
  task: () => Promise<T>,
): Promise<T> {
  const release = await lock(directory, {
    lockfilePath: join(directory, 'gatehouse.lock'),
    realpath: false,
    stale: LOCK_TIMEOUT_MS,
    retries: RETRIES,
    onCompromised: () => {},
  }).catch(() => null);
  try {
    return await task();
  } finally {
    await release?.().catch(() => {});
  }
}
