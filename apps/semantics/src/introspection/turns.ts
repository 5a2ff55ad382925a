/** One who waits for a turn. */
interface Waiting {
  party: string;
  start(): void;
}

interface TurnLimits {
  /** Turns at once. */
  count: number;
  /** Turns of one party at once. */
  share: number;
}

/**
 * Lets so many through at once, and of each party no more than its share. The next turn is for the party that has the fewest at
 * that moment, and among equals for whoever came first.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: Waiting[] = [];
  /** The turns of each party that has any. */
  readonly #taken = new Map<string, number>();
  #free: number;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#free = limits.count;
  }

  /** Resolves when it is the caller's turn, which lasts until `end`. Rejects with the signal's reason. */
  async begin(party: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { party, start };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
      this.#startNext();
    });
  }

  end(party: string): void {
    this.#free += 1;
    const left = this.#takenBy(party) - 1;
    if (left === 0) this.#taken.delete(party);
    else this.#taken.set(party, left);
    this.#startNext();
  }

  #takenBy(party: string): number {
    return this.#taken.get(party) ?? 0;
  }

  /** Every turn that ends, and everyone who comes, makes room for one at most. */
  #startNext(): void {
    const next = this.#free === 0 ? undefined : this.#findNext();
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#free -= 1;
    this.#taken.set(next.party, this.#takenBy(next.party) + 1);
    next.start();
  }

  #findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = this.#limits.share;
    for (const waiting of this.#waiting) {
      const taken = this.#takenBy(waiting.party);
      if (taken >= fewest) continue;
      next = waiting;
      fewest = taken;
    }
    return next;
  }
}
