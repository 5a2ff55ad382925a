import type { PushOutcome } from '../store/repositories.js';

/** How a push ended, and the latest commits that the remote has by then. */
export type PushResult = PushOutcome & { recent: ReadonlySet<string> };

type Push = () => Promise<PushResult | null>;

/**
 * The pushes in progress. Of one repository there is one at a time, and all who ask while it runs share the next one, which
 * takes along what each of them has committed.
 */
export class Pushes {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<PushResult | null>>();
  readonly #ending = new AbortController();

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get count(): number {
    return this.#running.size;
  }

  isRunning(projectId: string): boolean {
    return this.#running.has(projectId);
  }

  /** A push that begins after the call. */
  request(projectId: string, push: Push): Promise<PushResult | null> {
    const waiting = this.#next.get(projectId);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(projectId);
    if (running === undefined) return this.#start(projectId, push);
    const next = running.then(() => {
      this.#next.delete(projectId);
      return this.#start(projectId, push);
    });
    this.#next.set(projectId, next);
    return next;
  }

  /** Ends what runs, and waits for it. */
  async stop(): Promise<void> {
    this.#ending.abort();
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #start(projectId: string, push: Push): Promise<PushResult | null> {
    const outcome = push();
    const settled = outcome
      .catch(() => {})
      .finally(() => {
        if (this.#running.get(projectId) === settled) this.#running.delete(projectId);
      });
    this.#running.set(projectId, settled);
    return outcome;
  }
}
