import type { UserRole } from '@gatehouse/contract';
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
interface Wanted {
  search: string;
  projectId: string;
}
interface Kind {
  group: string;
  icon: IconName;
  /** The lowest role that may search it. */
  role: UserRole;
  /** The list, which has all matches. */
  list: { title: string; to: string };
  find(api: Api, wanted: Wanted, signal: AbortSignal): Promise<Match[]>;
}

const limit = 6;

const kinds: readonly Kind[] = [
  {
    group: 'Dashboard',
    icon: 'dashboard',
    role: 'VIEWER',
    list: { title: 'All matching dashboards', to: '/dashboards' },
    find: async (api, { search }, signal) =>
      (await api.listDashboards({ search, limit }, { signal })).dashboards.map(({ id, title }) => ({
        title,
        to: `/dashboards/${id}`,
      })),
  },
  {
    group: 'Visual',
    icon: 'visual',
    role: 'VIEWER',
    list: { title: 'All matching visuals', to: '/visuals' },
    find: async (api, { search }, signal) =>
      (await api.listVisuals({ search, limit }, { signal })).visuals.map(({ id, title }) => ({
        title,
        to: `/visuals/${id}`,
      })),
  },
  {
    group: 'Person',
    icon: 'user',
    role: 'VIEWER',
    list: { title: 'All matching users', to: '/people' },
    find: async (api, { search }, signal) =>
      (await api.listUnifiedUsers({ search, limit }, { signal })).users.map(({ id, type, name, email }) => ({
        title: name,
        detail: email,
        to: `/people/${type}/${id}`,
      })),
  },
  {
    group: 'Group',
    icon: 'users',
    role: 'VIEWER',
    list: { title: 'All matching groups', to: '/groups' },
    find: async (api, { search }, signal) =>
      (await api.listGroups({ search, limit }, { signal })).groups.map(({ id, name }) => ({
        title: name,
        to: `/groups/${id}`,
      })),
  },
  {
    group: 'Tenant',
    icon: 'tenant',
    role: 'VIEWER',
    list: { title: 'All matching tenants', to: '/tenants' },
    find: async (api, { search }, signal) =>
      (await api.listTenants({ search, limit }, { signal })).tenants.map(({ id, name }) => ({
        title: name,
        to: `/tenants/${id}`,
      })),
  },
  {
    group: 'Connection',
    icon: 'connection',
    role: 'AUTHOR',
    list: { title: 'All matching connections', to: '/connections' },
    find: async (api, { search }, signal) =>
      (await api.listConnections({ search, limit }, { signal })).connections.map(({ id, name, type }) => ({
        title: name,
        detail: type,
        to: `/connections/${id}`,
      })),
  },
  {
    group: 'Policy',
    icon: 'policy',
    role: 'ADMIN',
    list: { title: 'All matching policies', to: '/policies/definitions' },
    find: async (api, { search, projectId }, signal) =>
      (await api.listPolicyDefinitions({ projectId, search, limit }, { signal })).data.map((item) => ({
        title: item.definition.name,
        detail: item.connection?.name,
        to: `/policies/definitions/${item.definition.id}`,
      })),
  },
];

interface Search {
  role: UserRole;
  run(api: Api, wanted: Wanted, signal: AbortSignal): Promise<Command[]>;
}

/** The kinds of record that the server searches: the first matches, and the list if there may be more. */
export const searches: readonly Search[] = kinds.map(({ group, icon, role, list, find }) => ({
  role,
  run: async (api, wanted, signal) => {
    const found = await find(api, wanted, signal);
    const commands = found.map((match): Command => ({ ...match, group, icon }));
    const { search } = wanted;
    return found.length < limit ? commands : [...commands, { ...list, group, icon, search: { search } }];
  },
}));
