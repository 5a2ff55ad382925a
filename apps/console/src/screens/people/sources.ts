import type { OrgUser, TenantUser, UnifiedUser } from '@gatehouse/contract';
import type { Api } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import type { UrlState } from '../../data/urlState.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

/** A user of the organization or of a tenant. */
export type User = OrgUser | TenantUser;

const PART = 100;

/** The users of the organization and of its tenants, by the filters in the address. */
export function usersOf({ search, type, tenant }: UrlState): ListSource<UnifiedUser> {
  return {
    key: ['people', 'list', search, type, tenant],
    load: async (api, cursor, signal) => {
      const input = {
        limit: PART,
        cursor,
        search: search || undefined,
        ...(type ? { type: type as 'tenant' } : {}),
        tenantId: tenant || undefined,
      };
      const page = await api.listUnifiedUsers(input, { signal });
      return byCursor(page.users, page.nextCursor, page);
    },
  };
}

/** The address of a user. */
export function userPath(type: 'organization' | 'tenant', id: string): string {
  return `/people/${type}/${id}`;
}

/** One user. */
export function userOf(type: string, id: string): RecordSource<User> {
  return {
    key: ['people', id],
    load: async (api, signal) =>
      type === 'organization'
        ? versioned<unknown, User>(await api.withResponse.getOrgUser({ id }, { signal }), userIn)
        : versioned<unknown, User>(await api.withResponse.getTenantUser({ id }, { signal }), userIn),
  };
}

const userIn = (data: unknown) => (data as { user: User }).user;

/** Changes a user. */
export async function updateUser(
  api: Api,
  { type, id }: User,
  { changes, etag }: { changes: Record<string, unknown>; etag?: string | undefined },
) {
  const options = { ifMatch: etag };
  return type === 'organization'
    ? versioned<unknown, User>(await api.withResponse.updateOrgUser({ id, ...changes }, options), userIn)
    : versioned<unknown, User>(await api.withResponse.updateTenantUser({ id, ...changes }, options), userIn);
}

/** Deletes a user. What a tenant user owned passes to the default owner of the tenant. */
export function deleteUser(api: Api, { type, id }: { type: string; id: string }): Promise<unknown> {
  return type === 'organization' ? api.deleteOrgUser({ id }) : api.deleteTenantUser({ id });
}
