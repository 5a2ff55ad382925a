/**
 * Choices from a tape of bytes. The same tape yields the same choices, and a smaller tape smaller ones, which
 * lets fast-check shrink failures. The end of a tape reads as zeros, so the plainest option comes first.
 */
export class Choices {
  #read = 0;

  readonly #tape: Uint8Array;

  constructor(tape: Uint8Array) {
    this.#tape = tape;
  }

  /** A whole number from 0 to `limit` (exclusive). */
  below(limit: number): number {
    const byte = this.#tape[this.#read] ?? 0;
    this.#read += 1;
    return byte % limit;
  }

  pick<T>(options: readonly T[]): T {
    const option = options[this.below(options.length)];
    if (option === undefined) throw new Error('there is nothing to choose from');
    return option;
  }

  /** True with a probability of about `percent` in 100, and false at the end of the tape. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** From 1 to `most` results of `make`. */
  several<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, (_, index) => make(index));
  }
}
