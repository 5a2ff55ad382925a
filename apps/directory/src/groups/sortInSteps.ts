import { setImmediate as nextTurn } from 'node:timers/promises';

/** A run of this many members is sorted in a few milliseconds. */
const RUN = 5000;

function merge<T>(one: readonly T[], other: readonly T[], isBefore: (a: T, b: T) => boolean): T[] {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    // An equal element of the second run comes later, so that equal ones keep their order.
    merged.push(isBefore(other[right] as T, one[left] as T) ? (other[right++] as T) : (one[left++] as T));
  }
  while (left < one.length) merged.push(one[left++] as T);
  while (right < other.length) merged.push(other[right++] as T);
  return merged;
}

/**
 * Sorts like `toSorted`, but with turns of the event loop in between in which other requests are served: a
 * hundred thousand members take a tenth of a second.
 */
export async function sortInSteps<T>(
  values: readonly T[],
  isBefore: (a: T, b: T) => boolean,
  run = RUN,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < values.length; start += run) {
    if (start > 0) await nextTurn();
    const some = values.slice(start, start + run);
    runs.push(some.toSorted((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0)));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      await nextTurn();
      longer.push(merge(runs[index] ?? [], runs[index + 1] ?? [], isBefore));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}
