import { outsideDryRun } from '../dryRun/dryRun.js';
import { negative, NOTHING, sum, type Usage } from './usage.js';

export type { Usage };

/**
 * How long a count is valid: this long, or this many times as long as it took. Counting takes at most 2 % of
 * the time.
 */
const HELD_MIN_MS = 1000;
const HELD_PER_MS = 50;

/** Returns true if a growth stays within limits. Usage that does not grow always fits. */
export function fits(used: Usage, growth: Usage, limits: Usage): boolean {
  const isWithin = (field: keyof Usage) => growth[field] <= 0 || used[field] + growth[field] <= limits[field];
  return isWithin('records') && isWithin('bytes');
}

/** The known usage of one quota: the last count, and what this process has written since. */
export class Ledger {
  readonly #count: () => Promise<Usage>;
  #used = NOTHING;
  /** The part of `used` whose write has not ended. */
  #writing = NOTHING;
  /**
   * Reserved since the current count began. The count may miss these writes, so they are added to its result.
   */
  #reservedMeanwhile = NOTHING;
  #counting: Promise<void> | null = null;
  /** The time until which the last count is valid. Null if there is none, or if it failed. */
  #holdsUntilMs: number | null = null;

  constructor(count: () => Promise<Usage>) {
    this.#count = count;
  }

  get used(): Usage {
    return this.#used;
  }

  get isKnown(): boolean {
    return this.#holdsUntilMs !== null;
  }

  get isDue(): boolean {
    return this.#holdsUntilMs === null || performance.now() >= this.#holdsUntilMs;
  }

  /** Counts. Concurrent callers share one count. Rejects as the count does. */
  refresh(): Promise<void> {
    this.#counting ??= this.#countAgain().finally(() => (this.#counting = null));
    return this.#counting;
  }

  reserve(growth: Usage): void {
    this.#used = sum(this.#used, growth);
    this.#writing = sum(this.#writing, growth);
    this.#reservedMeanwhile = sum(this.#reservedMeanwhile, growth);
  }

  /** Ends a reservation. If nothing was written, its growth is released. */
  settle(growth: Usage, isWritten: boolean): void {
    this.#writing = sum(this.#writing, negative(growth));
    if (!isWritten) this.release(growth);
  }

  /** Releases deleted usage. */
  release(gone: Usage): void {
    this.#used = sum(this.#used, negative(gone));
  }

  async #countAgain(): Promise<void> {
    const writing = this.#writing;
    this.#reservedMeanwhile = NOTHING;
    const startedMs = performance.now();
    try {
      const found = await outsideDryRun(this.#count);
      this.#used = sum(sum(found, writing), this.#reservedMeanwhile);
      const endedMs = performance.now();
      this.#holdsUntilMs = endedMs + Math.max(HELD_MIN_MS, HELD_PER_MS * (endedMs - startedMs));
    } catch (error) {
      this.#holdsUntilMs = null;
      throw error;
    }
  }
}
