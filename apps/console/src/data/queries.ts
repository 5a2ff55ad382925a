import { GatehouseError } from '@gatehouse/client';
import { QueryCache, MutationCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.js';

/** How long records are shown without being read again. */
export const STALE_MS = 15_000;

/** Creates the cache of responses. A 401 means that the session has ended, so that is read again. */
export function createQueries(): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof GatehouseError && error.status === 401)
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The REST client retries what makes sense to retry.
      queries: { retry: false, staleTime: STALE_MS, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queries;
}
