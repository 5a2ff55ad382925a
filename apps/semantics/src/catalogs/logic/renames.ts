import type { CatalogColumn } from '@gatehouse/contract';

/** A removed item and the added item that most likely is the same under another name. */
export interface Rename<T> {
  from: T;
  to: T;
}

/** A column and its place in the table. */
interface PlacedColumn extends CatalogColumn {
  place: number;
}

/** Shorter names are contained in too many others to be evidence. */
const PART_MIN = 3;

const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The Levenshtein distance of two texts. */
function editDistance(from: string, to: string): number {
  let former = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const present = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (former[column - 1] ?? 0) + Number(from[row - 1] !== to[column - 1]);
      const shorter = Math.min(former[column] ?? 0, present[column - 1] ?? 0) + 1;
      present.push(Math.min(replaced, shorter));
    }
    former = present;
  }
  return former.at(-1) ?? 0;
}

/**
 * The pairs of letters that one comparison of catalogs compares: those of tens of thousands of usual names. A
 * catalog may have as many names of 200 letters, which would take seconds.
 */
const LETTER_PAIRS_MAX = 5_000_000;

/** Compares names, up to a limit of work: further names are similar only if one contains the other. */
export class NameComparison {
  #pairsLeft: number;

  constructor(pairs = LETTER_PAIRS_MAX) {
    this.#pairsLeft = pairs;
  }

  /** Whether one name contains the other, or at most a third of its letters differ. */
  areSimilar(from: string, to: string): boolean {
    const [short = '', long = ''] = [letters(from), letters(to)].toSorted((a, b) => a.length - b.length);
    if (short.length >= PART_MIN && long.includes(short)) return true;
    // The distance is at least the difference of the lengths.
    if ((long.length - short.length) * 3 > long.length) return false;
    this.#pairsLeft -= short.length * long.length;
    return this.#pairsLeft >= 0 && editDistance(short, long) * 3 <= long.length;
  }
}

/** The items whose key is unique, by key. */
function uniqueByKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T> {
  const unique = new Map<string, T>();
  const repeated = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (unique.has(key)) repeated.add(key);
    unique.set(key, item);
  }
  for (const key of repeated) unique.delete(key);
  return unique;
}

/** Pairs removed with added items where a key is unique in both. */
function pairUnique<T>(removed: readonly T[], added: readonly T[], keyOf: (item: T) => string): Rename<T>[] {
  const addedByKey = uniqueByKey(added, keyOf);
  return [...uniqueByKey(removed, keyOf)].flatMap(([key, from]) => {
    const to = addedByKey.get(key);
    return to === undefined ? [] : [{ from, to }];
  });
}

/**
 * The columns of one table that were most likely renamed: exactly one column of a type was removed and one
 * added, and both have the same place or similar names. For an unknown type, the names must be similar.
 */
export function findColumnRenames(
  removed: readonly PlacedColumn[],
  added: readonly PlacedColumn[],
  names: NameComparison,
): Rename<PlacedColumn>[] {
  return pairUnique(removed, added, ({ type }) => type).filter(({ from, to }) => {
    const isInPlace = from.type !== '' && from.place === to.place;
    return isInPlace || names.areSimilar(from.name, to.name);
  });
}

/**
 * The tables of one schema that were most likely renamed: exactly one with these columns was removed and one
 * added.
 */
export function findTableRenames<T extends { columns: readonly CatalogColumn[] }>(
  removed: readonly T[],
  added: readonly T[],
): Rename<T>[] {
  const columnsOf = ({ columns }: T) => JSON.stringify(columns.map(({ name, type }) => [name, type]));
  const hasColumns = ({ columns }: T) => columns.length > 0;
  return pairUnique(removed.filter(hasColumns), added.filter(hasColumns), columnsOf);
}
