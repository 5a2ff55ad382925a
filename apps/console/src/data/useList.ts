import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSession } from '../session/SessionContext.js';
import { useApi, type Api } from './api.js';

/** A part of a list: `next` leads to the following part and is null at the end. */
export interface ListPart<T> {
  items: T[];
  next: string | null;
  total?: number | undefined;
  /** Whether there are more items than `total`. */
  totalIsLowerBound?: boolean | undefined;
}

/** How a list is read: from its beginning, or from the cursor that the part before it has in `next`. */
export interface ListSource<T> {
  /** The name of the list, and what selects its items. */
  key: readonly unknown[];
  load(api: Api, cursor: string | undefined, signal: AbortSignal): Promise<ListPart<T>>;
}

export interface List<T> {
  items: readonly T[];
  /** Of all items; null if the list does not count them and more follow. */
  total: number | null;
  /** Whether there are more items than `total`. */
  totalIsLowerBound: boolean;
  /** Whether the first part is not there yet. */
  isLoading: boolean;
  /** Whether the items are those of a former search, until the response to the current one arrives. */
  isPrevious: boolean;
  error: unknown;
  hasMore: boolean;
  loadMore(): void;
  retry(): void;
}

/**
 * A list that loads part by part, as far as it is scrolled. A change of the key keeps the former items shown.
 */
export function useList<T>(source: ListSource<T>, { isEnabled = true } = {}): List<T> {
  const api = useApi();
  const { project } = useSession();
  const query = useInfiniteQuery({
    queryKey: ['lists', project.id, ...source.key],
    queryFn: ({ pageParam, signal }) => source.load(api, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (former) => former,
    enabled: isEnabled,
  });
  const items = useMemo(() => query.data?.pages.flatMap((part) => part.items) ?? [], [query.data]);
  return { items, ...statusOf(query, items.length) };
}

function statusOf<T>(
  query: UseInfiniteQueryResult<InfiniteData<ListPart<T>>>,
  count: number,
): Omit<List<T>, 'items'> {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return {
    total: data?.pages[0]?.total ?? (hasNextPage ? null : count),
    totalIsLowerBound: data?.pages[0]?.totalIsLowerBound ?? false,
    isLoading: query.isLoading,
    isPrevious: query.isPlaceholderData,
    error: query.error,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    retry: () => void query.refetch(),
  };
}

/** The number of items as a text, as far as it is known. */
export function countOf<T>(list: List<T>): string | null {
  if (list.isLoading || (list.error !== null && list.items.length === 0)) return null;
  const isLeast = list.total === null ? list.hasMore : list.totalIsLowerBound;
  return `${(list.total ?? list.items.length).toLocaleString('en')}${isLeast ? ' or more' : ''} found`;
}

/** Reads the rest of a list, for an export of all of it. */
export async function* readAll<T>(source: ListSource<T>, api: Api, signal: AbortSignal): AsyncGenerator<T[]> {
  let next: string | undefined;
  for (;;) {
    const part = await source.load(api, next, signal);
    yield part.items;
    if (part.next === null) return;
    next = part.next;
  }
}
