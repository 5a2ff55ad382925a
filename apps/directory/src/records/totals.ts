import type { Slice } from '@gatehouse/service';

/** The number up to which the total of a list is exact, unless the list needs an exact one. */
export const TOTAL_MAX = 10_000;

/** The number of records on all pages of a list. */
export interface Total {
  total: number;
  /** True if there are more than `total`. */
  totalIsLowerBound?: true;
}

/** One page, and the number of records on all pages. */
export type Found<T> = Slice<T> & Total;

/** The total of records that were counted up to `max + 1`. */
export function boundedTotal(counted: number, max = TOTAL_MAX): Total {
  return counted <= max ? { total: counted } : { total: max, totalIsLowerBound: true };
}

/** The total of two lists together, of which each total is exact up to `TOTAL_MAX` or further. */
export function sumOf(first: Total, second: Total): Total {
  const atLeast = ({ total, totalIsLowerBound }: Total) => total + (totalIsLowerBound ? 1 : 0);
  return boundedTotal(atLeast(first) + atLeast(second));
}
