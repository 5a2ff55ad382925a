import type { IconName } from '../../components/Icon.js';
import type { Api } from '../../data/api.js';

/** An entry of the palette, which opens an address. */
export interface Command {
  group: string;
  title: string;
  detail?: string | undefined;
  icon: IconName;
  to: string;
}

type Search = (api: Api, search: string, signal: AbortSignal) => Promise<Command[]>;

const limit = 6;

/** The kinds of record that the server searches. */
export const searches: readonly Search[] = [
  async (api, search, signal) =>
    (await api.listDashboards({ search, limit }, { signal })).dashboards.map(({ id, title }) => ({
      group: 'Dashboard',
      title,
      icon: 'dashboard',
      to: `/dashboards/${id}`,
    })),
  async (api, search, signal) =>
    (await api.listVisuals({ search, limit }, { signal })).visuals.map(({ id, title }) => ({
      group: 'Visual',
      title,
      icon: 'visual',
      to: `/visuals/${id}`,
    })),
  async (api, search, signal) =>
    (await api.listUnifiedUsers({ search, limit }, { signal })).users.map(({ id, type, name, email }) => ({
      group: 'Person',
      title: name,
      detail: email,
      icon: 'user',
      to: `/people/${type}/${id}`,
    })),
  async (api, search, signal) =>
    (await api.listGroups({ search, limit }, { signal })).groups.map(({ id, name }) => ({
      group: 'Group',
      title: name,
      icon: 'users',
      to: `/groups/${id}`,
    })),
  async (api, search, signal) =>
    (await api.listTenants({ search, limit }, { signal })).tenants.map(({ id, name }) => ({
      group: 'Tenant',
      title: name,
      icon: 'tenant',
      to: `/tenants/${id}`,
    })),
];
