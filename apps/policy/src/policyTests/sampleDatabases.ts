import { FairShares } from '@gatehouse/service';
import { SampleThread, type SampleOutcome } from './sampleThread.js';
import type { SampleRun } from './sampleSteps.js';

/** Each database takes about 300 MB while it runs. */
const DATABASES = 2;
const LIMITS = {
  capacity: DATABASES,
  // One organization always leaves a database to the others.
  perShare: DATABASES - 1,
  waitingPerShare: 16,
  waiting: 64,
  // Longer than any call may take: a caller that waits while a database starts receives 503 in any case.
  waitMs: 60_000,
};

/**
 * Databases for the sample rows of tests, shared fairly between organizations. The second one starts only
 * when two are in use at once.
 */
export class SampleDatabases {
  readonly #shares = new FairShares(LIMITS);
  /** The most recently used one is last. */
  readonly #idle: SampleThread[];
  readonly #threads: readonly SampleThread[];

  constructor() {
    this.#threads = Array.from({ length: DATABASES }, () => new SampleThread());
    this.#idle = [...this.#threads];
  }

  /**
   * Runs a statement on sample rows. A run leaves no state behind.
   * @throws RATE_LIMITED if too many runs of the organization wait
   * @throws UNAVAILABLE if too many runs of all organizations wait
   */
  run(organizationId: string, run: SampleRun): Promise<SampleOutcome> {
    return this.#shares.run(organizationId, async () => {
      const thread = this.#idle.pop();
      if (!thread) throw new Error('No sample database is idle');
      try {
        return await thread.run(run);
      } finally {
        this.#idle.push(thread);
      }
    });
  }

  /** Starts a database in the background if none has started, so that the next run does not wait. */
  warmUp(): void {
    if (!this.#threads.some(({ hasStarted }) => hasStarted)) this.#idle.at(-1)?.warmUp();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}
