import { setImmediate } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { currentDryRun } from './dryRun/dryRun.js';

interface Load<P, K> {
  place: P;
  keys: readonly K[];
}

/**
 * Batches calls to the same place into one: reads, and writes that may fail together. At most one call of a
 * place runs at a time, and calls made meanwhile share the next one. A call begins only after all callers
 * that share it have requested it. Therefore every caller gets a state later than its request, and nothing is
 * cached. The result is shared too: it must not be changed, and each caller takes its own part. A dry run,
 * which reads its own writes, shares nothing.
 */
export class CallBatcher<P, K, F> {
  readonly #loaders = new Map<string, DataLoader<Load<P, K>, F>>();
  readonly #placeName: (place: P) => string;
  readonly #call: (place: P, keys: K[]) => Promise<F>;

  /**
   * @param placeName distinguishes places: callers with different access must never share a place
   * @param call makes one call for all keys, which may repeat; the place is that of the first caller
   */
  constructor(placeName: (place: P) => string, call: (place: P, keys: K[]) => Promise<F>) {
    this.#placeName = placeName;
    this.#call = call;
  }

  /**
   * Returns the result for these keys and for those of other callers in the place. Rejects as the call does.
   */
  load(place: P, keys: readonly K[]): Promise<F> {
    if (currentDryRun()) return this.#call(place, [...keys]);
    const name = this.#placeName(place);
    const loader = this.#loaders.get(name) ?? this.#createLoader(name);
    return loader.load({ place, keys });
  }

  #createLoader(name: string): DataLoader<Load<P, K>, F> {
    let running: Promise<unknown> = setImmediate();
    let hasNext = false;
    const batch = async (loads: readonly Load<P, K>[]) => {
      hasNext = false;
      const [first] = loads as readonly [Load<P, K>];
      const outcome = this.#call(
        first.place,
        loads.flatMap(({ keys }) => keys),
      );
      const end = () => void (hasNext || this.#loaders.delete(name));
      running = outcome.then(end, end);
      const result = await outcome;
      return loads.map(() => result);
    };
    const loader = new DataLoader(batch, {
      cache: false,
      batchScheduleFn(dispatch) {
        hasNext = true;
        void setImmediate()
          .then(() => running)
          .then(dispatch);
      },
    });
    this.#loaders.set(name, loader);
    return loader;
  }
}
