import type { List } from './useList.js';

const ignore = () => undefined;

/** A list of which all items are there, or the first ones while it loads and the number is not known. */
export function completeList<T>(items: readonly T[], isLoading = false): List<T> {
  return {
    items,
    total: isLoading ? null : items.length,
    totalIsLowerBound: false,
    isLoading: isLoading && items.length === 0,
    isPrevious: false,
    error: null,
    hasMore: false,
    loadMore: ignore,
    retry: ignore,
  };
}
