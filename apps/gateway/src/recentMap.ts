/**
 * A map that forgets what was not used of late. It holds two halves: what is used moves to the younger one; when that is
 * full, the older one is dropped whole. This costs nothing on a hit, where moving an entry to the end of a large map does.
 */
export class RecentMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #youngWeight = 0;
  readonly #halfWeight: number;

  /** `weightMax` is what the two halves together may weigh, where a key weighs as much as it has characters. */
  constructor(weightMax: number) {
    this.#halfWeight = weightMax / 2;
  }

  get(key: string): V | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: string, value: V): void {
    if (!this.#young.has(key)) this.#youngWeight += key.length;
    this.#young.set(key, value);
    if (this.#youngWeight <= this.#halfWeight) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngWeight = 0;
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngWeight = 0;
  }

  delete(key: string): void {
    if (this.#young.delete(key)) this.#youngWeight -= key.length;
    this.#old.delete(key);
  }
}
