import { useQueries } from '@tanstack/react-query';
import { useApi } from '../../data/api.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';
import { navigation } from '../navigation.js';
import { actions } from './actions.js';
import { searches, type Command } from './searches.js';

function matches(text: string, ...parts: (string | undefined)[]): boolean {
  const content = parts.join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => content.includes(word));
}

/** The pages and actions that match the text, and the records that match the search. */
export function useCommands(text: string, search: string): { commands: Command[]; isSearching: boolean } {
  const api = useApi();
  const { project } = useSession();
  const allowed = {
    VIEWER: true,
    POWER_USER: useHasRole('POWER_USER'),
    AUTHOR: useHasRole('AUTHOR'),
    ADMIN: useHasRole('ADMIN'),
  };
  const found = useQueries({
    queries: searches.map(({ role, run }, index) => ({
      queryKey: ['palette', project.id, index, search],
      queryFn: ({ signal }: { signal: AbortSignal }) => run(api, { search, projectId: project.id }, signal),
      enabled: search !== '' && allowed[role],
    })),
  });
  const pages = navigation.flatMap(({ title: group, items }) =>
    items
      .filter(({ role, title, words }) => allowed[role] && matches(text, title, words, group))
      .map(({ title, to, icon }): Command => ({ group: 'Page', title, to, icon })),
  );
  const ways = actions
    .filter(({ role, title, words }) => allowed[role] && matches(text, title, words))
    .map(({ title, to }): Command => ({ group: 'Action', title, to, icon: 'plus' }));
  const records = search === '' ? [] : found.flatMap(({ data }) => data ?? []);
  return {
    commands: [...pages, ...records, ...ways],
    isSearching: text !== search || found.some(({ isLoading }) => isLoading),
  };
}
