import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gatehouse/contract';

const ATTEMPTS_MAX = 25;
const PAUSE_MAX_MS = 200;

/**
 * Runs an attempt (read, decide, write) again as long as it gives null, which says that what it read was changed before
 * it wrote. Pauses of random length let writers that keep disturbing each other pass one at a time. Throws UNAVAILABLE
 * when there is no end to it.
 */
export async function untilWritten<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let number = 1; number <= ATTEMPTS_MAX; number += 1) {
    const result = await attempt();
    if (result !== null) return result;
    await sleep(Math.random() * Math.min(2 ** number, PAUSE_MAX_MS));
  }
  throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
}
