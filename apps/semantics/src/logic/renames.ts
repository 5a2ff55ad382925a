import type { CatalogColumn } from '@gatehouse/contract';

/** Something that went under one name and most likely came again under another. */
export interface Rename<T> {
  from: T;
  to: T;
}

/** A column and its place in the table. */
interface PlacedColumn extends CatalogColumn {
  place: number;
}

/** Names of fewer letters are part of too many others to say anything. */
const PART_MIN = 3;

const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The fewest insertions, deletions and replacements of one letter that make one text the other (Levenshtein). */
function countEdits(from: string, to: string): number {
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

/** Whether one name holds the other, or a third of its letters at most differ. */
function areAkin(from: string, to: string): boolean {
  const [short = '', long = ''] = [letters(from), letters(to)].toSorted((a, b) => a.length - b.length);
  if (short.length >= PART_MIN && long.includes(short)) return true;
  return countEdits(short, long) * 3 <= long.length;
}

/** The items that are the only ones with their key, by key. */
function aloneByKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T> {
  const alone = new Map<string, T>();
  const shared = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (alone.has(key)) shared.add(key);
    alone.set(key, item);
  }
  for (const key of shared) alone.delete(key);
  return alone;
}

/** Pairs what went with what came where a key stands for exactly one of each. */
function pairAlone<T>(removed: readonly T[], added: readonly T[], keyOf: (item: T) => string): Rename<T>[] {
  const came = aloneByKey(added, keyOf);
  return [...aloneByKey(removed, keyOf)].flatMap(([key, from]) => {
    const to = came.get(key);
    return to === undefined ? [] : [{ from, to }];
  });
}

/**
 * The columns of one table that most likely got another name: of a type exactly one column went and one came, and the one
 * stands where the other stood or has a name akin to it. A type that is not known says nothing, so that the names have to.
 */
export function findColumnRenames(
  removed: readonly PlacedColumn[],
  added: readonly PlacedColumn[],
): Rename<PlacedColumn>[] {
  return pairAlone(removed, added, ({ type }) => type).filter(({ from, to }) => {
    const isInPlace = from.type !== '' && from.place === to.place;
    return isInPlace || areAkin(from.name, to.name);
  });
}

/** The tables of one schema that most likely got another name: exactly one with these columns went and one came. */
export function findTableRenames<T extends { columns: readonly CatalogColumn[] }>(
  removed: readonly T[],
  added: readonly T[],
): Rename<T>[] {
  const columnsOf = ({ columns }: T) => JSON.stringify(columns.map(({ name, type }) => [name, type]));
  const hasColumns = ({ columns }: T) => columns.length > 0;
  return pairAlone(removed.filter(hasColumns), added.filter(hasColumns), columnsOf);
}
