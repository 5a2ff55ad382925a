import type { List } from './useList.js';

const ignore = () => undefined;

/** A list of which all items are there. */
export function completeList<T>(items: readonly T[], isLoading = false): List<T> {
  return {
    items,
    total: items.length,
    totalIsLowerBound: false,
    isLoading,
    isPrevious: false,
    error: null,
    hasMore: false,
    loadMore: ignore,
    retry: ignore,
  };
}
