/** An item and the promise of its result. */
interface Waiting<I, R> {
  item: I;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Processes a batch. Returns one result for each item, in order. */
export type RunBatch<I, R> = (items: I[]) => Promise<R[]>;

/** The limits of a batch. The first item is taken whatever its weight. */
export interface BatchLimits<I> {
  count: number;
  weight: number;
  weightOf(item: I): number;
}

/**
 * Processes the items of each key in successive batches. Items that arrive during a batch form the next one,
 * so that under load one run of git serves many commits. When a batch fails, each of its items is retried
 * alone.
 */
export class CommitQueue<I, R> {
  readonly #limits: BatchLimits<I>;
  readonly #waiting = new Map<string, Waiting<I, R>[]>();

  constructor(limits: BatchLimits<I>) {
    this.#limits = limits;
  }

  add(key: string, item: I, run: RunBatch<I, R>): Promise<R> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      const entry = { item, resolve, reject };
      if (waiting !== undefined) return void waiting.push(entry);
      this.#waiting.set(key, [entry]);
      void this.#drain(key, run);
    });
  }

  async #drain(key: string, run: RunBatch<I, R>): Promise<void> {
    for (;;) {
      const batch = this.#take(this.#waiting.get(key) ?? []);
      if (batch.length === 0) return void this.#waiting.delete(key);
      if (!(await this.#runTogether(batch, run))) for (const entry of batch) await this.#runAlone(entry, run);
    }
  }

  #take(waiting: Waiting<I, R>[]): Waiting<I, R>[] {
    const { count, weight, weightOf } = this.#limits;
    let taken = 0;
    let total = 0;
    for (const { item } of waiting.slice(0, count)) {
      total += weightOf(item);
      if (taken > 0 && total > weight) break;
      taken += 1;
    }
    return waiting.splice(0, taken);
  }

  async #runTogether(batch: Waiting<I, R>[], run: RunBatch<I, R>): Promise<boolean> {
    if (batch.length === 1) return false;
    try {
      const results = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as R));
      return true;
    } catch {
      return false;
    }
  }

  async #runAlone({ item, resolve, reject }: Waiting<I, R>, run: RunBatch<I, R>): Promise<void> {
    try {
      const [result] = await run([item]);
      resolve(result as R);
    } catch (error) {
      reject(error);
    }
  }
}
