import type { Tenant } from '@gatehouse/contract';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

const PART = 100;

/** The tenants. */
export function tenantsOf(search: string | undefined): ListSource<Tenant> {
  return {
    key: ['tenants', 'list', search],
    load: async (api, cursor, signal) => {
      const page = await api.listTenants({ limit: PART, cursor, search: search || undefined }, { signal });
      return byCursor(page.tenants, page.nextCursor, page);
    },
  };
}

/** One tenant. */
export function tenantOf(id: string): RecordSource<Tenant> {
  return {
    key: ['tenants', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getTenant({ id }, { signal }), ({ tenant }) => tenant),
  };
}
