import type { IconName } from '../../components/Icon.js';
import type { Api } from '../../data/api.js';
import type { UrlState } from '../../data/urlState.js';

/** An entry of the palette, which opens an address. */
export interface Command {
  group: string;
  title: string;
  detail?: string | undefined;
  icon: IconName;
  to: string;
  /** The query of the address. */
  search?: UrlState;
}

type Match = Pick<Command, 'title' | 'detail' | 'to'>;
interface Kind {
  group: string;
  icon: IconName;
  /** The list, which has all matches. */
  list: { title: string; to: string };
  find(api: Api, search: string, signal: AbortSignal): Promise<Match[]>;
}

const limit = 6;

const kinds: readonly Kind[] = [
  {
    group: 'Dashboard',
    icon: 'dashboard',
    list: { title: 'All matching dashboards', to: '/dashboards' },
    find: async (api, search, signal) =>
      (await api.listDashboards({ search, limit }, { signal })).dashboards.map(({ id, title }) => ({
        title,
        to: `/dashboards/${id}`,
      })),
  },
  {
    group: 'Visual',
    icon: 'visual',
    list: { title: 'All matching visuals', to: '/visuals' },
    find: async (api, search, signal) =>
      (await api.listVisuals({ search, limit }, { signal })).visuals.map(({ id, title }) => ({
        title,
        to: `/visuals/${id}`,
      })),
  },
  {
    group: 'Person',
    icon: 'user',
    list: { title: 'All matching users', to: '/people' },
    find: async (api, search, signal) =>
      (await api.listUnifiedUsers({ search, limit }, { signal })).users.map(({ id, type, name, email }) => ({
        title: name,
        detail: email,
        to: `/people/${type}/${id}`,
      })),
  },
  {
    group: 'Group',
    icon: 'users',
    list: { title: 'All matching groups', to: '/groups' },
    find: async (api, search, signal) =>
      (await api.listGroups({ search, limit }, { signal })).groups.map(({ id, name }) => ({
        title: name,
        to: `/groups/${id}`,
      })),
  },
  {
    group: 'Tenant',
    icon: 'tenant',
    list: { title: 'All matching tenants', to: '/tenants' },
    find: async (api, search, signal) =>
      (await api.listTenants({ search, limit }, { signal })).tenants.map(({ id, name }) => ({
        title: name,
        to: `/tenants/${id}`,
      })),
  },
];

type Search = (api: Api, search: string, signal: AbortSignal) => Promise<Command[]>;

/** The kinds of record that the server searches: the first matches, and the list if there may be more. */
export const searches: readonly Search[] = kinds.map(
  ({ group, icon, list, find }): Search =>
    async (api, search, signal) => {
      const found = await find(api, search, signal);
      const commands = found.map((match): Command => ({ ...match, group, icon }));
      return found.length < limit ? commands : [...commands, { ...list, group, icon, search: { search } }];
    },
);
