/**
 * The most different keys that are remembered after one sequence. V8 keeps about 1,500 hidden classes there,
 * and makes each further object a dictionary, even one with the keys of an earlier one.
 */
const FOLLOWERS_MAX = 1000;

/** The keys with which objects begin, in their order. */
interface KeySequence {
  followers: Map<string, KeySequence> | null;
  /** An object has exactly these keys. */
  isWhole: boolean;
}

/** The keys of an object that is being read. */
export interface OpenKeys {
  /** Null after a key that is not remembered. */
  sequence: KeySequence | null;
  /** Those that made a new sequence. */
  counted: number;
}

/**
 * Counts the keys of the different objects of a JSON text. For each sequence of keys V8 makes hidden classes,
 * which takes up to a hundred times as long as another object with the same keys in the same order.
 */
export class KeySequences {
  readonly #start: KeySequence = { followers: null, isWhole: false };
  #count = 0;

  /** The keys of all objects, where those with equal keys in an equal order count as one object. */
  get count(): number {
    return this.#count;
  }

  /** Begins an object. */
  open(): OpenKeys {
    return { sequence: this.#start, counted: 0 };
  }

  /** Adds the next key of an object. */
  add(keys: OpenKeys, key: string): void {
    const known = keys.sequence?.followers?.get(key);
    if (known === undefined) {
      this.#count += 1;
      keys.counted += 1;
    }
    keys.sequence = known ?? follow(keys.sequence, key);
  }

  /** Ends an object of `length` keys. The keys that it shares with the start of others count too. */
  close({ sequence, counted }: OpenKeys, length: number): void {
    if (sequence?.isWhole) return;
    if (sequence) sequence.isWhole = true;
    this.#count += length - counted;
  }
}

function follow(sequence: KeySequence | null, key: string): KeySequence | null {
  if (sequence === null) return null;
  sequence.followers ??= new Map();
  if (sequence.followers.size === FOLLOWERS_MAX) return null;
  const next: KeySequence = { followers: null, isWhole: false };
  sequence.followers.set(key, next);
  return next;
}
