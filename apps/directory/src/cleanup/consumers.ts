import { EVENT_CATALOGUE, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer } from '@gatehouse/service';
import { followUpOrigin, type Directory } from '../directory.js';
import { ensureGroupDeleted } from '../groups/manageGroups.js';
import { ensureUsersRemoved } from '../groups/manageMembers.js';
import { deleteOrphanedTenantUser } from '../people/insertTenantUser.js';

/** Removes a deleted person from all groups. */
async function removePersonFromGroups(
  directory: Directory,
  event: CloudEvent,
  userKey: string,
): Promise<void> {
  const organizationId = event.organizationid;
  const origin = followUpOrigin(event, new Date());
  const groupIds = await directory.stores.groupMembers.listGroupIds(organizationId, userKey);
  for (const groupId of groupIds) {
    await ensureUsersRemoved(directory, { organizationId, groupId, userKeys: [userKey] }, origin);
  }
}

/**
 * Deletes the groups of a deleted tenant, and the users that a process inserted at the last moment before it
 * crashed: see `deleteTenant`.
 */
async function deleteTenantRecords(
  directory: Directory,
  event: CloudEvent,
  tenantKey: string,
): Promise<void> {
  const { groups, tenantUsers } = directory.stores;
  const organizationId = event.organizationid;
  const origin = followUpOrigin(event, new Date());
  for (const group of await groups.listOf(organizationId, tenantKey))
    await ensureGroupDeleted(directory, group, origin);
  for (const user of await tenantUsers.listOf(organizationId, tenantKey)) {
    await deleteOrphanedTenantUser(directory, user, origin);
  }
}

const USER_DELETED = ['management.tenant_user.deleted.v1', 'management.org_user.deleted.v1'] as const;
const TENANT_DELETED = 'management.tenant.deleted.v1';

/**
 * Cleans up references to deleted people and tenants. It ignores records that no longer exist, so an event
 * may repeat.
 */
export function createDeletionConsumer(directory: Directory) {
  return defineConsumer('directory-tidy', async (event) => {
    if (event.type === TENANT_DELETED) {
      const { key } = EVENT_CATALOGUE[TENANT_DELETED].parse(event.data);
      return deleteTenantRecords(directory, event, key);
    }
    const type = USER_DELETED.find((each) => each === event.type);
    if (!type) return;
    await removePersonFromGroups(directory, event, EVENT_CATALOGUE[type].parse(event.data).key);
  });
}
