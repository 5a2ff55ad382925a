import type { Route } from '@gatehouse/contract';
import type { Api, Session } from '../api.js';
import type { People } from '../people.js';
import { createDefinition, createPolicyTest } from '../policyRecords.js';
import {
  createAssistantProfile,
  createConnection,
  createDatamodel,
  createDomain,
} from '../semanticRecords.js';
import { createFailedDelivery } from '../webhookRecords.js';
import type { KnownIds } from './randomInput.js';
import { inputOf } from './routeRequests.js';
import { fieldsOf } from './schemaFields.js';

/** Gives what it has made before, once it has made it. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

type FindIds = () => Promise<readonly string[]>;

/** A tenant and two users, who are in a group. */
async function makePeople(api: Api) {
  const [tenant, orgUser] = await Promise.all([api.createTenant(), api.createOrgUser('AUTHOR')]);
  const tenantUser = await api.createTenantUser(tenant.id, 'POWER_USER');
  const group = await api.createGroup([tenantUser.id, orgUser.id]);
  return { tenant, orgUser, tenantUser, group, userIds: [tenantUser.id, orgUser.id] };
}

/** A connection with one record of every kind that refers to it. */
async function makeConnection(api: Api, tenantId: string) {
  const connection = await createConnection(api.admin);
  const datamodel = await createDatamodel(api.admin, connection.id);
  const definition = await createDefinition(api, connection.id);
  const test = await createPolicyTest(api, definition.id, tenantId);
  return { connection, datamodel, definition, test };
}

/**
 * The ids of victims by the name of the field that takes them, and by the collection whose `{id}` they are.
 */
function prepareVictims(api: Api, owners: readonly Session[]) {
  const people = once(() => makePeople(api));
  const semantic = once(async () => makeConnection(api, (await people()).tenant.id));
  const webhook = once(() => createFailedDelivery(api.admin));
  const dashboards = once(() => Promise.all(owners.map((owner) => api.createDashboard(owner))));
  const ofPeople = (read: (made: Awaited<ReturnType<typeof makePeople>>) => readonly string[]) => async () =>
    read(await people());
  const userIds = ofPeople((made) => made.userIds);
  const tenantUserIds = ofPeople(({ tenantUser }) => [tenantUser.id]);
  const orgUserIds = ofPeople(({ orgUser }) => [orgUser.id]);
  const tenantIds = ofPeople(({ tenant }) => [tenant.id]);
  const groupIds = ofPeople(({ group }) => [group.id]);
  const dashboardIds = async () => (await dashboards()).map(({ id }) => id);
  const connectionIds = async () => [(await semantic()).connection.id];
  const byField: Record<string, FindIds> = {
    tenantUserId: tenantUserIds,
    orgUserId: orgUserIds,
    tenantId: tenantIds,
    groupId: groupIds,
    userIds,
    memberId: userIds,
    userId: userIds,
    createdBy: userIds,
    defaultOwnerId: tenantUserIds,
    endUserId: tenantUserIds,
    endUserEmail: ofPeople(({ tenantUser }) => [tenantUser.email]),
    tenantName: ofPeople(({ tenant }) => [tenant.name]),
    projectId: async () => [api.project.projectId],
    projectSecret: async () => [api.project.projectSecret],
    dashboardId: dashboardIds,
    dashboardSecret: async () => (await dashboards()).map(({ secret }) => secret),
    connectionId: connectionIds,
    domainId: async () => [(await createDomain(api.admin)).id],
    definitionId: async () => [(await semantic()).definition.id],
    testId: async () => [(await semantic()).test.id],
    deliveryId: async () => [(await webhook()).deliveryId],
  };
  const byCollection: Record<string, FindIds> = {
    dashboards: dashboardIds,
    visuals: async () => Promise.all(owners.map(async (owner) => (await api.createVisual(owner)).id)),
    groups: groupIds,
    tenants: tenantIds,
    projects: async () => [(await api.createProject()).projectId],
    'unified-users': userIds,
    'tenant-users': tenantUserIds,
    'org-users': orgUserIds,
    connections: connectionIds,
    datamodels: async () => [(await semantic()).datamodel.id],
    'assistant-profiles': async () => [(await createAssistantProfile(api.admin)).id],
    webhooks: async () => [(await webhook()).id],
  };
  return { byField, byCollection };
}

/**
 * Creates records for random requests to a route to find, change and delete, of the kinds that the requests
 * can name. If they name dashboards or visuals, each of the owners has one. No caller is among the records.
 */
export async function makeVictims(api: Api, owners: readonly Session[], route: Route): Promise<KnownIds> {
  const { byField, byCollection } = prepareVictims(api, owners);
  const named = new Set(fieldsOf(inputOf(route)).flatMap(({ path }) => path.map(String)));
  const [, collection = ''] = /\/([\w-]+)\/\{id\}/.exec(route.path) ?? [];
  const finds = { ...byField, ...(byCollection[collection] && { id: byCollection[collection] }) };
  const found = Object.entries(finds).flatMap(([field, find]) => (named.has(field) ? [{ field, find }] : []));
  return Object.fromEntries(
    await Promise.all(found.map(async ({ field, find }) => [field, await find()] as const)),
  );
}

/** Tokens of every kind of caller, and what callers send who have none. */
export async function openTokens(api: Api, people: People): Promise<Record<string, string | null>> {
  const { id: dashboardId, secret: dashboardSecret } = await api.createDashboard(people.author.session);
  const { body } = await api.requestToken({ dashboardId, dashboardSecret });
  const identities = {
    admin: { orgUserId: people.admin.id },
    author: { orgUserId: people.author.id },
    orgViewer: { orgUserId: people.orgViewer.id },
    powerUser: { endUserId: people.tenant.powerUser.id },
    tenantViewer: { endUserId: people.tenant.viewer.id },
    service: {},
  };
  const opened = Object.entries(identities).map(async ([name, identity]) => {
    return [name, (await api.openSession(identity)).token] as const;
  });
  return {
    ...Object.fromEntries(await Promise.all(opened)),
    dashboard: body.accessToken,
    stranger: 'not.a.token',
    anonymous: null,
  };
}
