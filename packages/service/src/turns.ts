import { setImmediate } from 'node:timers/promises';

/**
 * Callers that share a result continue at the same moment. Here each waits for a turn of the event loop of
 * its own, so that other requests are served in between although each caller works for a while.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves in the next turn that no other caller has. */
  next(): Promise<unknown> {
    this.#last = this.#last.then(() => setImmediate());
    return this.#last;
  }
}
