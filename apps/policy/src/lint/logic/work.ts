/**
 * About a second of work. The policies of an ordinary connection take a thousandth of it.
 */
const STEPS_MAX = 5_000_000;

/**
 * The work that is left of one lint. Rules, tables, assignments and pairs of rules multiply. What exceeds the
 * work is skipped, and has no warning.
 */
export class Work {
  #left: number;

  constructor(steps: number = STEPS_MAX) {
    this.#left = steps;
  }

  get left(): number {
    return Math.max(0, this.#left);
  }

  /** Returns false if the work is over. A step is an entry that is copied or a name that is looked up. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left > 0;
  }
}

/** Whether two sets have a common member. Takes as many steps as the smaller one has members. */
export function haveCommon<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  const [smaller, larger] = a.size <= b.size ? [a, b] : [b, a];
  for (const member of smaller) if (larger.has(member)) return true;
  return false;
}
