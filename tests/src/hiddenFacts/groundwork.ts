import { routes } from '@gatehouse/contract';
import { openSession, succeeded, type Api } from '../api.js';
import type { CanaryOrganization } from '../canaries/organization.js';
import type { WalkRequest } from '../canaries/requests.js';

const SMALL_CATALOG = {
  defaultSchema: 'public',
  schemas: [{ name: 'public', tables: [{ name: 'orders', columns: [{ name: 'id', type: 'text' }] }] }],
};

/** Adds records that some callers see in part: shares, a group, a second domain and a second project. */
export async function addSharedRecords(api: Api, here: CanaryOrganization): Promise<void> {
  const { ids, tokens } = here;
  const as = (name: string) => openSession(api.baseUrl, tokens[name] ?? '');
  const [admin, author] = [as('admin'), as('author')];
  const make = async (path: string, body: object, noun: string) => {
    const made = succeeded(await admin.post<Record<string, { id: string; secret: string }>>(path, body))[
      noun
    ];
    if (!made) throw new Error(`No ${noun}`);
    return made;
  };
  const tenantUserIds = ids['tenantUserId'] ?? [];
  const note = (kinds: string[], id: string) => kinds.forEach((kind) => ids[kind]?.push(id));
  const group = await make('/groups', { name: 'mixed', type: 'ORG_GROUP' }, 'group');
  const members = [tenantUserIds[0], tenantUserIds[2]];
  succeeded(await admin.post(`/groups/${group.id}/members`, { userIds: members }));
  const staff = await make('/groups', { name: 'staff', type: 'ORG_GROUP' }, 'group');
  for (const { id } of [group, staff]) note(['groupId', 'groups'], id);
  const [, dashboardId] = ids['dashboardId'] ?? [];
  const [, visualId] = ids['visualId'] ?? [];
  const shares = [
    { scope: 'specific_tenant_user', tenantUserId: tenantUserIds[0], role: 'CONTRIBUTOR' },
    { scope: 'group', groupId: group.id, role: 'VIEWER' },
  ];
  succeeded(await author.post(`/dashboards/${dashboardId}/share`, { shares }));
  const toAdmin = [{ scope: 'specific_org_user', orgUserId: ids['orgUserId']?.[0], role: 'VIEWER' }];
  succeeded(await author.post(`/visuals/${visualId}/share`, { shares: [...shares, ...toAdmin] }));
  const connection = await make(
    '/api/v1/connections',
    { name: 'second', type: 'static', config: { dialect: 'postgres' }, catalog: SMALL_CATALOG },
    'connection',
  );
  const domain = await make('/api/v1/domains', { name: 'second' }, 'domain');
  const datasets = [{ name: 'orders', connectionId: connection.id, table: 'orders' }];
  succeeded(await admin.put(`/api/v1/domains/${domain.id}/template`, { datasets }));
  note(['connectionId', 'connections'], connection.id);
  note(['domainId'], domain.id);
  const project = await make('/projects', { name: 'Other project' }, 'project');
  note(['projectId', 'targetProjectId', 'projects'], project.id);
  const identity = { projectId: project.id, projectSecret: project.secret };
  here.tokens['admin of the other project'] = (
    await api.openSession({ orgUserId: ids['orgUserId']?.[0] }, identity)
  ).token;
  const partly = { mode: 'include', domains: [ids['domainId']?.[0]] };
  here.tokens['partly'] = (
    await api.openSession(
      { orgUserId: ids['orgUserId']?.[0], semanticDomainAccess: partly } as never,
      here.project,
    )
  ).token;
}

/** Requests for tokens with the secret of a dashboard, which a tenant user got, for every user and tenant. */
export async function tokenRequests(api: Api, { ids, tokens }: CanaryOrganization): Promise<WalkRequest[]> {
  const owner = openSession(api.baseUrl, tokens['powerUser'] ?? '');
  const dashboardId = ids['dashboardId']?.[2] ?? '';
  const { secret } = succeeded(
    await owner.post<{ secret: string }>(`/dashboards/${dashboardId}/rotate-secret`),
  );
  const byTenant = (tenant: object) =>
    ['sample@example.com', 'renamed@example.com'].flatMap((endUserEmail) => [
      { ...tenant, endUserEmail },
      { ...tenant, endUserEmail, autoCreateEndUser: true },
    ]);
  const identities = [
    ...(ids['tenantUserId'] ?? []).map((endUserId) => ({ endUserId })),
    { endUserId: 'sample' },
    ...(ids['orgUserId'] ?? []).map((orgUserId) => ({ orgUserId })),
    ...(ids['tenantId'] ?? []).flatMap((tenantId) => byTenant({ tenantId })),
    ...['Renamed tenant', 'sample tenant', 'sample'].flatMap((tenantName) => byTenant({ tenantName })),
    ...(ids['domainId'] ?? []).map((id) => ({ semanticDomainAccess: { mode: 'include', domains: [id] } })),
  ];
  return identities.flatMap((identity) =>
    ['/api/v1/token', '/api/v1/sign-in-codes'].map((path) => ({
      method: 'POST',
      path,
      body: JSON.stringify({ dashboardId, dashboardSecret: secret, ...identity }),
    })),
  );
}

/** Lists from a cursor on, which a record that others see ends: callers know or guess it. */
export async function cursorRequests(api: Api, world: CanaryOrganization): Promise<WalkRequest[]> {
  const admin = openSession(api.baseUrl, world.tokens['admin'] ?? '');
  const lists = routes.filter(({ method, query, path }) => {
    const named = /\{(?!projectId)/.test(path);
    return method === 'GET' && query.includes('cursor') && query.includes('limit') && !named;
  });
  const found: WalkRequest[] = [];
  for (const { path, query } of lists) {
    const all = query.includes('scope') ? '&scope=organization' : '';
    const at = path.replace('{projectId}', world.project.projectId);
    let cursor: string | null = null;
    for (let n = 0; n < 4; n += 1) {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await admin.get<{ nextCursor?: string; data?: { nextCursor?: string } }>(
        `${at}?limit=1${all}${next}`,
      );
      cursor = body.nextCursor ?? body.data?.nextCursor ?? null;
      if (cursor === null) break;
      found.push({ method: 'GET', path: `${at}?limit=2&cursor=${cursor}`, body: '' });
    }
  }
  return found;
}
