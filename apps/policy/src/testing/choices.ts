/**
 * Choices read off a tape of bytes: whoever makes something random from a tape makes the same again from the same tape, and
 * something smaller from a smaller one, which is how fast-check finds the smallest example that fails. A tape that is at its
 * end reads as zeros, so the first of the options given ought to be the plainest.
 */
export class Choices {
  private read = 0;

  constructor(private readonly tape: Uint8Array) {}

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    const byte = this.tape[this.read] ?? 0;
    this.read += 1;
    return byte % limit;
  }

  pick<T>(options: readonly T[]): T {
    const option = options[this.below(options.length)];
    if (option === undefined) throw new Error('there is nothing to choose from');
    return option;
  }

  /** True about `percent` times in a hundred, and false at the end of the tape. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** From 1 to `most` of what `make` makes. */
  several<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, (_, index) => make(index));
  }
}
