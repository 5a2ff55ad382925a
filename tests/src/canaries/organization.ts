import { succeeded, type Project, type Session } from '../api.js';
import { addCrossings, addMigration } from './crossings.js';
import { Founder, type Founding, type KnownIds } from './founder.js';
import { ConsoleBrowser, createCode } from '../sessions/consoleBrowser.js';
import { addPolicies, addResources, addSemantics } from './records.js';

/** An organization with a canary in every field that takes text. */
export interface CanaryOrganization {
  name: string;
  project: Project;
  ids: KnownIds;
  /** Tokens by the kind of caller. */
  tokens: Record<string, string>;
  /** Names of connections, tables, columns and visuals, for templates of other users. */
  templates: object[];
  /** The ids of records that users of both tenants may open. */
  shared: KnownIds;
}

const USERS = ['userId', 'userIds', 'createdBy', 'memberId', 'actorId', 'unified-users'];

async function addPerson(founder: Founder, kind: string, role: string, tenantId?: string): Promise<Session> {
  const record = founder.record(kind);
  founder.people.set(kind, record);
  const path = tenantId === undefined ? '/org-users' : '/tenant-users';
  const { id } = await founder.create(founder.admin, path, {
    ...(tenantId === undefined ? {} : { tenantId, id: `tu_${record.text('id')}` }),
    email: `${record.text('email')}@example.com`,
    name: record.text('name'),
    role,
  });
  const own =
    tenantId === undefined
      ? ['orgUserId', 'org-users']
      : ['tenantUserId', 'endUserId', 'defaultOwnerId', 'tenant-users'];
  founder.note([...USERS, ...own], id);
  record.readAt(
    `${path}/${id}`,
    `/unified-users/${id}`,
    '/unified-users?limit=500',
    '/audit-events?limit=500',
  );
  return founder.open(kind, tenantId === undefined ? { orgUserId: id } : { endUserId: id });
}

async function addTenant(founder: Founder): Promise<string> {
  const record = founder.record('tenant');
  const { id } = await founder.create(founder.admin, '/tenants', {
    id: `t_${record.text('id')}`,
    name: record.text('name'),
  });
  record.readAt(`/tenants/${id}`, '/audit-events?limit=500');
  return founder.note(['tenantId', 'tenants'], id);
}

async function addGroup(founder: Founder, userIds: string[], tenantId?: string): Promise<string> {
  const record = founder.record('group');
  const { id } = await founder.create(founder.admin, '/groups', {
    name: record.text('name'),
    description: record.text('description'),
    type: tenantId === undefined ? 'ORG_GROUP' : 'TENANT_GROUP',
    ...(tenantId === undefined ? {} : { tenantId }),
  });
  succeeded(await founder.admin.post(`/groups/${id}/members`, { userIds }));
  record.readAt(`/groups/${id}`, '/audit-events?limit=500');
  return founder.note(['groupId', 'groups'], id);
}

/** Signs the ADMIN in with a browser. Returns the id of the session. */
async function openBrowser({ admin }: Founder, { api, adminId, project }: Founding): Promise<string> {
  const browser = new ConsoleBrowser(api.baseUrl);
  await browser.signInWith(await createCode(api, { orgUserId: adminId }, project));
  const { sessions } = succeeded(await admin.get<{ sessions: { id: string }[] }>('/api/v1/sessions'));
  return sessions[0]?.id ?? 'none';
}

/** Makes the records and tokens of one organization. */
export async function foundOrganization(founding: Founding): Promise<CanaryOrganization> {
  const { api, project, adminId, name, webhookUrl } = founding;
  const founder = new Founder(founding);
  founder.keepSecret('project.secret', project.projectSecret);
  founder.admin = await founder.open('admin', { orgUserId: adminId });
  const { admin } = founder;
  founder.note([...USERS, 'orgUserId'], adminId);
  founder.note(['projectId', 'targetProjectId', 'projects'], project.projectId);
  const record = founder.record('project');
  succeeded(await admin.patch(`/projects/${project.projectId}`, { name: record.text('name') }));
  record.readAt(`/projects/${project.projectId}`, '/audit-events?limit=500');
  succeeded(await admin.put('/version-control', { commitOnSave: 'optional' }));
  const hook = founder.record('webhook');
  const { id: webhookId } = await founder.create(admin, '/webhooks', {
    url: `${webhookUrl}/${hook.text('url')}`,
    description: hook.text('description'),
    eventTypes: [
      'management.dashboard.created.v1',
      'management.group.created.v1',
      'management.policy_definition.created.v1',
    ],
  });
  hook.readAt(`/webhooks/${webhookId}`, '/audit-events?limit=500');
  founder.note(['webhooks'], webhookId);
  const [tenantId, otherTenantId] = [await addTenant(founder), await addTenant(founder)];
  const people = {
    author: await addPerson(founder, 'author', 'AUTHOR'),
    powerUser: await addPerson(founder, 'powerUser', 'POWER_USER', tenantId),
    otherTenantUser: await addPerson(founder, 'otherTenantUser', 'POWER_USER', otherTenantId),
  };
  await addPerson(founder, 'orgViewer', 'VIEWER');
  await addPerson(founder, 'viewer', 'VIEWER', tenantId);
  await addGroup(founder, founder.ids['orgUserId'] ?? []);
  await addGroup(founder, (founder.ids['tenantUserId'] ?? []).slice(0, 1), tenantId);
  const sources = await addSemantics(founder);
  await addPolicies(founder, project, sources, tenantId);
  const { dashboards, secret: dashboardSecret } = await addResources(founder, { admin, ...people }, sources);
  const shares = [{ scope: 'all_tenants_only', role: 'VIEWER' }];
  succeeded(await people.author.post(`/dashboards/${dashboards['author']}/share`, { shares }));
  const [powerUserId = '', otherTenantUserId = '', viewerId] = founder.ids['tenantUserId'] ?? [];
  const world = {
    api,
    ...people,
    dashboardId: dashboards['author'] ?? '',
    visualId: founder.ids['visualId']?.[1] ?? '',
    tenantUserIds: { powerUser: powerUserId, otherTenantUser: otherTenantUserId },
    otherTenantId,
  };
  const shared = await addCrossings(founder, world);
  await addMigration(founder, world);
  const versions = succeeded(
    await admin.get<{ versions: { sha: string }[] }>(`/dashboards/${dashboards['admin']}/versions`),
  ).versions;
  founder.note(['sha', 'to'], versions[0]?.sha ?? 'none');
  founder.note(['sessions'], await openBrowser(founder, founding));
  const { deliveries } = succeeded(
    await admin.get<{ deliveries: { id: string }[] }>(`/webhooks/${webhookId}/deliveries`),
  );
  founder.note(['deliveryId'], deliveries[0]?.id ?? 'none');
  const byDashboard = { dashboardId: dashboards['author'], dashboardSecret };
  for (const [kind, identity] of Object.entries({
    bearer: {},
    knownBearer: { endUserId: viewerId },
  }))
    founder.tokens[kind] = succeeded(await api.requestToken({ ...byDashboard, ...identity })).accessToken;
  await founder.open('service', {});
  await founder.open('restricted', { orgUserId: adminId, semanticDomainAccess: { mode: 'none' } });
  return { name, project, ids: founder.ids, tokens: founder.tokens, templates: founder.templates, shared };
}
