import { createClient, type Client } from '@gatehouse/client';
import {
  SHARE_TARGET_FIELD,
  type DashboardSummary,
  type GrantEntry,
  type VisualSummary,
} from '@gatehouse/contract';
import type { Credentials } from '../credentials.js';
import {
  demoDashboards,
  demoGroups,
  demoOrgUsers,
  demoTenants,
  demoTenantUsers,
  demoVisuals,
} from './organization.js';
import type { DemoDashboard, DemoResource, DemoShare, DemoVisual } from './shape.js';
import { toFrame, toTemplate } from './template.js';

const DAY_MS = 86_400_000;
/** More than the demo organization has of any record. */
const LIST_LIMIT = 100;

/** What the loading of visuals and dashboards depends on. */
interface Loaded {
  /** The ids of the org users, by e-mail address. */
  orgUserIds: ReadonlyMap<string, string>;
  /** The ids of the groups, by name. */
  groupIds: ReadonlyMap<string, string>;
  /** What exists already. */
  visuals: readonly VisualSummary[];
  dashboards: readonly DashboardSummary[];
  /** A client with a token of the owner, the same for each of its resources. */
  signInOwner(ownerId: string): Promise<Client>;
}

/**
 * Creates the demo organization through the REST API, each dashboard as the user who owns it. It skips what
 * exists, so that a second call completes an interrupted one.
 *
 * @throws GatehouseError if a request is rejected
 */
export async function loadDemo(baseUrl: string, credentials: Credentials): Promise<void> {
  const admin = await signIn(baseUrl, credentials, { orgUserId: credentials.adminOrgUserId });
  await loadTenants(admin);
  const orgUserIds = await loadOrgUsers(admin);
  await loadTenantUsers(admin);
  const loaded: Loaded = {
    orgUserIds,
    groupIds: await loadGroups(admin, orgUserIds),
    visuals: (await admin.listVisuals({ scope: 'organization' })).visuals,
    dashboards: (await admin.listDashboards({ scope: 'organization' })).dashboards,
    signInOwner: rememberSignIns(baseUrl, credentials, orgUserIds),
  };
  const visualIds = new Map(await Promise.all(demoVisuals.map((visual) => loadVisual(visual, loaded))));
  await Promise.all(demoDashboards.map((dashboard) => loadDashboard(dashboard, visualIds, loaded)));
}

/** A client with a token of the user. */
async function signIn(
  baseUrl: string,
  { projectId, projectSecret }: Credentials,
  user: { orgUserId: string } | { endUserId: string },
): Promise<Client> {
  const { accessToken } = await createClient({ baseUrl }).issueToken({ projectId, projectSecret, ...user });
  return createClient({ baseUrl, accessToken });
}

function rememberSignIns(
  baseUrl: string,
  credentials: Credentials,
  orgUserIds: ReadonlyMap<string, string>,
): Loaded['signInOwner'] {
  const isOrgUser = new Set(orgUserIds.values());
  const clients = new Map<string, Promise<Client>>();
  return (ownerId) => {
    const user = isOrgUser.has(ownerId) ? { orgUserId: ownerId } : { endUserId: ownerId };
    const client = clients.get(ownerId) ?? signIn(baseUrl, credentials, user);
    clients.set(ownerId, client);
    return client;
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

/** Returns the visual's title and id. */
async function loadVisual(visual: DemoVisual, loaded: Loaded): Promise<[string, string]> {
  const ownerId = idOf(visual.owner, loaded);
  const client = await loaded.signInOwner(ownerId);
  const present = loaded.visuals.find(
    (record) => record.title === visual.title && record.ownerId === ownerId,
  );
  const { id } =
    present ?? (await client.createVisual({ ...fieldsOf(visual), frameObject: toFrame(visual.card) })).visual;
  const shares = visual.shares.map((share) => toEntry(share, loaded));
  if (shares.length > 0) await client.shareVisual({ id, shares });
  return [visual.title, id];
}

async function loadDashboard(
  dashboard: DemoDashboard,
  visualIds: ReadonlyMap<string, string>,
  loaded: Loaded,
): Promise<void> {
  const ownerId = idOf(dashboard.owner, loaded);
  const client = await loaded.signInOwner(ownerId);
  const present = loaded.dashboards.find(
    ({ title, ...record }) => title === dashboard.title && record.ownerId === ownerId,
  );
  const linked = (dashboard.visuals ?? []).flatMap((title) => visualIds.get(title) ?? []);
  const template = toTemplate(dashboard.cards, linked);
  const { id } = present ?? (await client.createDashboard({ ...fieldsOf(dashboard), template })).dashboard;
  const shares = dashboard.shares.map((share) => toEntry(share, loaded));
  // Repeating a grant changes nothing but its expiry.
  if (shares.length > 0) await client.shareDashboard({ id, shares });
}

function fieldsOf({ title, description, isPrivate, tags }: DemoResource) {
  return { title, description, isPrivate, tags };
}

/**
 * The id of the user or group in the data: an org user by e-mail address, a group by name, another user by
 * id.
 */
function idOf(name: string, { orgUserIds, groupIds }: Loaded): string {
  return orgUserIds.get(name) ?? groupIds.get(name) ?? name;
}

/** A share as a request has it, with its target under the name that the scope requires. */
function toEntry({ scope, role, to = '', expiresInDays }: DemoShare, loaded: Loaded): GrantEntry {
  const field = SHARE_TARGET_FIELD[scope];
  const target = field === null ? {} : { [field]: idOf(to, loaded) };
  if (expiresInDays === undefined) return { scope, role, ...target };
  return { scope, role, ...target, expiresAt: new Date(Date.now() + expiresInDays * DAY_MS).toISOString() };
}
