import type { ListPart } from './useList.js';

type Totals = Pick<ListPart<unknown>, 'total' | 'totalIsLowerBound'>;

/** A part of a list, from the fields of its response. */
export function byCursor<T>(
  items: T[],
  nextCursor: string | null | undefined,
  { total, totalIsLowerBound }: Totals = {},
): ListPart<T> {
  return { items, next: nextCursor ?? null, total, totalIsLowerBound };
}
