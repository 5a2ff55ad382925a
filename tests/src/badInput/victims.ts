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
import type { KnownIds } from './randomInput.js';

/** Records for random requests to find, change and delete; nobody who asks is among them. */
interface Victims {
  byField: KnownIds;
  /** What `{id}` stands for, by the path before it. */
  byCollection: KnownIds;
}

/** A connection with one record of every kind that refers to it, and what refers to none. */
async function makeSemanticVictims(api: Api, tenantId: string) {
  const { admin } = api;
  const [connection, domain, profile] = await Promise.all([
    createConnection(admin),
    createDomain(admin),
    createAssistantProfile(admin),
  ]);
  const datamodel = await createDatamodel(admin, connection.id);
  const definition = await createDefinition(api, connection.id);
  return {
    connection,
    domain,
    profile,
    datamodel,
    definition,
    test: await createPolicyTest(api, definition.id, tenantId),
  };
}

/** The routes whose requests may name a connection or what refers to one. */
const NAMES_CONNECTIONS = /connections|domains|datamodels|assistant-profiles|unified-security|validate|fix/;

/**
 * Makes one record of every kind that a request to the route may name, and a dashboard and a visual that each of the people
 * owns.
 */
export async function makeVictims(api: Api, owners: readonly Session[], route: Route): Promise<Victims> {
  const [tenant, orgUser, { projectId }, dashboards, visuals] = await Promise.all([
    api.createTenant(),
    api.createOrgUser('AUTHOR'),
    api.createProject(),
    Promise.all(owners.map((owner) => api.createDashboard(owner))),
    Promise.all(owners.map((owner) => api.createVisual(owner))),
  ]);
  const tenantUser = await api.createTenantUser(tenant.id, 'POWER_USER');
  const group = await api.createGroup([tenantUser.id, orgUser.id]);
  const semantic = NAMES_CONNECTIONS.test(route.path) ? await makeSemanticVictims(api, tenant.id) : null;
  const idsOf = (record: { id: string } | undefined) => [record?.id ?? 'nowhere'];
  const userIds = [tenantUser.id, orgUser.id];
  const dashboardIds = dashboards.map(({ id }) => id);
  return {
    byField: {
      tenantUserId: [tenantUser.id],
      orgUserId: [orgUser.id],
      tenantId: [tenant.id],
      groupId: [group.id],
      userIds,
      memberId: userIds,
      userId: userIds,
      createdBy: userIds,
      defaultOwnerId: [tenantUser.id],
      endUserId: [tenantUser.id],
      endUserEmail: [tenantUser.email],
      tenantName: [tenant.name],
      projectId: [api.project.projectId],
      projectSecret: [api.project.projectSecret],
      dashboardId: dashboardIds,
      dashboardSecret: dashboards.map(({ secret }) => secret),
      connectionId: idsOf(semantic?.connection),
      domainId: idsOf(semantic?.domain),
      definitionId: idsOf(semantic?.definition),
      testId: idsOf(semantic?.test),
    },
    byCollection: {
      dashboards: dashboardIds,
      visuals: visuals.map(({ id }) => id),
      groups: [group.id],
      tenants: [tenant.id],
      projects: [projectId],
      'unified-users': userIds,
      'tenant-users': [tenantUser.id],
      'org-users': [orgUser.id],
      connections: idsOf(semantic?.connection),
      datamodels: idsOf(semantic?.datamodel),
      'assistant-profiles': idsOf(semantic?.profile),
    },
  };
}

/** The ids that name something in a request to a route. */
export function knownIds(route: Route, { byField, byCollection }: Victims): KnownIds {
  const [, collection = ''] = /\/([\w-]+)\/\{id\}/.exec(route.path) ?? [];
  const id = byCollection[collection];
  return id === undefined ? byField : { ...byField, id };
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
    nobody: null,
  };
}
