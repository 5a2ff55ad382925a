import { FairShares } from '@gatehouse/service';
import type { PushOutcome, Repository } from './store.js';

/** The outcome of a push, and the latest commits that the remote has. */
export type PushResult = PushOutcome & { recent: ReadonlySet<string> };

type Push = () => Promise<PushResult | null>;
export type RepositoryKey = Pick<Repository, '_id' | 'organizationId'>;

/**
 * Limits of concurrent pushes, per process and per organization: a remote may hang, and may send objects that
 * take a hundred megabytes of memory each time.
 */
const SHARES = { capacity: 16, perShare: 3, waitingPerShare: 64, waiting: 256, waitMs: 5000 };

/**
 * Runs at most one push of each repository at a time. Requests that arrive during a push share the next one,
 * which pushes all of their commits.
 */
export class PushQueue {
  readonly #shares = new FairShares(SHARES);
  readonly #running = new Map<string, { organizationId: string; settled: Promise<unknown> }>();
  readonly #next = new Map<string, Promise<PushResult | null>>();
  readonly #stopping = new AbortController();

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The number of running pushes of an organization. */
  countOf(organizationId: string): number {
    return [...this.#running.values()].filter((push) => push.organizationId === organizationId).length;
  }

  isRunning(projectId: string): boolean {
    return this.#running.has(projectId);
  }

  /**
   * Requests a push that begins after this call. Throws RATE_LIMITED when too many of the organization are
   * running.
   */
  request({ _id: projectId, organizationId }: RepositoryKey, push: Push): Promise<PushResult | null> {
    const waiting = this.#next.get(projectId);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(projectId);
    if (running === undefined) return this.#start({ _id: projectId, organizationId }, push);
    const next = running.settled.then(() => {
      this.#next.delete(projectId);
      return this.#start({ _id: projectId, organizationId }, push);
    });
    this.#next.set(projectId, next);
    return next;
  }

  /** Aborts the running pushes and waits for their end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#running.size > 0)
      await Promise.all([...this.#running.values()].map(({ settled }) => settled));
  }

  #start({ _id: projectId, organizationId }: RepositoryKey, push: Push): Promise<PushResult | null> {
    const outcome = this.#shares.run(organizationId, push);
    const settled = outcome
      .catch(() => {})
      .finally(() => {
        if (this.#running.get(projectId)?.settled === settled) this.#running.delete(projectId);
      });
    this.#running.set(projectId, { organizationId, settled });
    return outcome;
  }
}
