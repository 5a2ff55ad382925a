import type { UserRole } from '@gatehouse/contract';
import type { Choice } from '../components/Picker.js';
import { byCursor, byOffset, byPage } from './listSources.js';
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
    load: async (api, next, signal) => {
      const offset = Number(next ?? 0);
      const page = await api.listUnifiedUsers(
        { limit: PART, offset, ...searching(search), ...filter },
        { signal },
      );
      const choices = page.users.map(({ id, name, email, tenantName, type, role }) => ({
        id,
        name,
        detail: tenantName === null ? email : `${email} · ${tenantName}`,
        kind: type,
        role,
      }));
      return byOffset(choices, offset, page.total);
    },
  };
}

/** The groups. */
export function groupSource(search: string): ListSource<Choice> {
  return {
    key: ['groups', 'choices', search],
    load: async (api, next, signal) => {
      const input = { limit: PART, page: Number(next ?? 1), ...searching(search) };
      const page = await api.listGroups(input, { signal });
      const choices = page.groups.map(({ id, name, memberCount }) => ({
        id,
        name,
        detail: `${memberCount} ${memberCount === 1 ? 'member' : 'members'}`,
      }));
      return byPage(choices, page);
    },
  };
}

/** The tenants. */
export function tenantSource(search: string): ListSource<Choice> {
  return {
    key: ['tenants', 'choices', search],
    load: async (api, next, signal) => {
      const offset = Number(next ?? 0);
      const page = await api.listTenants({ limit: PART, offset, ...searching(search) }, { signal });
      return byOffset(
        page.tenants.map(({ id, name }) => ({ id, name })),
        offset,
        page.total,
      );
    },
  };
}

/** The connections. The API has no search of them, so those of each part are compared here. */
export function connectionSource(search: string): ListSource<Choice> {
  return {
    key: ['connections', 'choices', search],
    load: async (api, next, signal) => {
      const page = await api.listConnections(typeof next === 'string' ? { cursor: next } : {}, { signal });
      const found = page.connections.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
      return byCursor(
        found.map(({ id, name, type }) => ({ id, name, detail: type })),
        page.nextCursor,
      );
    },
  };
}
