import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routes } from '@gatehouse/contract';
import { createApi, sendRequest, succeeded, unique, type Api } from '../api.js';
import { securityPath } from '../policyRecords.js';
import { createConnection } from '../semanticRecords.js';
import type { TestServer } from '../servers.js';
import { createWebhook } from '../webhookRecords.js';

/** Texts that callers have sent or received, each of a kind that must never appear in a trace or a metric. */
export type Planted = Record<string, string>;

/** The trace id that a caller sends. */
export const STRANGERS_TRACE = '0af7651916cd43dd8448eb211c80319c';

/** A receiver of webhooks that takes all. */
async function startHook(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/planted-hook-path`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * A statement that is compiled for a tenant, by a rule with a parameter, on a connection of either dialect.
 */
async function previewQueries(api: Api, tenantId: string): Promise<void> {
  for (const dialect of ['postgres', 'mysql']) {
    const connection = await createConnection(api.admin, { config: { dialect } });
    const base = securityPath(api);
    const definition = {
      connectionId: connection.id,
      name: unique('Definition'),
      rlsConfig: {
        rules: [
          {
            matcher: { type: 'TABLE_LIST', tables: [{ table: 'orders' }] },
            expression: "'{{ secretValue }}' <> 'planted-rule-literal'",
          },
        ],
      },
    };
    await api.admin.post(`${base}/definitions`, definition);
    const question = {
      connectionId: connection.id,
      actor: { kind: 'TENANT', tenantId },
      sql: "SELECT id FROM orders WHERE 'planted-sql-literal' = 'x'",
    };
    for (let times = 0; times < 2; times += 1)
      succeeded(await api.admin.post(`${base}/preview`, question, { 'x-request-id': 'planted-request-id' }));
  }
}

/** Requests every route without a token, so that each has been used. */
async function touchRoutes(baseUrl: string): Promise<void> {
  for (const { method, path } of routes)
    await sendRequest(baseUrl, [method, path.replaceAll(/\{\w+\}/g, 'planted-path-id')]);
}

/**
 * A sample of everything that is counted or traced: records, decisions of both kinds, previews, webhooks,
 * rejected tokens. Returns the planted texts.
 */
export async function sendTraffic(server: TestServer): Promise<Planted> {
  const api = await createApi(server.credentials);
  await using hook = await startHook();
  await createWebhook(api.admin, { url: hook.url, eventTypes: ['management.dashboard.created.v1'] });
  const tenant = await api.createTenant({ name: 'planted-tenant-name' });
  const user = await api.createTenantUser(tenant.id, 'VIEWER', { email: 'planted-email@example.com' });
  const viewer = await api.openSession({ endUserEmail: user.email, tenantId: tenant.id });
  const fields = { title: 'planted-title', description: 'planted-description' };
  const dashboard = await api.createDashboard(api.admin, fields);
  await viewer.get(`/dashboards/${dashboard.id}`);
  await api.share(api.admin, dashboard.id, [
    { scope: 'specific_tenant_user', tenantUserId: user.id, role: 'VIEWER' },
  ]);
  succeeded(await viewer.get(`/dashboards/${dashboard.id}`));
  await viewer.delete(`/dashboards/${dashboard.id}`);
  await api.admin.get(`/dashboards/${dashboard.id}/access?userId=${user.id}`);
  await api.admin.patch(`/dashboards/${dashboard.id}`, { title: 'planted-new-title' });
  const traceparent = `00-${STRANGERS_TRACE}-b7ad6b7169203331-01`;
  await api.admin.get('/dashboards?search=planted-search', { traceparent });
  await api.requestToken({ projectId: 'planted-project-id', projectSecret: 'planted-project-secret' });
  await previewQueries(api, tenant.id);
  await touchRoutes(server.baseUrl);
  await sendRequest(server.baseUrl, ['GET', '/planted-unknown-path']);
  return {
    ids: 'planted-',
    token: viewer.token,
    signature: viewer.token.split('.')[2] ?? '',
    secret: server.credentials.projectSecret,
    dashboardSecret: dashboard.secret,
    dashboardId: dashboard.id,
    userId: user.id,
    organizationId: server.credentials.organizationId,
    projectId: server.credentials.projectId,
  };
}
