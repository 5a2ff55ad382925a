import type { Group, OrgUser, PolicyDefinition, UnifiedUser } from '@gatehouse/contract';
import { createApi, succeeded, type Api, type Project } from '../api.js';
import { createHostileRecords, HOSTILE_TITLE, type HostileRecords } from './hostileRecords.js';
import { securityPath } from '../policyRecords.js';
import type { TestServer } from '../servers.js';
import { cardOf, createStaticConnection, templateOf } from '../validationWorld.js';

const TABLES = { orders: ['id', 'tenant_id', 'amount'] };

/** An organization with what the views of the console have to show. */
export interface ConsoleWorld extends HostileRecords {
  baseUrl: string;
  api: Api;
  /** The signed-in ADMIN. */
  user: OrgUser;
  connectionId: string;
  /** A definition of the connection, and its assignment to a tenant. */
  definitionId: string;
  assignmentId: string;
  /** Of the ADMIN, with many shares; its template names a column and a table wrongly. */
  dashboardId: string;
  /** An org user whose role caps a share. */
  cappedUserId: string;
  target: Project;
}

/** Creates it beside the demo organization, or without it: loading that takes longer than all the rest. */
export async function createConsoleWorld({ baseUrl, credentials }: TestServer): Promise<ConsoleWorld> {
  const api = await createApi(credentials);
  const { admin } = api;
  const { cappedUserId, groupId } = await providePeople(api);
  const connectionId = await createStaticConnection(admin, TABLES);
  const policy = await createPolicy(api, connectionId);
  const cards = [cardOf(connectionId, 'orders', 'id', 'amout'), cardOf(connectionId, 'order', 'id')];
  const { id } = await api.createDashboard(admin, { title: HOSTILE_TITLE, template: templateOf(...cards) });
  await api.share(admin, id, [
    { scope: 'group', groupId, role: 'EDITOR' },
    { scope: 'specific_org_user', orgUserId: cappedUserId, role: 'EDITOR' },
    { scope: 'org_users_only', role: 'VIEWER' },
    { scope: 'all_tenant_users', tenantId: 'harbor-foods', role: 'VIEWER' },
  ]);
  const target = await api.createProject('Staging');
  const inTarget = await api.openSession({ orgUserId: credentials.adminOrgUserId }, target);
  await createStaticConnection(inTarget, TABLES);
  const { user } = succeeded(await admin.get<{ user: OrgUser }>(`/org-users/${credentials.adminOrgUserId}`));
  const hostile = await createHostileRecords(api, { dashboardId: id, connectionId });
  return { ...hostile, ...policy, baseUrl, api, user, connectionId, dashboardId: id, cappedUserId, target };
}

/** The people that the views name: those of the demo organization if it is loaded, else new ones. */
async function providePeople(api: Api): Promise<{ cappedUserId: string; groupId: string }> {
  const { users } = succeeded(await api.admin.get<{ users: UnifiedUser[] }>('/unified-users'));
  const { groups } = succeeded(await api.admin.get<{ groups: Group[] }>('/groups'));
  const user = users.find(({ name }) => name === 'Hugo Brandt');
  const group = groups.find(({ name }) => name === 'Revenue team');
  if (user && group) return { cappedUserId: user.id, groupId: group.id };
  await api.createTenant({ id: 'harbor-foods', name: 'Harbor Foods' });
  await api.createTenant({ id: 'citrus-travel', name: 'Citrus Travel' });
  const { id: cappedUserId } = await api.createOrgUser('VIEWER', { name: 'Hugo Brandt' });
  const { id: groupId } = await api.createGroup([cappedUserId]);
  succeeded(await api.admin.patch(`/groups/${groupId}`, { name: 'Revenue team' }));
  return { cappedUserId, groupId };
}

async function createPolicy(
  api: Api,
  connectionId: string,
): Promise<Pick<ConsoleWorld, 'definitionId' | 'assignmentId'>> {
  const rules = [
    {
      name: 'own tenant',
      matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
      expression: 'tenant_id = {{ tenant }}',
    },
    {
      name: 'not the free ones',
      matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
      expression: "amount <> '0' OR amount IS NULL",
    },
  ];
  const body = { connectionId, name: 'Own rows', rlsConfig: { rules } };
  const created = await api.admin.post<{ data: { definition: PolicyDefinition } }>(
    `${securityPath(api)}/definitions`,
    body,
  );
  const { id: definitionId } = succeeded(created).data.definition;
  const assignment = {
    definitionId,
    scopeType: 'TENANT',
    tenantId: 'harbor-foods',
    params: { tenant: 'harbor' },
  };
  const assigned = await api.admin.post<{ data: { assignment: { id: string } } }>(
    `${securityPath(api)}/assignments`,
    assignment,
  );
  return { definitionId, assignmentId: succeeded(assigned).data.assignment.id };
}
