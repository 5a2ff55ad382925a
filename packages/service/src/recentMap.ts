interface Entry<V> {
  value: V;
  weight: number;
}

/**
 * A map that forgets what was not used of late. It holds two halves: what is used moves to the younger one; when that is
 * full, the older one is dropped whole. This costs nothing on a hit, where moving an entry to the end of a large map does.
 */
export class RecentMap<V> {
  #young = new Map<string, Entry<V>>();
  #old = new Map<string, Entry<V>>();
  #youngWeight = 0;
  readonly #halfWeight: number;

  /** `weightMax` is what the two halves together may weigh, but for one entry. */
  constructor(weightMax: number) {
    this.#halfWeight = weightMax / 2;
  }

  get(key: string): V | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found.value;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.#add(key, aged);
    return aged?.value;
  }

  /** An entry weighs as much as its key has characters, unless something else is said. */
  set(key: string, value: V, weight: number = key.length): void {
    this.#add(key, { value, weight });
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngWeight = 0;
  }

  delete(key: string): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  #add(key: string, entry: Entry<V>): void {
    this.#youngWeight += entry.weight - (this.#young.get(key)?.weight ?? 0);
    this.#young.set(key, entry);
    if (this.#youngWeight <= this.#halfWeight) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngWeight = 0;
  }
}
