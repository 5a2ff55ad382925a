import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gatehouse/contract';

const ATTEMPTS_MAX = 25;
const PAUSE_MAX_MS = 200;
const RETRY_AFTER_SECONDS = 1;

/**
 * A write that lost a race: the record has changed since it was read, and nothing was written. A caller may
 * repeat the request, as after any other UNAVAILABLE.
 */
export class WriteConflict extends AppError {
  constructor() {
    super('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.name = 'WriteConflict';
  }
}

/**
 * Repeats an attempt (read, decide, write) while it throws WriteConflict. Random pauses let competing writers
 * pass one at a time.
 * @throws UNAVAILABLE after the last attempt, and immediately any other error of the attempt
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      // Not a WriteConflict, so that an enclosing retry does not multiply the attempts.
      if (number === ATTEMPTS_MAX)
        throw new AppError('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
    }
    await sleep(Math.random() * Math.min(2 ** number, PAUSE_MAX_MS));
  }
}
