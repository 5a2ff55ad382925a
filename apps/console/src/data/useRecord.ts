import type { Answer } from '@gatehouse/client';
import { useMutation, useQuery, useQueryClient, type InfiniteData, type Query } from '@tanstack/react-query';
import { useSession } from '../session/SessionContext.js';
import { useApi, type Api } from './api.js';
import type { ListPart } from './useList.js';

/** A record with its entity tag, which its next change must name. */
export interface Versioned<T> {
  record: T;
  etag: string | null;
}

/** How a record is read and changed. */
export interface RecordSource<T> {
  /** The name of its kind and its id. */
  key: readonly [string, string];
  load(api: Api, signal: AbortSignal): Promise<Versioned<T>>;
}

/** Combines a record with the entity tag of its response. */
export function versioned<A, T>({ data, etag }: Answer<A>, pick: (data: A) => T): Versioned<T> {
  return { record: pick(data), etag };
}

/** A record. */
export function useRecord<T>(source: RecordSource<T>, { isEnabled = true } = {}) {
  const api = useApi();
  const { project } = useSession();
  return useQuery({
    queryKey: ['records', project.id, ...source.key],
    queryFn: ({ signal }) => source.load(api, signal),
    enabled: isEnabled,
  });
}

/** What changes of records do to the cache. */
export function useCache() {
  const queries = useQueryClient();
  const { project } = useSession();
  return {
    /** Puts a record, as it was saved, in place of the cached one. */
    put<T>(key: readonly string[], saved: Versioned<T>) {
      queries.setQueryData(['records', project.id, ...key], saved);
    },
    get<T>(key: readonly string[]): Versioned<T> | undefined {
      return queries.getQueryData(['records', project.id, ...key]);
    },
    /** Reads a record again. */
    async reload<T>(source: RecordSource<T>, api: Api): Promise<Versioned<T>> {
      const queryKey = ['records', project.id, ...source.key];
      return queries.fetchQuery({
        queryKey,
        queryFn: ({ signal }) => source.load(api, signal),
        staleTime: 0,
      });
    },
    /**
     * Changes the items of the lists of a name at once, and restores them if the request fails. The lists are
     * read again in both cases, for which it does not wait.
     */
    async change<T>(name: string, change: (items: T[]) => T[], request: () => Promise<unknown>) {
      const lists = { predicate: ({ queryKey }: Query) => queryKey[0] === 'lists' && queryKey[2] === name };
      // The response to an earlier request would show the former items again.
      await queries.cancelQueries(lists);
      const former = queries.getQueriesData(lists);
      queries.setQueriesData<InfiniteData<ListPart<T>>>(lists, (data) => data && withItems(data, change));
      try {
        await request();
      } catch (error) {
        for (const [key, data] of former) queries.setQueryData(key, data);
        throw error;
      } finally {
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === name });
      }
    },
    /** Marks the session, or all lists and records whose key begins with one of these names, as outdated. */
    async outdate(...names: readonly string[]) {
      const isNamed = (key: readonly unknown[]) => names.some((name) => key[2] === name || key[0] === name);
      await queries.invalidateQueries({ predicate: ({ queryKey }) => isNamed(queryKey) });
    },
    /** Forgets a deleted record, which would otherwise be read again and return 404. */
    forget(key: readonly string[]) {
      queries.removeQueries({ queryKey: ['records', project.id, ...key] });
    },
  };
}

function withItems<T>(data: InfiniteData<ListPart<T>>, change: (items: T[]) => T[]) {
  const changed = data.pages.map(({ items }) => change(items));
  const added = changed.flat().length - data.pages.flatMap(({ items }) => items).length;
  const pages = data.pages.map(({ total, ...part }, index) => ({
    ...part,
    items: changed[index] ?? [],
    total: total === undefined ? undefined : total + added,
  }));
  return { ...data, pages };
}

/** A change that outdates the lists and records of these names when it ends, whether it succeeded or not. */
export function useChange<I, O>(run: (api: Api, input: I) => Promise<O>, ...outdates: readonly string[]) {
  const api = useApi();
  const cache = useCache();
  return useMutation({
    mutationFn: (input: I) => run(api, input),
    onSettled: () => cache.outdate(...outdates),
  });
}
