import { setImmediate } from 'node:timers/promises';

/** A read that is about to be made, for all who ask in the same place at the same time. */
interface SharedRead<K, F> {
  keys: K[];
  found: Promise<F>;
}

/**
 * Reads that are asked for together, made as one. A read begins only once all who share it have asked, so everybody is given
 * what holds after the question; nothing is remembered. What is found is shared, and so never changed, and holds what
 * others have asked for: whoever asks takes its own.
 */
export class SharedReads<P, K, F> {
  readonly #pending = new Map<string, SharedRead<K, F>>();
  readonly #placeName: (place: P) => string;
  readonly #read: (place: P, keys: K[]) => Promise<F>;

  /**
   * @param placeName tells places apart: those who may see something else must never be in one place
   * @param read reads what all of the keys name, which may come twice; the place is that of the first who asked
   */
  constructor(placeName: (place: P) => string, read: (place: P, keys: K[]) => Promise<F>) {
    this.#placeName = placeName;
    this.#read = read;
  }

  /** What the keys name and what others name in the same place at the same time. Rejects as the read does. */
  find(place: P, keys: readonly K[]): Promise<F> {
    const name = this.#placeName(place);
    const shared = this.#pending.get(name);
    if (shared) {
      shared.keys.push(...keys);
      return shared.found;
    }
    const own = [...keys];
    const found = this.#readSoon(name, place, own);
    this.#pending.set(name, { keys: own, found });
    return found;
  }

  async #readSoon(name: string, place: P, keys: K[]): Promise<F> {
    await setImmediate();
    this.#pending.delete(name);
    return this.#read(place, keys);
  }
}
