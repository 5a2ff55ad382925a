import type { Group, GroupMember, GroupPermission } from '@gatehouse/contract';
import { byCursor } from '../../data/listSources.js';
import type { UrlState } from '../../data/urlState.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

const PART = 100;

/** The groups, by the filters in the address. */
export function groupsOf({ search, type, tenant, sort, order }: UrlState): ListSource<Group> {
  return {
    key: ['groups', 'list', search, type, tenant, sort, order],
    load: async (api, cursor, signal) => {
      const input = {
        limit: PART,
        cursor,
        search: search || undefined,
        ...(type ? { type: type as 'ORG_GROUP' } : {}),
        tenantId: tenant || undefined,
        ...(sort ? { sort: sort as 'name' } : {}),
        ...(order ? { order: order as 'asc' } : {}),
      };
      const page = await api.listGroups(input, { signal });
      return byCursor(page.groups, page.nextCursor, page);
    },
  };
}

/** One group. */
export function groupOf(id: string): RecordSource<Group> {
  return {
    key: ['groups', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getGroup({ id }, { signal }), ({ group }) => group),
  };
}

/** The members of a group. */
export function membersOf(id: string): ListSource<GroupMember> {
  return {
    key: ['members', id],
    load: async (api, cursor, signal) => {
      const page = await api.listGroupMembers({ id, limit: PART, cursor }, { signal });
      return byCursor(page.members, page.nextCursor, page);
    },
  };
}

/** What is shared with a group. */
export function permissionsOf(id: string): ListSource<GroupPermission> {
  return {
    key: ['shares', 'group', id],
    load: async (api, cursor, signal) => {
      const input = { id, limit: PART, cursor };
      const page = await api.listGroupPermissions(input, { signal });
      return byCursor(page.permissions, page.nextCursor);
    },
  };
}
