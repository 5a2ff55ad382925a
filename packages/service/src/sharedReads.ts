import { setImmediate } from 'node:timers/promises';

/** A read that is about to be made, for all who ask in the same place until it begins. */
interface SharedRead<K, F> {
  keys: K[];
  found: Promise<F>;
}

/**
 * Reads that are asked for together, made as one. In each place one read is under way; whoever asks meanwhile shares the
 * next. A read begins only once all who share it have asked, so everybody is given what holds after the question, and
 * nothing is remembered. What is found is shared too: it is never changed, and holds what others have asked for, so that
 * whoever asks takes its own.
 */
export class SharedReads<P, K, F> {
  readonly #pending = new Map<string, SharedRead<K, F>>();
  readonly #running = new Map<string, Promise<unknown>>();
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

  /** What the keys name, and what others name in the same place. Rejects as the read does. */
  find(place: P, keys: readonly K[]): Promise<F> {
    const name = this.#placeName(place);
    const shared = this.#pending.get(name);
    if (shared) {
      for (const key of keys) shared.keys.push(key);
      return shared.found;
    }
    const own = [...keys];
    const found = this.#readSoon(name, place, own);
    this.#pending.set(name, { keys: own, found });
    return found;
  }

  async #readSoon(name: string, place: P, keys: K[]): Promise<F> {
    await setImmediate();
    await this.#running.get(name);
    this.#pending.delete(name);
    const found = this.#read(place, keys);
    const end = () => this.#running.delete(name);
    this.#running.set(name, found.then(end, end));
    return found;
  }
}
