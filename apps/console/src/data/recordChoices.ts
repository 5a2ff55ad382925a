import type { Choice } from '../components/Picker.js';
import { byCursor, byOffset } from './listSources.js';
import type { ListSource } from './useList.js';

const PART = 50;
const searching = (search: string) => (search === '' ? {} : { search });

/** The people of the organization and of its tenants. */
export function personChoices(search: string): ListSource<Choice> {
  return {
    key: ['people', 'every', search],
    load: async (api, next, signal) => {
      const offset = Number(next ?? 0);
      const page = await api.listUnifiedUsers({ limit: PART, offset, ...searching(search) }, { signal });
      const choices = page.users.map(({ id, name, email, tenantName }) => ({
        id,
        name,
        detail: tenantName === null ? email : `${email} · ${tenantName}`,
      }));
      return byOffset(choices, offset, page.total);
    },
  };
}

/** The dashboards that the user can open. */
export function dashboardChoices(search: string): ListSource<Choice> {
  return {
    key: ['dashboards', 'choices', search],
    load: async (api, next, signal) => {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const page = await api.listDashboards({ limit: PART, ...cursor, ...searching(search) }, { signal });
      return byCursor(
        page.dashboards.map(({ id, title }) => ({ id, name: title })),
        page.nextCursor,
      );
    },
  };
}

/** The visuals that the user can open. */
export function visualChoices(search: string): ListSource<Choice> {
  return {
    key: ['visuals', 'choices', search],
    load: async (api, next, signal) => {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const page = await api.listVisuals({ limit: PART, ...cursor, ...searching(search) }, { signal });
      return byCursor(
        page.visuals.map(({ id, title }) => ({ id, name: title })),
        page.nextCursor,
      );
    },
  };
}
