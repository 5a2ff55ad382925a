/** Keeps the values that were asked for of late. What is kept is shared, and so never changed. */
export interface Kept<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** The value of a key, which holds everything that the value depends on. */
export function recall<V>(kept: Kept<V>, key: string, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
