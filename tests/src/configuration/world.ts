import { succeeded, type Api } from '../api.js';

interface Id {
  id: string;
}
type Body = Record<string, unknown>;

const orders = { name: 'orders', columns: [{ name: 'id', type: 'bigint' }] };
const CATALOG = { defaultSchema: 'public', schemas: [{ name: 'public', tables: [orders] }] };

/** Titles that must not become paths, and that are equal. */
export const TITLES = [
  '../x',
  'CON',
  'a/b\\c',
  'x'.repeat(200),
  'Ünïcode 報告',
  '.',
  'Sales',
  'Sales',
  'Sales #2',
];

/** Creates one record of each kind, with references of every form, in the first project. */
export async function buildWorld(api: Api): Promise<void> {
  const create = async <T>(path: string, body: Body, session = api.admin) =>
    succeeded(await session.post<T>(path, body));
  const tenant = await api.createTenant({ name: 'Acme' });
  const ann = await api.createOrgUser('AUTHOR', { email: 'ann@example.com' });
  const bob = await api.createTenantUser(tenant.id, 'POWER_USER', { email: 'bob@example.com' });
  const eve = await api.createOrgUser('AUTHOR', { email: 'eve@example.com' });
  succeeded(await api.admin.patch(`/tenants/${tenant.id}`, { defaultOwnerId: bob.id }));
  const group = await api.createGroup([ann.id, bob.id]);
  await api.createGroup([bob.id], tenant.id);
  const made = await create<{ connection: Id }>('/api/v1/connections', {
    name: 'Warehouse',
    type: 'static',
    config: { dialect: 'postgres' },
    catalog: CATALOG,
  });
  const connectionId = made.connection.id;
  await create('/api/v1/connections', {
    name: 'Live',
    type: 'postgres',
    config: { host: '127.0.0.1', database: 'sales', user: 'reader', password: 'hunter2' },
  });
  const { domain } = await create<{ domain: Id }>('/api/v1/domains', { name: 'sales' });
  const datasets = [{ name: 'orders', table: 'orders' }];
  succeeded(
    await api.admin.put(`/api/v1/domains/${domain.id}/template`, {
      datasets: datasets.map((dataset) => ({ ...dataset, connectionId })),
    }),
  );
  const template = { datasets };
  await create('/api/v1/datamodels', { name: 'Orders', connectionId, template });
  await create('/api/v1/assistant-profiles', { name: 'Helper', instructions: 'Be brief: ${not a marker}' });
  const [author, tenantAuthor] = [
    await api.openSession({ orgUserId: ann.id }),
    await api.openSession({ endUserId: bob.id }),
  ];
  const visual = await api.createVisual(author, {
    title: 'Chart',
    frameObject: { connectionId, text: 'a ${literal} and $${more}' },
  });
  const link = (id: string) => ({ id: 's', title: 'Sheet', frames: [{ id: 'f', visualId: id }] });
  const first = await api.createDashboard(author, {
    title: 'First',
    template: { sheets: [link(visual.id)] },
  });
  const second = await api.createDashboard(author, {
    title: 'Second }',
    template: { sheets: [], drillTo: first.id, [connectionId]: 'by id' },
  });
  const circle = { sheets: [link(visual.id)], drillTo: `/dashboards/${second.id}` };
  succeeded(await author.patch(`/dashboards/${first.id}`, { template: circle }));
  await api.share(author, first.id, [
    { scope: 'group', groupId: group.id, role: 'EDITOR' },
    { scope: 'specific_tenant_user', tenantUserId: bob.id, role: 'VIEWER' },
    { scope: 'all_tenant_users', tenantId: tenant.id, role: 'VIEWER', expiresAt: '2100-01-01T00:00:00.000Z' },
    { scope: 'all_org_users', role: 'VIEWER' },
  ]);
  for (const title of TITLES) await api.createDashboard(tenantAuthor, { title, description: title });
  succeeded(await api.admin.patch(`/org-users/${eve.id}`, { role: 'VIEWER', isActive: false }));
  const base = `/projects/${api.project.projectId}/unified-security`;
  const { data } = await create<{ data: { definition: Id } }>(`${base}/definitions`, {
    connectionId,
    name: 'Own orders',
    rlsConfig: {
      rules: [
        {
          matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
          expression: "id > 0 AND 'k' = {{ key@secret }}",
        },
      ],
    },
  });
  const definitionId = data.definition.id;
  const params = { 'key@secret': 'k', region: 'north' };
  await create(`${base}/assignments`, { definitionId, scopeType: 'TENANT', tenantId: tenant.id, params });
  await create(`${base}/assignments`, { definitionId, scopeType: 'ORG_USER', orgUserId: ann.id, params });
  await create(`${base}/definitions/${definitionId}/tests`, {
    name: 'Bob',
    actor: { kind: 'TENANT_USER', tenantUserId: bob.id },
    sql: 'SELECT id FROM orders',
    expect: { status: 'compiled' },
  });
  await create('/webhooks', { url: 'https://127.0.0.1:9/a', eventTypes: ['management.dashboard.*.v1'] });
}
