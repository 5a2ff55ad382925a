import type { OrgUser, PolicyDefinition, UnifiedUser } from '@gatehouse/contract';
import { createApi, succeeded, type Api, type Project } from '../api.js';
import { createHostileRecords, HOSTILE_TITLE, type HostileRecords } from './hostileRecords.js';
import { securityPath } from '../policyRecords.js';
import type { TestServer } from '../servers.js';
import { cardOf, createStaticConnection, templateOf } from '../validationWorld.js';

const TABLES = { orders: ['id', 'tenant_id', 'amount'] };

/** The demo organization, and beside it what the views of the console have to show. */
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

export async function createConsoleWorld({ baseUrl, credentials }: TestServer): Promise<ConsoleWorld> {
  const api = await createApi(credentials);
  const { admin } = api;
  const connectionId = await createStaticConnection(admin, TABLES);
  const policy = await createPolicy(api, connectionId);
  const cards = [cardOf(connectionId, 'orders', 'id', 'amout'), cardOf(connectionId, 'order', 'id')];
  const { id } = await api.createDashboard(admin, { title: HOSTILE_TITLE, template: templateOf(...cards) });
  const { users } = succeeded(await admin.get<{ users: UnifiedUser[] }>('/unified-users'));
  const { groups } = succeeded(await admin.get<{ groups: { id: string; name: string }[] }>('/groups'));
  const cappedUserId = users.find(({ name }) => name === 'Hugo Brandt')?.id ?? '';
  const groupId = groups.find(({ name }) => name === 'Revenue team')?.id;
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
