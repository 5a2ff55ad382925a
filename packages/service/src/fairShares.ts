import { AppError } from '@gatehouse/contract';

export interface FairSharesLimits {
  /** The number of tasks that run at once. */
  capacity: number;
  /**
   * The number of tasks of one share that run at once. It is below `capacity`, so that no share can use all
   * of it.
   */
  perShare: number;
  /** The same while other shares are active. By default it equals `perShare`. */
  perShareContended?: number;
  /** The number of waiting tasks of one share. */
  waitingPerShare: number;
  /** The number of waiting tasks of all shares. */
  waiting: number;
  /** The longest time that a task waits, in milliseconds. */
  waitMs: number;
}

/** The capacity counts as contended for this long after tasks of two different shares began in a row. */
const CONTENDED_MS = 1000;

interface WaitingTask {
  start(): void;
}

/**
 * A bounded capacity, divided fairly between shares such as organizations. The next task to run is of the
 * share that runs the fewest at that moment (max-min fairness: Bertsekas and Gallager, Data Networks, section
 * 6.5.2). Within that share it is the one that has waited longest. A share that floods the capacity delays
 * its own tasks, and those of others at most by the tasks that already run.
 */
export class FairShares {
  readonly #limits: FairSharesLimits;
  /** The number of running tasks of each share that has any. */
  readonly #running = new Map<string, number>();
  /** The waiting tasks of each share that has any. The share served last comes last. */
  readonly #waiting = new Map<string, Set<WaitingTask>>();
  /** The share of the task that began last. */
  #lastShare = '';
  #contendedUntilMs = 0;
  #runningCount = 0;
  #waitingCount = 0;

  constructor(limits: FairSharesLimits) {
    this.#limits = limits;
  }

  /** The number of running tasks. */
  get running(): number {
    return this.#runningCount;
  }

  /** The number of waiting tasks. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /**
   * Runs a task when its share has capacity, and settles as the task does.
   * @throws RATE_LIMITED if too many tasks of the share wait, or if this task has waited too long
   * @throws UNAVAILABLE if too many tasks of all shares wait
   */
  async run<T>(share: string, task: () => Promise<T>): Promise<T> {
    if (this.#mayRun(share)) this.#begin(share);
    else await this.#wait(share);
    try {
      return await task();
    } finally {
      this.#end(share);
    }
  }

  /** Acquires capacity of a share. Resolves to the function that releases it; rejects as `run`. */
  acquire(share: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(share, () => new Promise<void>((release) => resolve(release))).catch(reject);
    });
  }

  #mayRun(share: string): boolean {
    if (this.#runningCount >= this.#limits.capacity || this.#waiting.has(share)) return false;
    return this.#runningOf(share) < this.#perShare();
  }

  #runningOf(share: string): number {
    return this.#running.get(share) ?? 0;
  }

  /** The number of tasks of one share that may run now. */
  #perShare(): number {
    const { perShare, perShareContended = perShare } = this.#limits;
    return performance.now() < this.#contendedUntilMs ? perShareContended : perShare;
  }

  #begin(share: string): void {
    if (this.#limits.perShareContended !== undefined && share !== this.#lastShare) {
      if (this.#lastShare !== '') this.#contendedUntilMs = performance.now() + CONTENDED_MS;
      this.#lastShare = share;
    }
    this.#runningCount += 1;
    this.#running.set(share, this.#runningOf(share) + 1);
  }

  #end(share: string): void {
    this.#runningCount -= 1;
    const left = this.#runningOf(share) - 1;
    if (left === 0) this.#running.delete(share);
    else this.#running.set(share, left);
    this.#startNext();
  }

  /** Resolves when the task counts as running. */
  #wait(share: string): Promise<void> {
    const { waitingPerShare, waiting, waitMs } = this.#limits;
    const own = this.#waiting.get(share) ?? new Set<WaitingTask>();
    if (own.size >= waitingPerShare) throw new AppError('RATE_LIMITED', { retryAfterSeconds: 1 });
    if (this.#waitingCount >= waiting) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    return new Promise((resolve, reject) => {
      const task = {
        start: () => {
          clearTimeout(timer);
          this.#leave(share, task);
          this.#begin(share);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#leave(share, task);
        reject(new AppError('RATE_LIMITED', { retryAfterSeconds: 1 }));
      }, waitMs);
      own.add(task);
      this.#waiting.set(share, own);
      this.#waitingCount += 1;
      this.#startNext();
    });
  }

  #leave(share: string, task: WaitingTask): void {
    const own = this.#waiting.get(share);
    if (!own?.delete(task)) return;
    this.#waitingCount -= 1;
    this.#waiting.delete(share);
    if (own.size > 0) this.#waiting.set(share, own);
  }

  #startNext(): void {
    while (this.#startOne());
  }

  /**
   * Returns false if no waiting task may run. A share may run more tasks again once no other share is active.
   */
  #startOne(): boolean {
    if (this.#runningCount >= this.#limits.capacity) return false;
    let next: WaitingTask | undefined;
    let fewest = this.#perShare();
    for (const [share, [first]] of this.#waiting) {
      const running = this.#runningOf(share);
      if (running >= fewest) continue;
      next = first;
      fewest = running;
      if (fewest === 0) break;
    }
    next?.start();
    return next !== undefined;
  }
}
