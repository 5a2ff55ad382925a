import { useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The query of an address: filters, tabs, sort and the project. Absent names have their default. */
export type UrlState = Readonly<Record<string, string | undefined>>;

/**
 * The query of the address, and a function that changes some names of it; undefined or empty removes a name.
 * A change replaces the history entry, unless `isStep` makes it one that Back returns from.
 */
export function useUrlState(): [UrlState, (changes: UrlState, isStep?: boolean) => void] {
  const state = useSearch({ strict: false }) as UrlState;
  const router = useRouter();
  const change = useCallback(
    (changes: UrlState, isStep = false) => {
      const search = (former: UrlState) => withChanges(former, changes);
      // Not `.`: an address without a screen would become the start.
      const to = router.latestLocation.pathname;
      void router.navigate({ to, search, replace: !isStep } as never);
    },
    [router],
  );
  return [state, change];
}

function withChanges(former: UrlState, changes: UrlState): UrlState {
  const entries = Object.entries({ ...former, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}

/** Reads the query of an address. */
export function parseUrlState(query: string): UrlState {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Writes it; the query of no names is empty. */
export function writeUrlState(state: UrlState): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) if (value !== undefined) parameters.set(name, value);
  const query = parameters.toString();
  return query === '' ? '' : `?${query}`;
}
