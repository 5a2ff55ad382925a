import { EVENT_CATALOGUE, type CloudEvent } from '@gatehouse/contract';
import type { DurableConsumer } from '@gatehouse/service';
import type { Directory } from './directory.js';
import { dropGroup, dropMembers } from './operations/groupWrites.js';
import { followUpOrigin } from './operations/origins.js';
import { dropTenantUser } from './operations/tenantUserWrites.js';

/** Takes a person who was deleted out of all groups. */
async function forgetPerson(directory: Directory, event: CloudEvent, userKey: string): Promise<void> {
  const organizationId = event.organizationid;
  const origin = followUpOrigin(event, new Date());
  const groupIds = await directory.stores.groupMembers.listGroupIds(organizationId, userKey);
  for (const groupId of groupIds) {
    await dropMembers(directory, { organizationId, groupId, userKeys: [userKey] }, origin);
  }
}

/**
 * Deletes the groups of a tenant that was deleted, and users that a process which died stored in it at the last moment:
 * see `deleteTenant`.
 */
async function forgetTenant(directory: Directory, event: CloudEvent, tenantKey: string): Promise<void> {
  const { groups, tenantUsers } = directory.stores;
  const organizationId = event.organizationid;
  const origin = followUpOrigin(event, new Date());
  for (const group of await groups.listOf(organizationId, tenantKey))
    await dropGroup(directory, group, origin);
  for (const user of await tenantUsers.listOf(organizationId, tenantKey)) {
    await dropTenantUser(directory, user, origin);
  }
}

const USER_DELETED = ['management.tenant_user.deleted.v1', 'management.org_user.deleted.v1'] as const;
const TENANT_DELETED = 'management.tenant.deleted.v1';

/** Tidies up what refers to deleted people and tenants. What is gone already is left alone, so an event may come twice. */
export function createTidyConsumer(directory: Directory): DurableConsumer {
  return {
    name: 'directory-tidy',
    types: [...USER_DELETED, TENANT_DELETED],
    async handle(event) {
      if (event.type === TENANT_DELETED) {
        const { key } = EVENT_CATALOGUE[TENANT_DELETED].parse(event.data);
        return forgetTenant(directory, event, key);
      }
      const type = USER_DELETED.find((each) => each === event.type);
      if (!type) return;
      await forgetPerson(directory, event, EVENT_CATALOGUE[type].parse(event.data).key);
    },
  };
}
