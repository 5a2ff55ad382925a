import type { ServiceName } from '@gatehouse/contract';
import { succeeded, unique, type Answer, type Api } from '../api.js';
import { createDefinition, securityPath } from '../policyRecords.js';
import { uniqueDomainName } from '../semanticRecords.js';
import { createStaticConnection, templateOf, cardOf, VALIDATE } from '../validationWorld.js';
import { SERVICES, type Hop } from './hops.js';

type Send = (headers: Record<string, string>) => Promise<Answer>;

/** A request that cannot be answered without one dependency of one part. */
export interface Probe extends Hop {
  /** Whether the call that fails is a read by its contract. */
  isRead: boolean;
  /** Whether the request changes the dashboard. */
  isSave: boolean;
  send: Send;
}

/** The resources of the probes. */
export interface ProbeWorld {
  dashboardId: string;
  probes: Probe[];
}

interface Records {
  dashboard: { id: string; secret: string };
  connectionId: string;
  definitionId: string;
  tenantId: string;
  orgUserId: string;
  otherProjectId: string;
  domainName: string;
}

async function makeRecords(api: Api): Promise<Records> {
  const { admin } = api;
  const connectionId = await createStaticConnection(admin, { orders: ['id', 'region'] });
  const template = templateOf(cardOf(connectionId, 'orders', 'id')) as never;
  const domainName = uniqueDomainName();
  succeeded(await admin.post('/api/v1/domains', { name: domainName }));
  succeeded(await admin.put('/version-control', { commitOnSave: 'optional' }));
  return {
    dashboard: await api.createDashboard(admin, { template }),
    connectionId,
    definitionId: (await createDefinition(api, connectionId)).id,
    tenantId: (await api.createTenant()).id,
    orgUserId: (await api.createOrgUser('VIEWER')).id,
    otherProjectId: (await api.createProject()).projectId,
    domainName,
  };
}

/** Creates the resources of the probes. */
export async function makeProbes(api: Api): Promise<ProbeWorld> {
  const records = await makeRecords(api);
  const { id } = records.dashboard;
  const requests = requestsOf(api, id);
  const ofGateway = SERVICES.map((name): Probe => {
    const isRead = name !== 'access' && name !== 'lifecycle';
    return { part: 'gateway', dependency: name, send: requests[name], isRead, isSave: name === 'access' };
  });
  const ofStores = SERVICES.map((name): Probe => {
    // Validation stores nothing: it calls other services.
    const send: Send =
      name === 'lifecycle' ? (headers) => api.admin.get('/version-control', headers) : requests[name];
    return { part: name, dependency: 'mongodb', send, isRead: name !== 'access', isSave: false };
  });
  return { dashboardId: id, probes: [...ofGateway, ...ofStores, ...probesBetween(api, records)] };
}

function requestsOf(api: Api, dashboardId: string): Record<ServiceName, Send> {
  const { admin } = api;
  const title = () => ({ title: unique('Probed') });
  return {
    directory: (headers) => admin.get('/tenants', headers),
    access: (headers) => admin.patch(`/dashboards/${dashboardId}`, title(), headers),
    semantics: (headers) => admin.get('/api/v1/domains', headers),
    policy: (headers) => admin.get(`${securityPath(api)}/definitions`, headers),
    lifecycle: (headers) => admin.post(VALIDATE, { dashboardId }, headers),
    audit: (headers) => admin.get('/audit-events?limit=1', headers),
  };
}

/**
 * The calls between services. A request with several calls comes after those that need fewer of them: the
 * n-th of each service can be faulted in parallel.
 */
function probesBetween(api: Api, records: Records): Probe[] {
  const { admin } = api;
  const { connectionId, tenantId, orgUserId: userId } = records;
  const { id: dashboardId, secret: dashboardSecret } = records.dashboard;
  const path = `/dashboards/${dashboardId}`;
  const semanticDomainAccess = { mode: 'include', domains: [records.domainName] };
  const share = { shares: [{ scope: 'specific_org_user', orgUserId: userId, role: 'VIEWER' }] };
  const referencedEntities = [{ table: 'orders' }];
  const preview = { connectionId, actor: { kind: 'TENANT', tenantId }, referencedEntities };
  const past = new URLSearchParams({ userId, at: new Date().toISOString() }).toString();
  const webhook = {
    url: 'http://127.0.0.1:9/',
    eventTypes: ['management.webhook.created.v1'],
    projectId: records.otherProjectId,
  };
  const read = (part: ServiceName, dependency: ServiceName, send: Send): Probe => ({
    part,
    dependency,
    isRead: true,
    isSave: false,
    send,
  });
  const commit: Send = (headers) =>
    admin.patch(path, { title: unique('Probed'), commitMessage: unique('Probed') }, headers);
  return [
    read('directory', 'semantics', () => askToken(api, { ...api.project, semanticDomainAccess })),
    read('directory', 'access', () => askToken(api, { dashboardId, dashboardSecret })),
    { part: 'access', dependency: 'lifecycle', isRead: false, isSave: true, send: commit },
    read('access', 'directory', (headers) => admin.post(`${path}/share`, share, headers)),
    read('access', 'audit', (headers) => admin.get(`${path}/access?${past}`, headers)),
    read('semantics', 'policy', async (headers) =>
      admin.delete(`/api/v1/connections/${await createStaticConnection(admin)}`, undefined, headers),
    ),
    read('policy', 'semantics', (headers) =>
      admin.get(`${securityPath(api)}/definitions/${records.definitionId}`, headers),
    ),
    read('policy', 'directory', (headers) => admin.post(`${securityPath(api)}/preview`, preview, headers)),
    read('lifecycle', 'access', (headers) => admin.get(`${path}/versions`, headers)),
    read('lifecycle', 'semantics', (headers) => admin.post(VALIDATE, { dashboardId }, headers)),
    read('lifecycle', 'directory', (headers) =>
      admin.get(`${path}/migrate/analysis?targetProjectId=${records.otherProjectId}`, headers),
    ),
    read('audit', 'directory', (headers) => admin.post('/webhooks', webhook, headers)),
  ];
}

async function askToken(api: Api, request: Record<string, unknown>): Promise<Answer> {
  return { ...(await api.requestToken(request)), body: {} };
}
