import { setImmediate } from 'node:timers/promises';

/**
 * Callers that share a result continue at the same moment. Here each waits for a turn of the event loop of
 * its own, so that other requests are served in between although each caller works for a while.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Resolves in the next turn that no other caller of the share has. Shares do not wait for each other, so
   * that one with many callers delays no other.
   */
  async next(share: string): Promise<void> {
    const own = (this.#last.get(share) ?? Promise.resolve()).then(() => setImmediate());
    this.#last.set(share, own);
    await own;
    if (this.#last.get(share) === own) this.#last.delete(share);
  }
}
