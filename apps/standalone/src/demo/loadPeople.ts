import type { Client } from '@gatehouse/client';
import { demoGroups, demoOrgUsers, demoTenants, demoTenantUsers } from './organization.js';

/** More than the demo organization has of any record. */
export const LIST_LIMIT = 100;

/** Returns the id of a user or group in the data: org users are addresses there, and groups are names. */
export type FindId = (name: string) => string;

/** Creates the tenants, users and groups of the demo organization that do not exist. */
export async function loadPeople(
  admin: Client,
): Promise<{ findId: FindId; orgUserIds: ReadonlySet<string> }> {
  await loadTenants(admin);
  const orgUserIds = await loadOrgUsers(admin);
  await loadTenantUsers(admin);
  const groupIds = await loadGroups(admin, orgUserIds);
  return {
    findId: (name) => orgUserIds.get(name) ?? groupIds.get(name) ?? name,
    orgUserIds: new Set(orgUserIds.values()),
  };
}

async function loadTenants(admin: Client): Promise<void> {
  const { tenants } = await admin.listTenants({ limit: LIST_LIMIT });
  const known = new Set(tenants.map(({ id }) => id));
  const missing = demoTenants.filter(({ id }) => !known.has(id));
  await Promise.all(missing.map((tenant) => admin.createTenant(tenant)));
}

async function loadOrgUsers(admin: Client): Promise<Map<string, string>> {
  const { users } = await admin.listOrgUsers({ limit: LIST_LIMIT });
  const known = new Map(users.map(({ email, id }) => [email, id]));
  const missing = demoOrgUsers.filter(({ email }) => !known.has(email));
  const made = await Promise.all(missing.map((user) => admin.createOrgUser(user)));
  return new Map([...known, ...made.map(({ user }) => [user.email, user.id] as const)]);
}

async function loadTenantUsers(admin: Client): Promise<void> {
  const { users } = await admin.listTenantUsers({ limit: LIST_LIMIT });
  const known = new Set(users.map(({ id }) => id));
  const missing = demoTenantUsers.filter(({ id }) => !known.has(id));
  await Promise.all(missing.map((user) => admin.createTenantUser(user)));
}

async function loadGroups(
  admin: Client,
  orgUserIds: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const { groups } = await admin.listGroups({ limit: LIST_LIMIT });
  const known = new Map(groups.map(({ name, id }) => [name, id]));
  const ids = demoGroups.map(async ({ members, ...fields }) => {
    const type = fields.tenantId === undefined ? 'ORG_GROUP' : 'TENANT_GROUP';
    const id = known.get(fields.name) ?? (await admin.createGroup({ ...fields, type })).group.id;
    await admin.addGroupMembers({ id, userIds: members.map((user) => orgUserIds.get(user) ?? user) });
    return [fields.name, id] as const;
  });
  return new Map(await Promise.all(ids));
}
