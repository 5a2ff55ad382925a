import { mkdtemp } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@gatehouse/client';
import { childEnvironment, createLog, readConfig } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDataDirectory } from '../dataDirectory.js';
import type { RunningForm } from '../program.js';
import { startStandalone } from '../standalone.js';
import { createStopSequence } from '../stopSequence.js';
import { openDemo, type Demo } from './demo.js';
import { loadDemo, type LoadParts } from './load.js';
import { demoNames } from './organization.js';

/** Each load is interrupted after so many more changes than the one before. */
const CHANGES_MORE = 12;

const stops = createStopSequence();
let dataDir: string;
let running: RunningForm;
let demo: Demo;

const configOf = (changes: Record<string, string>) =>
  readConfig(
    childEnvironment({ PORT: '0', LOG_LEVEL: 'fatal', MONGODB_URL: '', NATS_URL: '', DEMO: '0', ...changes }),
  );

/** Runs before a platform, and rejects every change after the first `limit`. */
async function startGate(target: string, limit: number): Promise<{ server: Server; url: string }> {
  let changes = 0;
  const server = createServer((request, response) => {
    if (request.method !== 'GET') changes += 1;
    if (changes > limit) {
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"Interrupted"}');
      return;
    }
    void forward(target, request).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function forward(target: string, request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
  return fetch(target + request.url, {
    method: request.method ?? 'GET',
    headers: { 'content-type': type, ...(authorization && { authorization }) },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-interrupted-'));
  const log = createLog('demo', configOf({}));
  const directory = await openDataDirectory(join(dataDir, 'servers'));
  const opened = await openDemo(directory, { config: configOf({ DEMO: '1' }), log, stops });
  if (opened === null) throw new Error('There is no demo');
  demo = opened;
  const hosts = { CONNECTION_HOSTS: demo.connectionHosts, WEBHOOK_HOSTS: demo.webhookHosts };
  const limits = { RATE_LIMIT: '0', RATE_LIMIT_TOKEN: '0' };
  running = await startStandalone(configOf({ DATA_DIR: join(dataDir, 'platform'), ...hosts, ...limits }));
  // The groups of the demo have this member.
  const admin = await signInAdmin();
  await admin.updateOrgUser({ id: running.credentials.adminOrgUserId, email: demoNames.adminEmail });
});
afterAll(async () => {
  await running.stop();
  await stops.run();
  await removeDataDir(dataDir);
});

async function signInAdmin(): Promise<Client> {
  const { baseUrl, projectId, projectSecret, adminOrgUserId: orgUserId } = running.credentials;
  const { accessToken } = await createClient({ baseUrl }).issueToken({ projectId, projectSecret, orgUserId });
  return createClient({ baseUrl, accessToken });
}

/** The numbers of records, and of the grants and assignments in them. */
async function countRecords(admin: Client) {
  const { projectId } = running.credentials;
  const [{ data: definitions }, { data: assignments }] = await Promise.all([
    admin.listPolicyDefinitions({ projectId }),
    admin.listPolicyAssignments({ projectId }),
  ]);
  const tests = definitions.map(({ definition: { id: definitionId } }) =>
    admin.listPolicyTests({ projectId, definitionId }),
  );
  const { dashboards } = await admin.listDashboards({ scope: 'organization', limit: 100 });
  const { groups } = await admin.listGroups({});
  return {
    dashboards: dashboards.map(({ title, description }) => `${title}: ${description}`).toSorted(),
    visuals: (await admin.listVisuals({ scope: 'organization' })).visuals.length,
    groups: groups.map(({ name, memberCount }) => `${name}: ${memberCount}`).toSorted(),
    users: (await admin.listUnifiedUsers({})).total,
    tenants: (await admin.listTenants({})).total,
    domains: (await admin.listDomains()).domains.map(({ name, version }) => `${name} ${version}`),
    dataModels: (await admin.listDatamodels()).datamodels.length,
    connections: (await admin.listConnections()).connections.map(({ catalogVersion }) => catalogVersion),
    webhooks: (await admin.listWebhooks()).webhooks.length,
    projects: (await admin.listProjects()).projects.length,
    assignments: assignments.map(({ definition }) => definition.name).toSorted(),
    tests: (await Promise.all(tests)).flatMap(({ data }) => data.map(({ name }) => name)).toSorted(),
  };
}

it('completes a load that was interrupted any number of times, without duplicates', async () => {
  const { baseUrl } = running.credentials;
  let { settings } = demo;
  let interruptions = 0;
  for (let limit = CHANGES_MORE; ; limit += CHANGES_MORE) {
    const gate = await startGate(baseUrl, limit);
    const parts: LoadParts = {
      baseUrl: gate.url,
      credentials: running.credentials,
      settings,
      servers: demo.servers,
      saveStaging: async (staging) => void (settings = { ...settings, staging }),
    };
    const isComplete = await loadDemo(parts).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ status: 403 });
        return false;
      },
    );
    gate.server.closeAllConnections();
    await once(gate.server.close(), 'close');
    if (isComplete) break;
    interruptions += 1;
  }
  expect(interruptions).toBeGreaterThan(2);
  const counts = await countRecords(await signInAdmin());
  expect(counts).toMatchObject({
    visuals: 3,
    users: 12,
    tenants: 4,
    dataModels: 1,
    webhooks: 1,
    projects: 2,
  });
  expect(counts.dashboards).toHaveLength(12);
  expect(new Set(counts.dashboards).size).toBe(12);
  expect(counts.connections).toEqual([2]);
  expect(counts.domains).toEqual(['retail_marketing 2', 'retail_sales 2']);
  expect(counts.groups).toEqual(['Governance: 1', 'Revenue team: 3', 'Store managers: 3']);
  expect(counts.assignments).toHaveLength(11);
  expect(counts.tests).toHaveLength(5);
  expect(counts.dashboards).toContain(
    'Revenue overview: Revenue of all customers; its chart is a saved visual, ' +
      'visible to all viewers of the dashboard',
  );
});
