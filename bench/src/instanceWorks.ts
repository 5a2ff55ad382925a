import type { Db } from 'mongodb';
import type { Work } from './load.js';
import { catalog, freshStatement, rlsConfig } from './policyShop.js';
import { caller, seed, type Seeded } from './seed.js';
import type { Credentials } from './servers.js';

/** A kind of request, and the token of its caller. */
export interface InstanceWork {
  name: string;
  work: Work;
  token: string;
}

const DASHBOARDS = 5000;
const API = '/api/management/v1';
const ROLES = ['VIEWER', 'EDITOR', 'CONTRIBUTOR'];

type Named = Record<string, { id: string }>;

/** Makes a connection with a policy for the tenant of the viewer, and returns the request of a preview. */
async function preparePreview(credentials: Credentials, { ownerToken }: Seeded): Promise<InstanceWork> {
  const call = caller(credentials.baseUrl, ownerToken);
  const connection = { name: 'Static', type: 'static', config: { dialect: 'postgres' }, catalog };
  const created = (await call('POST', '/api/v1/connections', connection)) as unknown as Named;
  const connectionId = created['connection']?.id ?? '';
  const base = `${API}/projects/${credentials.projectId}/unified-security`;
  const definition = { connectionId, name: 'Own rows', rlsConfig };
  const defined = (await call('POST', `${base}/definitions`, definition)) as unknown as { data: Named };
  const definitionId = defined.data['definition']?.id ?? '';
  const params = { tenant: 'north', regions: ['a', 'b', 'c'], least: 5 };
  await call('POST', `${base}/assignments`, { definitionId, scopeType: 'TENANT', tenantId: 'acme', params });
  const next = () => ({
    path: `${base}/preview`,
    body: { connectionId, actor: { kind: 'TENANT_USER', tenantUserId: 'viewer' }, sql: freshStatement() },
  });
  return { name: 'preview', work: { method: 'POST', next }, token: ownerToken };
}

function resourceWorks({
  visibleIds,
  allIds,
  tenantUserIds,
  viewerToken,
  ownerToken,
}: Seeded): InstanceWork[] {
  let count = 0;
  const nextOf = (ids: string[], verb = '') =>
    `${API}/dashboards/${ids[(count += 1) % ids.length] ?? ''}${verb}`;
  const share = () => ({
    scope: 'specific_tenant_user',
    role: ROLES[count % ROLES.length],
    tenantUserId: tenantUserIds[(count * 7) % tenantUserIds.length],
  });
  const reading = (name: string, next: () => string): InstanceWork => {
    return { name, work: { method: 'GET', next: () => ({ path: next() }) }, token: viewerToken };
  };
  const writing = (name: string, method: 'PATCH' | 'POST', next: Work['next']): InstanceWork => {
    return { name, work: { method, next }, token: ownerToken };
  };
  return [
    reading('list', () => `${API}/dashboards`),
    reading('read', () => nextOf(visibleIds)),
    reading('check access', () => nextOf(visibleIds, '/access')),
    writing('update', 'PATCH', () => ({ path: nextOf(allIds), body: { title: `Title ${count}` } })),
    writing('share', 'POST', () => ({ path: nextOf(allIds, '/share'), body: { shares: [share()] } })),
    writing('validate', 'POST', () => {
      const dashboardId = allIds[(count += 1) % allIds.length];
      return { path: '/api/v1/dashboard/validate', body: { dashboardId } };
    }),
  ];
}

/** Fills a fresh installation, and returns the works that are measured on it. */
export async function prepareWorks(credentials: Credentials, database: Db): Promise<InstanceWork[]> {
  const seeded = await seed(credentials, database, { count: DASHBOARDS });
  const { projectId, projectSecret } = credentials;
  const body = { projectId, projectSecret, endUserId: 'viewer' };
  const issue: Work = { method: 'POST', next: () => ({ path: '/api/v1/token', body }) };
  return [
    ...resourceWorks(seeded),
    await preparePreview(credentials, seeded),
    { name: 'token', work: issue, token: seeded.ownerToken },
  ];
}
