import type { ServiceName } from '@gatehouse/contract';
import { succeeded, unique, type Answer, type Api } from '../api.js';
import { createDefinition, securityPath } from '../policyRecords.js';
import { createStaticConnection, templateOf, cardOf, VALIDATE } from '../validationWorld.js';

/** A request that cannot be answered without one dependency of one part. */
export interface Probe {
  part: 'gateway' | ServiceName;
  dependency: ServiceName | 'mongodb';
  /** Whether the call that fails is a read by its contract. */
  isRead: boolean;
  send(headers: Record<string, string>): Promise<Answer>;
}

/** What is asked about. */
export interface ProbeWorld {
  dashboardId: string;
  probes: Probe[];
}

/** Makes what the probes ask about. */
export async function makeProbes(api: Api): Promise<ProbeWorld> {
  const { admin } = api;
  const connectionId = await createStaticConnection(admin, { orders: ['id', 'region'] });
  const template = templateOf(cardOf(connectionId, 'orders', 'id')) as never;
  const { id, secret } = await api.createDashboard(admin, { template });
  const { id: tenantId } = await api.createTenant();
  const { id: orgUserId } = await api.createOrgUser('VIEWER');
  const { projectId } = await api.createProject();
  await createDefinition(api, connectionId);
  const domain = {
    name: unique('sales')
      .toLowerCase()
      .replace(/[^a-z]/g, '_'),
  };
  succeeded(await admin.post('/api/v1/domains', domain));

  const validate: Probe['send'] = (headers) => admin.post(VALIDATE, { dashboardId: id }, headers);
  const semanticDomainAccess = { mode: 'include', domains: [domain.name] };
  const share = { shares: [{ scope: 'specific_org_user', orgUserId, role: 'VIEWER' }] };
  const webhook = { url: 'http://127.0.0.1:9/', eventTypes: ['management.webhook.created.v1'], projectId };
  const preview = {
    connectionId,
    actor: { kind: 'TENANT', tenantId },
    referencedEntities: [{ table: 'orders' }],
  };
  const past = new URLSearchParams({ userId: orgUserId, at: new Date().toISOString() }).toString();

  const requests = {
    directory: (headers) => admin.get('/tenants', headers),
    access: (headers) => admin.patch(`/dashboards/${id}`, { title: unique('Probed') }, headers),
    semantics: (headers) => admin.get('/api/v1/domains', headers),
    policy: (headers) => admin.get(`${securityPath(api)}/definitions`, headers),
    lifecycle: validate,
    audit: (headers) => admin.get('/audit-events?limit=1', headers),
  } satisfies Record<ServiceName, Probe['send']>;
  const names = Object.keys(requests) as ServiceName[];
  const probe = (part: Probe['part'], dependency: Probe['dependency'], send: Probe['send']) => ({
    part,
    dependency,
    isRead: send !== requests.access && !(part === 'gateway' && send === validate),
    send,
  });
  const probes = [
    ...names.map((name) => probe('gateway', name, requests[name])),
    ...names
      // Validation keeps nothing: it asks other services.
      .filter((name) => name !== 'lifecycle')
      .map((name) => probe(name, 'mongodb', requests[name])),
    probe('directory', 'semantics', () => answerOf(api, { ...api.project, semanticDomainAccess })),
    probe('directory', 'access', () => answerOf(api, { dashboardId: id, dashboardSecret: secret })),
    probe('access', 'directory', (headers) => admin.post(`/dashboards/${id}/share`, share, headers)),
    probe('access', 'audit', (headers) => admin.get(`/dashboards/${id}/access?${past}`, headers)),
    probe('semantics', 'policy', async (headers) =>
      admin.delete(`/api/v1/connections/${await createStaticConnection(admin)}`, undefined, headers),
    ),
    probe('policy', 'directory', (headers) => admin.post(`${securityPath(api)}/preview`, preview, headers)),
    probe('lifecycle', 'access', validate),
    probe('lifecycle', 'semantics', validate),
    probe('lifecycle', 'directory', (headers) =>
      admin.get(`/dashboards/${id}/migrate/analysis?targetProjectId=${projectId}`, headers),
    ),
    probe('audit', 'directory', (headers) => admin.post('/webhooks', webhook, headers)),
  ];
  return { dashboardId: id, probes };
}

async function answerOf(api: Api, request: Record<string, unknown>): Promise<Answer> {
  return { ...(await api.requestToken(request)), body: {} };
}
