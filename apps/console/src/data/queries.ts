import { QueryClient } from '@tanstack/react-query';

/** How long records are shown without being read again. */
export const STALE_MS = 15_000;

/** Creates the cache of responses. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The REST client retries what makes sense to retry.
      queries: { retry: false, staleTime: STALE_MS, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
