import { openSession, succeeded, type Answer, type Session } from '../api.js';
import type { CanaryOrganization } from '../canaries/organization.js';
import { SHARED_KEY } from './questions.js';

/** The sessions of an organization in one world. */
const sessionIn = (baseUrl: string, { tokens }: CanaryOrganization, name: string): Session =>
  openSession(baseUrl, tokens[name] ?? '');

const must = async (answer: Promise<Answer<unknown>>) => void succeeded(await answer);

/** Changes a record, and removes another of its kind. */
async function changeOrganization(admin: Session, { ids, project }: CanaryOrganization): Promise<void> {
  const [tenantId] = ids['tenantId'] ?? [];
  const [orgUserId, viewerId] = (ids['orgUserId'] ?? []).slice(1);
  await must(admin.patch(`/tenants/${tenantId}`, { name: 'Renamed tenant' }));
  await must(admin.post('/tenants', { id: 'sample', name: 'sample' }, SHARED_KEY));
  await must(admin.patch(`/org-users/${orgUserId}`, { name: 'Renamed', email: 'renamed@example.com' }));
  await must(admin.delete(`/org-users/${viewerId}`));
  await must(admin.delete(`/groups/${ids['groupId']?.[0]}`));
  await must(admin.patch(`/groups/${ids['groupId']?.[1]}`, { name: 'sample' }));
  await must(admin.patch(`/projects/${project.projectId}`, { name: 'Renamed project' }));
  await must(admin.post('/api/v1/domains', { name: 'sample' }));
  await must(admin.delete(`/api/v1/domains/${ids['domainId']?.[0]}`));
  await must(admin.delete(`/api/v1/datamodels/${ids['datamodelId']?.[0]}`));
}

/** Changes dashboards, visuals and what only an ADMIN sees. */
async function changeRecords(admin: Session, owner: Session, world: CanaryOrganization): Promise<void> {
  const { ids, project } = world;
  const base = `/projects/${project.projectId}/unified-security`;
  const definition = `${base}/definitions/${ids['definitionId']?.[0]}`;
  const [dashboardId] = ids['dashboardId'] ?? [];
  const [deletedId, keptVisualId, deletedVisualId] = [
    ids['dashboardId']?.[3],
    ids['visualId']?.[0],
    ids['visualId']?.[3],
  ];
  const edited = { title: 'Renamed', description: 'sample', tags: ['sample'], template: { sheets: [] } };
  await must(admin.patch(`/dashboards/${dashboardId}`, edited));
  await must(
    admin.post(`/dashboards/${dashboardId}/share`, {
      shares: [
        {
          scope: 'specific_tenant_user',
          tenantUserId: ids['tenantUserId']?.[1],
          role: 'OWNER',
          expiresAt: '2099-01-01T00:00:00Z',
        },
      ],
    }),
  );
  await must(admin.patch(`/visuals/${keptVisualId}`, { title: 'Renamed', frameObject: {} }));
  await must(owner.delete(`/dashboards/${deletedId}`));
  await must(owner.delete(`/visuals/${deletedVisualId}`));
  for (const title of ['sample', 'Another', 'sample 2']) {
    await must(admin.post('/dashboards', { title, tags: ['sample'] }));
    await must(admin.post('/visuals', { title, tags: ['sample'] }));
  }
  await must(admin.delete(`/webhooks/${ids['webhooks']?.[0]}`));
  await must(admin.patch(definition, { name: 'Renamed definition' }));
  await must(admin.delete(`${definition}/tests/${ids['testId']?.[0]}`));
}

/** Changes what users of another tenant alone may see. */
async function changeTenant(admin: Session, { ids }: CanaryOrganization): Promise<void> {
  const [, tenantId] = ids['tenantId'] ?? [];
  const [, userId] = ids['tenantUserId'] ?? [];
  await must(admin.patch(`/tenants/${tenantId}`, { name: 'Renamed tenant' }));
  await must(admin.patch(`/tenant-users/${userId}`, { name: 'Renamed', email: 'renamed@example.com' }));
  const user = { tenantId, name: 'sample', email: 'sample@example.com', role: 'VIEWER' };
  await must(admin.post('/tenant-users', { id: 'sample', ...user }));
  await must(admin.post('/groups', { name: 'sample', type: 'TENANT_GROUP', tenantId }));
  await must(admin.post('/tenants', { name: 'sample tenant' }));
}

/** Shares what the users of a tenant see with another tenant too. */
async function shareWithOtherTenant(author: Session, { ids }: CanaryOrganization): Promise<void> {
  const [, tenantUserId] = ids['tenantUserId'] ?? [];
  const shares = [
    { scope: 'specific_tenant_user', tenantUserId, role: 'EDITOR' },
    { scope: 'all_tenant_users', tenantId: ids['tenantId']?.[1], role: 'VIEWER' },
  ];
  await must(author.post(`/dashboards/${ids['dashboardId']?.[1]}/share`, { shares }));
  await must(author.post(`/visuals/${ids['visualId']?.[1]}/share`, { shares }));
  await must(author.post(`/groups/${ids['groupId']?.[2]}/members`, { userIds: [tenantUserId] }));
}

/** Makes records in another project. */
async function changeOtherProject(admin: Session): Promise<void> {
  for (const title of ['sample', 'Elsewhere']) await must(admin.post('/dashboards', { title }));
  await must(admin.post('/visuals', { title: 'sample' }));
}

export interface Stage {
  /** What differs between the worlds. */
  fact: string;
  /** Callers in the first organization who may see nothing of it. */
  callers: readonly string[];
  /** A caller who sees a difference, in the first or the second organization. */
  witness: { in: 0 | 1; caller: string; path: string };
  change(baseUrl: string, worlds: readonly [CanaryOrganization, CanaryOrganization]): Promise<void>;
}

const ANOTHER_ORGANIZATION: Stage = {
  fact: 'records of another organization',
  callers: ['admin', 'service', 'anonymous', 'partly'],
  witness: { in: 1, caller: 'admin', path: '/tenants' },
  async change(baseUrl, [, there]) {
    const admin = sessionIn(baseUrl, there, 'admin');
    await changeRecords(admin, sessionIn(baseUrl, there, 'otherTenantUser'), there);
    await changeOrganization(admin, there);
  },
};

const WITHOUT_ACCESS: Stage = {
  fact: 'records without access',
  callers: ['author', 'orgViewer'],
  witness: { in: 0, caller: 'admin', path: '/dashboards' },
  async change(baseUrl, [here, there]) {
    await ANOTHER_ORGANIZATION.change(baseUrl, [here, there]);
    const owner = sessionIn(baseUrl, here, 'otherTenantUser');
    const admin = sessionIn(baseUrl, here, 'admin');
    await changeRecords(admin, owner, here);
    await changeOtherProject(sessionIn(baseUrl, here, 'admin of the other project'));
    const [dashboardId] = here.ids['dashboardId'] ?? [];
    const shares = [{ scope: 'group', groupId: here.ids['groupId']?.at(-1), role: 'EDITOR' }];
    await must(admin.post(`/dashboards/${dashboardId}/share`, { shares }));
    const targetProjectId = here.ids['projectId']?.at(-1);
    await must(admin.post(`/dashboards/${dashboardId}/migrate`, { targetProjectId, connectionMapping: {} }));
    await must(admin.delete(`/api/v1/sessions/${here.ids['sessions']?.[0]}`));
  },
};

const ANOTHER_TENANT: Stage = {
  fact: 'records of another tenant',
  callers: ['powerUser', 'viewer', 'bearer', 'knownBearer', 'anonymous'],
  witness: { in: 0, caller: 'otherTenantUser', path: '/dashboards' },
  async change(baseUrl, [here, there]) {
    await WITHOUT_ACCESS.change(baseUrl, [here, there]);
    await changeTenant(sessionIn(baseUrl, here, 'admin'), here);
    await shareWithOtherTenant(sessionIn(baseUrl, here, 'author'), here);
  },
};

const HIDDEN_DOMAIN: Stage = {
  fact: 'a domain that the token hides',
  callers: ['restricted', 'partly'],
  witness: { in: 0, caller: 'admin', path: '/api/v1/domains' },
  async change(baseUrl, [here]) {
    const admin = sessionIn(baseUrl, here, 'admin');
    const domain = `/api/v1/domains/${here.ids['domainId']?.at(-1)}`;
    await must(admin.put(`${domain}/template`, { datasets: [] }));
    await must(admin.patch(domain, { name: 'renamed', label: 'Renamed', description: 'Changed' }));
    await must(admin.post('/api/v1/domains', { name: 'sample' }));
  },
};

export const STAGES: readonly Stage[] = [ANOTHER_ORGANIZATION, WITHOUT_ACCESS, ANOTHER_TENANT, HIDDEN_DOMAIN];
