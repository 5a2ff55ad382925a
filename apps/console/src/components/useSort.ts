import { useUrlState } from '../data/urlState.js';
import type { Sort } from './RecordTable.js';

/** The sort of a list in the address, and what the server sorts by without one. */
export function useSort(initial: Pick<Sort, 'key' | 'order'>): Sort {
  const [{ sort, order }, setState] = useUrlState();
  return {
    key: sort ?? initial.key,
    order: order === 'asc' || order === 'desc' ? order : initial.order,
    change: (key, next) => setState({ sort: key, order: next }),
  };
}
