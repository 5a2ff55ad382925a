import type { List } from '../../data/useList.js';

const ignore = () => undefined;

/** A list of which all items were read at once. */
export function wholeList<T>(items: readonly T[], isLoading: boolean): List<T> {
  const status = { total: items.length, isPrevious: false, error: null, hasMore: false };
  return { ...status, items, isLoading, loadMore: ignore, retry: ignore };
}
