import { SHARE_TARGET_FIELD, type ResourceType, type ShareRecord } from '@gatehouse/contract';
import { succeeded, unique, type Answer, type Api, type Project, type Session } from '../api.js';
import type { Expiry, Plan, PlannedResource, PlannedShare, PlannedTarget } from './plan.js';

/** How long a share lives that is over when the questions come. */
/** Longer than a grant takes on a busy machine: one that has expired before it is made is refused. */
const SHORT_LIFE_MS = 6000;
const LONG_LIFE_MS = 3_600_000;

export interface BuiltUser {
  id: string;
  tenant: string | null;
  /** By project. */
  sessions: Record<string, Session>;
}

export interface BuiltResource {
  id: string;
  type: ResourceType;
  project: string;
}

/** An organization as it was made over HTTP, by the names of its plan. */
export interface BuiltOrganization {
  /** In every title, so that a list can be restricted to this organization. */
  tag: string;
  tenants: Record<string, string>;
  users: Record<string, BuiltUser>;
  groups: Record<string, string>;
  resources: Record<string, BuiltResource>;
  /** When the last of the shares is over that are over when the questions come; in ms since the epoch. */
  readyAt: number;
}

export interface Ground {
  api: Api;
  projects: Record<string, Project>;
}

export const collectionOf = (type: ResourceType) => (type === 'dashboard' ? '/dashboards' : '/visuals');
export const pathTo = ({ type, id }: BuiltResource) => `${collectionOf(type)}/${id}`;

/** The body of one grant or revocation. */
function writeEntry(built: BuiltOrganization, { scope, target }: PlannedTarget): Record<string, unknown> {
  const field = SHARE_TARGET_FIELD[scope];
  if (field === null || target === null) return { scope };
  const ids = {
    tenantUserId: built.users,
    orgUserId: built.users,
    tenantId: built.tenants,
    groupId: built.groups,
  };
  const found = ids[field][target];
  return { scope, [field]: typeof found === 'object' ? found.id : found };
}

export function sessionOf({ users }: BuiltOrganization, user: string, project: string): Session {
  const session = users[user]?.sessions[project];
  if (!session) throw new Error(`${user} has no session in ${project}`);
  return session;
}

export function resourceOf({ resources }: BuiltOrganization, name: string): BuiltResource {
  const resource = resources[name];
  if (!resource) throw new Error(`${name} was not built`);
  return resource;
}

function expiresAt(built: BuiltOrganization, expiry: Expiry): string | null {
  if (expiry === 'never') return null;
  const at = Date.now() + (expiry === 'past' ? SHORT_LIFE_MS : LONG_LIFE_MS);
  if (expiry === 'past') Object.assign(built, { readyAt: Math.max(built.readyAt, at) });
  return new Date(at).toISOString();
}

/** Grants one share of a resource as a user. */
export async function grant(
  built: BuiltOrganization,
  resource: string,
  { by, share }: { by: string; share: PlannedShare },
): Promise<Answer<{ shares: ShareRecord[] }>> {
  const target = resourceOf(built, resource);
  const entry = { ...writeEntry(built, share), role: share.role, expiresAt: expiresAt(built, share.expiry) };
  return sessionOf(built, by, target.project).post(`${pathTo(target)}/share`, { shares: [entry] });
}

/** Revokes one share of a resource as a user. */
export async function revoke(
  built: BuiltOrganization,
  resource: string,
  { by, target }: { by: string; target: PlannedTarget },
): Promise<Answer<{ removed: ShareRecord[] }>> {
  const found = resourceOf(built, resource);
  const body = { shares: [writeEntry(built, target)] };
  return sessionOf(built, by, found.project).delete(`${pathTo(found)}/share`, body);
}

async function buildUser(
  { api, projects }: Ground,
  { tenants }: BuiltOrganization,
  planned: Plan['users'][string],
): Promise<BuiltUser> {
  const { tenant, fields } = planned;
  const { id } =
    planned.tenant === null
      ? await api.createOrgUser(planned.role, fields)
      : await api.createTenantUser(tenants[planned.tenant] ?? '', planned.role, fields);
  const identity = tenant === null ? { orgUserId: id } : { endUserId: id };
  const opened = Object.entries(projects).map(
    async ([project, secret]) => [project, await api.openSession(identity, secret)] as const,
  );
  return { id, tenant, sessions: Object.fromEntries(await Promise.all(opened)) };
}

/** Where a template links a saved visual. */
const templateOf = (visualIds: readonly string[]) => ({
  sheets: [
    { id: 's', title: 'Sheet', frames: visualIds.map((visualId, index) => ({ id: `f${index}`, visualId })) },
  ],
});

async function buildResource(
  built: BuiltOrganization,
  name: string,
  planned: PlannedResource,
): Promise<void> {
  const { type, project, owner, isPrivate, links, fields, content, shares, revoked } = planned;
  const template = { ...content, ...templateOf(links.map((link) => resourceOf(built, link).id)) };
  const title = `${built.tag} ${name}`;
  const body = {
    title,
    ...fields,
    isPrivate,
    ...(type === 'dashboard' ? { template } : { frameObject: content }),
  };
  const created = succeeded(
    await sessionOf(built, owner, project).post<Record<string, { id: string }>>(collectionOf(type), body),
  );
  built.resources[name] = { id: created[type]?.id ?? '', type, project };
  for (const share of shares) succeeded(await grant(built, name, { by: share.by ?? owner, share }));
  for (const target of revoked) succeeded(await revoke(built, name, { by: target.by ?? owner, target }));
}

/** Changes a user as its organization's ADMIN. */
export async function changeUser(
  { admin }: Api,
  { id, tenant }: BuiltUser,
  change: Record<string, unknown>,
): Promise<void> {
  succeeded(await admin.patch(`/${tenant === null ? 'org' : 'tenant'}-users/${id}`, change));
}

/** Makes an organization over HTTP, each step by the user who may take it. */
export async function buildOrganization(ground: Ground, plan: Plan): Promise<BuiltOrganization> {
  const { api } = ground;
  const tag = unique('org');
  const built: BuiltOrganization = { tag, tenants: {}, users: {}, groups: {}, resources: {}, readyAt: 0 };
  for (const tenant of plan.tenants) built.tenants[tenant] = (await api.createTenant()).id;
  const users = Object.entries(plan.users).map(
    async ([name, planned]) => [name, await buildUser(ground, built, planned)] as const,
  );
  Object.assign(built.users, Object.fromEntries(await Promise.all(users)));
  for (const [name, { tenant, members }] of Object.entries(plan.groups)) {
    const ids = members.map((member) => built.users[member]?.id ?? '');
    built.groups[name] = (await api.createGroup(ids, tenant === null ? undefined : built.tenants[tenant])).id;
  }
  for (const [name, planned] of Object.entries(plan.resources)) await buildResource(built, name, planned);
  for (const { resource, share } of plan.lastShares) {
    succeeded(await grant(built, resource, { by: plan.resources[resource]?.owner ?? '', share }));
  }
  for (const [name, { takenOverBy }] of Object.entries(plan.resources)) {
    if (takenOverBy === undefined) continue;
    const found = resourceOf(built, name);
    succeeded(await sessionOf(built, takenOverBy, found.project).post(`${pathTo(found)}/take-ownership`));
  }
  for (const [name, { later }] of Object.entries(plan.users)) {
    const user = built.users[name];
    if (user && Object.keys(later).length > 0) await changeUser(api, user, later);
  }
  return built;
}
