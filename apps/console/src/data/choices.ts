import type { UserRole } from '@gatehouse/contract';
import type { Choice } from '../components/Picker.js';
import { byCursor } from './listSources.js';
import type { ListSource } from './useList.js';

const PART = 50;
const searching = (search: string) => (search === '' ? {} : { search });

/** A person with the facts that a grant depends on. */
export interface PersonChoice extends Choice {
  kind: 'organization' | 'tenant';
  role: UserRole;
}

/** The people of the organization and of its tenants, or of one of the two, or of one tenant. */
export function peopleSource(
  search: string,
  filter: { type?: 'organization' | 'tenant'; tenantId?: string } = {},
): ListSource<PersonChoice> {
  return {
    key: ['people', 'choices', search, filter.type, filter.tenantId],
    load: async (api, cursor, signal) => {
      const page = await api.listUnifiedUsers(
        { limit: PART, cursor, ...searching(search), ...filter },
        { signal },
      );
      const choices = page.users.map(({ id, name, email, tenantName, type, role }) => ({
        id,
        name,
        detail: tenantName === null ? email : `${email} · ${tenantName}`,
        kind: type,
        role,
      }));
      return byCursor(choices, page.nextCursor, page);
    },
  };
}

/** The groups. */
export function groupSource(search: string): ListSource<Choice> {
  return {
    key: ['groups', 'choices', search],
    load: async (api, cursor, signal) => {
      const input = { limit: PART, cursor, ...searching(search) };
      const page = await api.listGroups(input, { signal });
      const choices = page.groups.map(({ id, name, memberCount }) => ({
        id,
        name,
        detail: `${memberCount} ${memberCount === 1 ? 'member' : 'members'}`,
      }));
      return byCursor(choices, page.nextCursor, page);
    },
  };
}

/** The tenants. */
export function tenantSource(search: string): ListSource<Choice> {
  return {
    key: ['tenants', 'choices', search],
    load: async (api, cursor, signal) => {
      const page = await api.listTenants({ limit: PART, cursor, ...searching(search) }, { signal });
      return byCursor(
        page.tenants.map(({ id, name }) => ({ id, name })),
        page.nextCursor,
        page,
      );
    },
  };
}

/** The connections. */
export function connectionSource(search: string): ListSource<Choice> {
  return {
    key: ['connections', 'choices', search],
    load: async (api, cursor, signal) => {
      const input = { limit: PART, cursor, ...searching(search) };
      const page = await api.listConnections(input, { signal });
      return byCursor(
        page.connections.map(({ id, name, type }) => ({ id, name, detail: type })),
        page.nextCursor,
      );
    },
  };
}

/** The dashboards that the user can open. */
export function dashboardSource(search: string): ListSource<Choice> {
  return {
    key: ['dashboards', 'choices', search],
    load: async (api, cursor, signal) => {
      const page = await api.listDashboards({ limit: PART, cursor, ...searching(search) }, { signal });
      return byCursor(
        page.dashboards.map(({ id, title }) => ({ id, name: title })),
        page.nextCursor,
      );
    },
  };
}

/** The visuals that the user can open. */
export function visualSource(search: string): ListSource<Choice> {
  return {
    key: ['visuals', 'choices', search],
    load: async (api, cursor, signal) => {
      const page = await api.listVisuals({ limit: PART, cursor, ...searching(search) }, { signal });
      return byCursor(
        page.visuals.map(({ id, title }) => ({ id, name: title })),
        page.nextCursor,
      );
    },
  };
}
