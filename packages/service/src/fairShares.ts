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

/** A party has at most this fraction of the waiting tasks of its share. */
const PARTY_PARTS = 4;

interface WaitingTask {
  start(): void;
}

/** The party of tasks that have none. It may have all waiting tasks of its share. */
const NO_PARTY = '';

/** The key of a party of a share. Ids contain no space. */
const keyOf = (share: string, party: string) => `${share} ${party}`;

/**
 * A bounded capacity, divided fairly between shares such as organizations. The next task to run is of the
 * share that runs the fewest at that moment (max-min fairness: Bertsekas and Gallager, Data Networks, section
 * 6.5.2). Within that share it is of the party, such as a tenant of the organization, that runs the fewest,
 * and of that party the one that has waited longest. A share that floods the capacity delays its own tasks,
 * and those of others at most by the tasks that already run. The same holds for a party within its share.
 */
export class FairShares {
  readonly #limits: FairSharesLimits;
  /** The number of running tasks of each share that has any. */
  readonly #running = new Map<string, number>();
  /** The number of running tasks of each party of a share that has any. */
  readonly #runningOfParty = new Map<string, number>();
  /** The waiting tasks of each share that has any, by party. The share and party served last come last. */
  readonly #waiting = new Map<string, Map<string, Set<WaitingTask>>>();
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
   * @throws RATE_LIMITED if too many tasks of the share or party wait, or if this task has waited too long
   * @throws UNAVAILABLE if too many tasks of all shares wait
   */
  async run<T>(share: string, task: () => Promise<T>, party = NO_PARTY): Promise<T> {
    if (this.#mayRun(share)) this.#begin(share, party);
    else await this.#wait(share, party);
    try {
      return await task();
    } finally {
      this.#end(share, party);
    }
  }

  /** Acquires capacity of a share. Resolves to the function that releases it; rejects as `run`. */
  acquire(share: string, party?: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.run(share, () => new Promise<void>((release) => resolve(release)), party).catch(reject);
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

  #begin(share: string, party: string): void {
    if (this.#limits.perShareContended !== undefined && share !== this.#lastShare) {
      if (this.#lastShare !== '') this.#contendedUntilMs = performance.now() + CONTENDED_MS;
      this.#lastShare = share;
    }
    this.#runningCount += 1;
    add(this.#running, share, 1);
    add(this.#runningOfParty, keyOf(share, party), 1);
  }

  #end(share: string, party: string): void {
    this.#runningCount -= 1;
    add(this.#running, share, -1);
    add(this.#runningOfParty, keyOf(share, party), -1);
    this.#startNext();
  }

  /** Resolves when the task counts as running. */
  #wait(share: string, party: string): Promise<void> {
    const { waitingPerShare, waiting, waitMs } = this.#limits;
    const parties = this.#waiting.get(share) ?? new Map<string, Set<WaitingTask>>();
    const own = parties.get(party) ?? new Set<WaitingTask>();
    const most = party === NO_PARTY ? waitingPerShare : Math.ceil(waitingPerShare / PARTY_PARTS);
    const count = [...parties.values()].reduce((sum, { size }) => sum + size, 0);
    if (count >= waitingPerShare || own.size >= most)
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: 1 });
    if (this.#waitingCount >= waiting) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    return new Promise((resolve, reject) => {
      const task = {
        start: () => {
          clearTimeout(timer);
          this.#leave(share, party, task);
          this.#begin(share, party);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#leave(share, party, task);
        reject(new AppError('RATE_LIMITED', { retryAfterSeconds: 1 }));
      }, waitMs);
      parties.set(party, own.add(task));
      this.#waiting.set(share, parties);
      this.#waitingCount += 1;
      this.#startNext();
    });
  }

  #leave(share: string, party: string, task: WaitingTask): void {
    const parties = this.#waiting.get(share);
    const own = parties?.get(party);
    if (!parties || !own?.delete(task)) return;
    this.#waitingCount -= 1;
    parties.delete(party);
    if (own.size > 0) parties.set(party, own);
    this.#waiting.delete(share);
    if (parties.size > 0) this.#waiting.set(share, parties);
  }

  #startNext(): void {
    while (this.#startOne());
  }

  /**
   * Returns false if no waiting task may run. A share may run more tasks again once no other share is active.
   */
  #startOne(): boolean {
    if (this.#runningCount >= this.#limits.capacity) return false;
    const runningOf = (share: string) => this.#runningOf(share);
    const share = fewestOf(this.#waiting.keys(), runningOf, this.#perShare());
    if (share === undefined) return false;
    const parties = this.#waiting.get(share) ?? new Map<string, Set<WaitingTask>>();
    const runningOfParty = (party: string) => this.#runningOfParty.get(keyOf(share, party)) ?? 0;
    const party = fewestOf(parties.keys(), runningOfParty, Infinity) ?? NO_PARTY;
    const [next] = parties.get(party) ?? [];
    next?.start();
    return next !== undefined;
  }
}

/** Adds to a count, and removes the count when it is 0. */
function add(counts: Map<string, number>, name: string, difference: number): void {
  const count = (counts.get(name) ?? 0) + difference;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

/** The first of the names with the lowest count, which must be below a limit. */
function fewestOf(
  names: Iterable<string>,
  countOf: (name: string) => number,
  below: number,
): string | undefined {
  let found: string | undefined;
  let fewest = below;
  for (const name of names) {
    const count = countOf(name);
    if (count >= fewest) continue;
    found = name;
    fewest = count;
    if (fewest === 0) break;
  }
  return found;
}
