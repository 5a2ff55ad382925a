import type { OperationId } from '@gatehouse/contract/examples';

/** How a fact is found: the first item of a list with a given name. */
export interface Lookup {
  /** The route that lists it. */
  operationId: OperationId;
  /** Its parameters, which can contain names of other facts. */
  parameters?: Readonly<Record<string, string>>;
  /** The list in the response. */
  list: string;
  /** A field of the item and the beginning of its text; if it is missing, the first item is taken. */
  where?: readonly [field: string, beginning: string];
  /** The field of the item that is the fact; by default `id`. */
  read?: string;
}

const inProject = { projectId: '<projectId>' };

/** The facts that are looked up, by name. The project and the caller are in the token. */
export const lookups: Readonly<Record<string, Lookup>> = {
  tenantId: { operationId: 'listTenants', parameters: { search: 'Harbor Foods' }, list: 'tenants' },
  tenantUserId: {
    operationId: 'listTenantUsers',
    parameters: { tenantId: '<tenantId>', active: 'true' },
    list: 'users',
  },
  sessionId: { operationId: 'listSessions', list: 'sessions' },
  exampleOrgUserId: {
    operationId: 'listOrgUsers',
    parameters: { search: 'Example author' },
    list: 'users',
  },
  exampleProjectId: { operationId: 'listProjects', list: 'projects', where: ['name', 'Example'] },
  groupId: {
    operationId: 'listGroups',
    parameters: { limit: '100' },
    list: 'groups',
    where: ['name', 'Example'],
  },
  groupMemberId: { operationId: 'listGroupMembers', parameters: { id: '<groupId>' }, list: 'members' },
  dashboardId: {
    operationId: 'listDashboards',
    parameters: { search: 'Example dashboard' },
    list: 'dashboards',
    where: ['title', 'Example dashboard'],
  },
  anyDashboardId: {
    operationId: 'listDashboards',
    parameters: { search: 'Example' },
    list: 'dashboards',
    where: ['title', 'Example'],
  },
  visualId: {
    operationId: 'listVisuals',
    parameters: { search: 'Example visual' },
    list: 'visuals',
    where: ['title', 'Example visual'],
  },
  anyVisualId: {
    operationId: 'listVisuals',
    parameters: { search: 'Example' },
    list: 'visuals',
    where: ['title', 'Example'],
  },
  connectionId: { operationId: 'listConnections', list: 'connections', where: ['name', 'Example'] },
  datamodelId: { operationId: 'listDatamodels', list: 'datamodels', where: ['name', 'Example'] },
  assistantProfileId: {
    operationId: 'listAssistantProfiles',
    list: 'assistantProfiles',
    where: ['name', 'Example'],
  },
  domainId: { operationId: 'listDomains', list: 'domains', where: ['name', 'example_domain'] },
  managedDomainId: { operationId: 'listManagedDomains', list: 'domains', where: ['name', 'example_managed'] },
  definitionId: {
    operationId: 'listPolicyDefinitions',
    parameters: inProject,
    list: 'data',
    where: ['definition.name', 'Example'],
    read: 'definition.id',
  },
  assignmentId: {
    operationId: 'listPolicyAssignments',
    parameters: inProject,
    list: 'data',
    where: ['definition.name', 'Example'],
    read: 'assignment.id',
  },
  policyTestId: {
    operationId: 'listPolicyTests',
    parameters: { ...inProject, definitionId: '<definitionId>' },
    list: 'data',
    where: ['name', 'Example'],
  },
  sha: {
    operationId: 'listDashboardVersions',
    parameters: { id: '<dashboardId>' },
    list: 'versions',
    read: 'sha',
  },
  migrationId: { operationId: 'listMigrations', list: 'migrations', where: ['status', 'completed'] },
  webhookId: { operationId: 'listWebhooks', list: 'webhooks', where: ['description', 'Example'] },
  deliveryId: {
    operationId: 'listWebhookDeliveries',
    parameters: { id: '<webhookId>' },
    list: 'deliveries',
  },
};
