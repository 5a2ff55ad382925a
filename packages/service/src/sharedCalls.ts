import { setImmediate } from 'node:timers/promises';

/** A call that is about to be made, for all who ask in the same place until it begins. */
interface SharedCall<K, F> {
  keys: K[];
  outcome: Promise<F>;
}

/**
 * Calls that are asked for together, made as one: reads, and writes that may fail together. In each place one call is under
 * way; whoever asks meanwhile shares the next. A call begins only once all who share it have asked, so everybody is given what
 * holds after the question, and nothing is remembered. What is found is shared too: it is never changed, and holds what others
 * have asked for, so that whoever asks takes its own.
 */
export class SharedCalls<P, K, F> {
  readonly #pending = new Map<string, SharedCall<K, F>>();
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #placeName: (place: P) => string;
  readonly #call: (place: P, keys: K[]) => Promise<F>;

  /**
   * @param placeName tells places apart: those who may see something else must never be in one place
   * @param call does what is to be done for all of the keys, which may come twice; the place is that of the first who asked
   */
  constructor(placeName: (place: P) => string, call: (place: P, keys: K[]) => Promise<F>) {
    this.#placeName = placeName;
    this.#call = call;
  }

  /** What comes of it for the keys, and for those of others in the same place. Rejects as the call does. */
  make(place: P, keys: readonly K[]): Promise<F> {
    const name = this.#placeName(place);
    const shared = this.#pending.get(name);
    if (shared) {
      for (const key of keys) shared.keys.push(key);
      return shared.outcome;
    }
    const own = [...keys];
    const outcome = this.#callSoon(name, place, own);
    this.#pending.set(name, { keys: own, outcome });
    return outcome;
  }

  async #callSoon(name: string, place: P, keys: K[]): Promise<F> {
    await setImmediate();
    await this.#running.get(name);
    this.#pending.delete(name);
    const outcome = this.#call(place, keys);
    const end = () => this.#running.delete(name);
    this.#running.set(name, outcome.then(end, end));
    return outcome;
  }
}
