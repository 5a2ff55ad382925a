import type { AccessLevel } from '@gatehouse/contract';
import { openSession, succeeded, unique, type Answer, type Session } from './api.js';
import type { ObservedServer } from './observedServer.js';
import { addOrgUser, addTenantUser, type Person } from './people.js';
import {
  createResource,
  DASHBOARDS,
  kinds,
  pathOf,
  shareResource,
  VISUALS,
  type Kind,
  type Resource,
} from './resourceKinds.js';

/** How a user stands to a resource: it owns it, has nothing to do with it, or has a grant of a level. */
export const RELATIONS = ['owner', 'none', 'VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'] as const;
export type Relation = (typeof RELATIONS)[number];

/** Who has a role. */
export const USERS = ['tenant VIEWER', 'tenant POWER_USER', 'org VIEWER', 'org AUTHOR', 'org ADMIN'] as const;
export type User = (typeof USERS)[number];
/** Those, and who has none. */
export const CALLERS = [...USERS, 'service identity', 'anonymous dashboard token'] as const;
export type Caller = (typeof CALLERS)[number];

/** All users and resources of the matrix. */
export interface World {
  observed: ObservedServer;
  users: Record<User, Person>;
  callers: Record<Caller, Session>;
  /** The dashboard whose token the anonymous caller holds. */
  tokenDashboard: Resource;
  /** A resource for each user, relation and kind. */
  resources: Map<string, Resource>;
  /** Resources that only their owner may access. */
  others: { dashboard: Resource; visual: Resource };
  /** A group for each caller, with one member. */
  groups: Record<Caller, { groupId: string; memberId: string }>;
  /** In the tenant of the tenant users. */
  recipient: Person;
}

export const keyOf = (user: User, relation: Relation, kind: Kind) => `${user} ${relation} ${kind.type}`;

interface ActionRequest {
  kind: Kind;
  id: string;
  by: Session;
  world: World;
}

/** What is done to one resource, in an order in which each leaves the resource for the next. */
export const ACTIONS = {
  view: ({ kind, id, by }) => by.get(pathOf(kind, id)),
  listShares: ({ kind, id, by }) => by.get(pathOf(kind, id, '/shares')),
  duplicate: ({ kind, id, by }) => by.post(pathOf(kind, id, '/duplicate')),
  edit: ({ kind, id, by }) => by.patch(pathOf(kind, id), { title: unique('Edited') }),
  share: ({ kind, id, by, world }) => by.post(pathOf(kind, id, '/share'), { shares: [shareTo(world)] }),
  listViewers: ({ kind, id, by }) => by.get(pathOf(kind, id, '/viewers')),
  revoke: ({ kind, id, by, world }) => by.delete(pathOf(kind, id, '/share'), { shares: [shareTo(world)] }),
  delete: ({ kind, id, by }) => by.delete(pathOf(kind, id)),
} satisfies Record<string, (request: ActionRequest) => Promise<Answer>>;
export type Action = keyof typeof ACTIONS;

function shareTo({ recipient }: World) {
  return { scope: 'specific_tenant_user', tenantUserId: recipient.id, role: 'VIEWER' };
}

/** What is done without a resource of one's own, in such an order too. */
export const OTHER_ACTIONS = {
  createDashboard: (caller, { callers }) => callers[caller].post('/dashboards', { title: unique('Made') }),
  createVisual: (caller, { callers }) => callers[caller].post('/visuals', { title: unique('Made') }),
  createGroup: (caller, { callers }) =>
    callers[caller].post('/groups', { name: unique('Made'), type: 'ORG_GROUP' }),
  editGroup: (caller, { callers, groups }) =>
    callers[caller].patch(`/groups/${groups[caller].groupId}`, { name: unique('Edited') }),
  addMember: (caller, { callers, groups, users }) =>
    callers[caller].post(`/groups/${groups[caller].groupId}/members`, { userIds: [users['org AUTHOR'].id] }),
  removeMember: (caller, { callers, groups }) =>
    callers[caller].delete(`/groups/${groups[caller].groupId}/members/${groups[caller].memberId}`),
  deleteGroup: (caller, { callers, groups }) => callers[caller].delete(`/groups/${groups[caller].groupId}`),
  listAllDashboards: (caller, { callers }) => callers[caller].get('/dashboards?scope=organization'),
  listAllVisuals: (caller, { callers }) => callers[caller].get('/visuals?scope=organization'),
  listAnyShares: (caller, { callers, others }) =>
    callers[caller].get(pathOf(DASHBOARDS, others.dashboard.id, '/shares?scope=organization')),
  listAnyVisualShares: (caller, { callers, others }) =>
    callers[caller].get(pathOf(VISUALS, others.visual.id, '/shares?scope=organization')),
  takeDashboard: (caller, { callers, others }) =>
    callers[caller].post(pathOf(DASHBOARDS, others.dashboard.id, '/take-ownership')),
  takeVisual: (caller, { callers, others }) =>
    callers[caller].post(pathOf(VISUALS, others.visual.id, '/take-ownership')),
} satisfies Record<string, (caller: Caller, world: World) => Promise<Answer>>;
export type OtherAction = keyof typeof OTHER_ACTIONS;

/** The users. Those who are to be VIEWERs may create at first, so that they can own something. */
async function addUsers({ api }: ObservedServer, tenantId: string): Promise<Record<User, Person>> {
  return {
    'tenant VIEWER': await addTenantUser(api, tenantId, 'POWER_USER'),
    'tenant POWER_USER': await addTenantUser(api, tenantId, 'POWER_USER'),
    'org VIEWER': await addOrgUser(api, 'AUTHOR'),
    'org AUTHOR': await addOrgUser(api, 'AUTHOR'),
    'org ADMIN': await addOrgUser(api, 'ADMIN'),
  };
}

function grantTo(user: User, { id }: Person, role: AccessLevel): Record<string, unknown> {
  return user.startsWith('tenant')
    ? { scope: 'specific_tenant_user', tenantUserId: id, role }
    : { scope: 'specific_org_user', orgUserId: id, role };
}

async function addResources(users: Record<User, Person>, stranger: Session): Promise<Map<string, Resource>> {
  const cells = USERS.flatMap((user) =>
    RELATIONS.flatMap((relation) => kinds.map((kind) => ({ user, relation, kind }))),
  );
  const made = cells.map(async ({ user, relation, kind }) => {
    const owner = relation === 'owner' ? users[user].session : stranger;
    const resource = await createResource(kind, owner);
    if (relation !== 'owner' && relation !== 'none') {
      const shares = [grantTo(user, users[user], relation)];
      await shareResource(kind, resource.id, { by: stranger, shares });
    }
    return [keyOf(user, relation, kind), resource] as const;
  });
  return new Map(await Promise.all(made));
}

async function addGroups({ api }: ObservedServer, member: Person): Promise<World['groups']> {
  const made = CALLERS.map(async (caller) => {
    const { id: groupId } = await api.createGroup([member.id]);
    const { members } = succeeded(
      await api.admin.get<{ members: { id: string }[] }>(`/groups/${groupId}/members`),
    );
    return [caller, { groupId, memberId: members[0]?.id ?? '' }] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as World['groups'];
}

export async function makeWorld(observed: ObservedServer): Promise<World> {
  const { api } = observed;
  const tenant = await api.createTenant();
  const users = await addUsers(observed, tenant.id);
  const recipient = await addTenantUser(api, tenant.id, 'VIEWER');
  const { session: stranger } = await addOrgUser(api, 'AUTHOR');
  const resources = await addResources(users, stranger);
  succeeded(await api.admin.patch(`/tenant-users/${users['tenant VIEWER'].id}`, { role: 'VIEWER' }));
  succeeded(await api.admin.patch(`/org-users/${users['org VIEWER'].id}`, { role: 'VIEWER' }));
  const tokenDashboard = await createResource(DASHBOARDS, stranger);
  const { body } = await api.requestToken({
    dashboardId: tokenDashboard.id,
    dashboardSecret: tokenDashboard.secret,
  });
  const sessions = Object.fromEntries(USERS.map((user) => [user, users[user].session])) as Record<
    User,
    Session
  >;
  return {
    observed,
    users,
    resources,
    recipient,
    tokenDashboard,
    callers: {
      ...sessions,
      'service identity': await api.openSession({}),
      'anonymous dashboard token': openSession(api.baseUrl, body.accessToken),
    },
    others: {
      dashboard: await createResource(DASHBOARDS, stranger),
      visual: await createResource(VISUALS, stranger),
    },
    groups: await addGroups(observed, recipient),
  };
}
