import { randomUUID } from 'node:crypto';
import { succeeded, unique, type Api, type Session } from '../api.js';
import { createDefinition, securityPath, testBody } from '../policyRecords.js';
import { createConnection } from '../semanticRecords.js';
import { createWebhook } from '../webhookRecords.js';
import type { Flood, FloodRequest } from './flood.js';

/** Who exhausts a capacity. */
export const ATTACKERS = ['unauthenticated', 'one token', 'one organization'] as const;
export type Attacker = (typeof ATTACKERS)[number];

/** Servers of the test's own that attackers may reach. */
export interface Receivers {
  /** Accepts connections and never sends anything. */
  silentPort: number;
}

/** What an attacker has: its organization, and the tokens that it uses. */
export interface Assault {
  api: Api;
  sessions: readonly Session[];
  receivers: Receivers;
}

/** How a capacity is exhausted. */
export interface Capacity {
  name: string;
  /** Without a token; or why that does not exist. */
  stranger: (() => Flood) | string;
  /** With the tokens of an organization. */
  caller: (assault: Assault) => Promise<Flood>;
}

const MANAGEMENT = '/api/management/v1';
const CONNECTIONS = 128;
/** More than any server answers in the time of a row. */
const REQUESTS_MAX = 20_000;
const NEEDS_TOKEN = 'every route to it needs a token: without one nothing reaches it';
const MEGABYTE = 1_000_000;

const plain = { 'content-type': 'application/json' };

/** The same requests by each of the tokens. */
function byEach(
  { sessions }: Assault,
  request: (session: Session, index: number) => Omit<FloodRequest, 'headers'>,
): FloodRequest[] {
  return sessions.map((session, index) => ({
    ...request(session, index),
    headers: { ...plain, authorization: `Bearer ${session.token}` },
  }));
}

const flood = (requests: readonly FloodRequest[], connections = CONNECTIONS): Flood => ({
  requests,
  connections,
  requestsMax: REQUESTS_MAX,
});
const holding = (held: string, connections = 600): Flood => ({
  requests: [],
  held,
  connections,
  requestsMax: REQUESTS_MAX,
});

/** What makes the restriction of a statement as long as it may be, another one each time. */
function heavySql(): string {
  const joins = Array.from(
    { length: 40 },
    (_, index) => `JOIN orders o${index + 1} ON o${index + 1}.id = o0.id`,
  );
  return `SELECT ${'o0.id, '.repeat(200)}@ FROM orders o0 ${joins.join(' ')}`;
}

/** A template of about a megabyte: many cards, each with a column that there is not. */
function heavyTemplate(connectionId: string): unknown {
  const card = (index: number) => ({
    id: `card_${index}`,
    title: `Card ${index}`,
    type: 'table',
    dataSource: { connectionId, mode: 'database', selectedEntities: [{ table: 'orders' }] },
    fields: {
      columns: Array.from({ length: 20 }, (_, column) => ({ column: `missing_${index}_${column}` })),
    },
  });
  // As many issues as one template may have.
  const cards = Array.from({ length: 500 }, (_, index) => card(index));
  return { sheets: [{ id: 's', title: 'S', frames: [{ id: 'f', cards }] }] };
}

/** A template with one card for each connection. */
function smallTemplate(connectionIds: readonly string[]) {
  const cards = connectionIds.map((connectionId, index) => ({
    id: `card_${index}`,
    title: `Card ${index}`,
    type: 'table',
    dataSource: { connectionId, mode: 'database', selectedEntities: [{ table: 'orders' }] },
    fields: { columns: [{ column: 'missing' }] },
  }));
  return { sheets: [{ id: 's', title: 'S', frames: [{ id: 'f', cards }] }] };
}

/** A token request, with the right secret or a wrong one. */
const tokenRequest = (body: Record<string, unknown>): FloodRequest => ({
  method: 'POST',
  path: '/api/v1/token',
  headers: plain,
  body: JSON.stringify(body),
});

const headOf = (authorization: string, path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: gatehouse\r\n${authorization}Content-Type: application/json\r\n`;

/** A connection, and an actor whose statements a policy restricts. */
async function govern({ api }: Assault) {
  const { id: connectionId } = await createConnection(api.admin);
  const { id: definitionId } = await createDefinition(api, connectionId);
  const assignment = { definitionId, scopeType: 'ALL_TENANTS' };
  succeeded(await api.admin.post(`${securityPath(api)}/assignments`, assignment));
  const { id: tenantId } = await api.createTenant();
  return { connectionId, actor: { kind: 'TENANT', tenantId } };
}

/** Every capacity of the platform that callers share. */
export const CAPACITIES: readonly Capacity[] = [
  {
    name: 'requests in flight',
    stranger: () =>
      flood([
        { method: 'GET', path: `${MANAGEMENT}/dashboards`, headers: {} },
        { method: 'GET', path: '/openapi.json', headers: {} },
      ]),
    async caller(assault) {
      return flood([
        ...byEach(assault, () => ({ method: 'GET', path: `${MANAGEMENT}/dashboards?limit=500` })),
        ...byEach(assault, () => ({
          method: 'POST',
          path: `${MANAGEMENT}/dashboards`,
          body: '{"title":"@"}',
        })),
      ]);
    },
  },
  {
    name: 'SQL workers',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const body = JSON.stringify({ ...(await govern(assault)), sql: heavySql() });
      const path = `${MANAGEMENT}${securityPath(assault.api)}/preview`;
      return flood(byEach(assault, () => ({ method: 'POST', path, body })));
    },
  },
  {
    name: 'SQL batches',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const statements = Array.from({ length: 100 }, () => ({ sql: heavySql() }));
      const body = JSON.stringify({ ...(await govern(assault)), statements });
      const compiler = await assault.api.openSession({ scope: 'sql:compile' });
      const path = `${MANAGEMENT}/sql:compile`;
      const batch = () => ({ method: 'POST', path, body });
      return flood(byEach({ ...assault, sessions: assault.sessions.map(() => compiler) }, batch));
    },
  },
  {
    name: 'checked batches',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const operations = Array.from({ length: 500 }, (_, index) => ({ op: 'create', title: `New ${index}` }));
      const path = `${MANAGEMENT}/dashboards:batch?validateOnly=true`;
      const body = JSON.stringify({ mode: 'atomic', operations });
      return flood(byEach(assault, () => ({ method: 'POST', path, body })));
    },
  },
  {
    name: 'access checks',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { id: resourceId } = await assault.api.createDashboard(assault.api.admin);
      const check = { resourceType: 'dashboard', resourceId, level: 'OWNER' };
      const body = JSON.stringify({ reasons: true, checks: Array.from({ length: 1000 }, () => check) });
      return flood(byEach(assault, () => ({ method: 'POST', path: `${MANAGEMENT}/access:check`, body })));
    },
  },
  {
    name: 'introspections',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const config = {
        host: '127.0.0.1',
        port: assault.receivers.silentPort,
        database: 'd',
        user: 'u',
        tls: 'disable',
      };
      const ids: string[] = [];
      for (const _ of assault.sessions)
        ids.push(
          (await createConnection(assault.api.admin, { type: 'postgres', config, catalog: undefined })).id,
        );
      const pathOf = (index: number) => `/api/v1/connections/${ids[index]}/introspect`;
      return flood(
        byEach(assault, (_, index) => ({ method: 'POST', path: pathOf(index), body: '{}' })),
        520,
      );
    },
  },
  {
    name: 'deliveries',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { admin } = assault.api;
      const url = `http://127.0.0.1:${assault.receivers.silentPort}/hook`;
      for (let count = 0; count < 20; count += 1)
        await createWebhook(admin, { url, eventTypes: ['management.tenant.created.v1'] });
      return flood(
        byEach(assault, () => ({
          method: 'POST',
          path: `${MANAGEMENT}/tenants`,
          body: '{"name":"Tenant @"}',
        })),
      );
    },
  },
  {
    name: 'policy tests',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { api } = assault;
      const { id: connectionId } = await createConnection(api.admin);
      const { id: definitionId } = await createDefinition(api, connectionId);
      const { id: tenantId } = await api.createTenant();
      const rows = Array.from({ length: 2000 }, (_, id) => ({ id, total: id }));
      const path = `${securityPath(api)}/definitions/${definitionId}/tests`;
      const heavy = {
        ...testBody(tenantId),
        sql: 'SELECT a.id FROM orders a, orders b',
        sampleData: { tables: [{ table: 'orders', rows }] },
        expect: { status: 'compiled' },
      };
      await api.admin.post(path, heavy);
      return flood(byEach(assault, () => ({ method: 'POST', path: `${MANAGEMENT}${path}:run`, body: '{}' })));
    },
  },
  {
    name: 'validations',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { id } = await createConnection(assault.api.admin);
      const options = { includeSuggestions: true, includeAvailableColumns: true };
      const body = JSON.stringify({ template: heavyTemplate(id), options });
      return flood(
        byEach(assault, () => ({ method: 'POST', path: '/api/v1/dashboard/validate', body })),
        64,
      );
    },
  },
  {
    name: 'validations of all dashboards',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { api } = assault;
      const connections = await Promise.all(Array.from({ length: 50 }, () => createConnection(api.admin)));
      const template = smallTemplate(connections.map(({ id }) => id));
      await Promise.all(Array.from({ length: 60 }, () => api.createDashboard(api.admin, { template })));
      return flood(
        byEach(assault, () => ({ method: 'POST', path: '/api/v1/dashboard/validate-all', body: '{}' })),
        64,
      );
    },
  },
  {
    name: 'migrations',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { api } = assault;
      const { projectId: targetProjectId } = await api.createProject();
      const template = { filler: 'x'.repeat(MEGABYTE / 2) };
      const { id } = await api.createDashboard(api.admin, { template });
      const path = `${MANAGEMENT}/dashboards/${id}/migrate`;
      const body = JSON.stringify({ targetProjectId, connectionMapping: {} });
      return flood(
        byEach(assault, () => ({ method: 'POST', path, body })),
        64,
      );
    },
  },
  {
    name: 'compression',
    stranger: () =>
      flood(
        ['br', 'gzip', 'deflate'].map((encoding) => ({
          method: 'GET',
          path: '/openapi.json',
          headers: { 'accept-encoding': encoding },
        })),
      ),
    async caller(assault) {
      const { api } = assault;
      const words = Array.from({ length: 40_000 }, () => randomUUID().slice(0, 8)).join(' ');
      const { id } = await api.createDashboard(api.admin, { template: { words }, isPrivate: false });
      const path = `${MANAGEMENT}/dashboards/${id}`;
      const requests = ['br', 'gzip', 'deflate'].flatMap((encoding) =>
        byEach(assault, () => ({ method: 'GET', path })).map(({ headers, ...request }) => ({
          ...request,
          headers: { ...headers, 'accept-encoding': encoding },
        })),
      );
      return flood(requests);
    },
  },
  {
    name: 'reads of large dashboards',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const { api } = assault;
      const template = { filler: 'x'.repeat(MEGABYTE) };
      const created = await Promise.all(
        Array.from({ length: 16 }, () => api.createDashboard(api.admin, { template, isPrivate: false })),
      );
      return flood(
        created.flatMap(({ id }) =>
          byEach(assault, () => ({ method: 'GET', path: `${MANAGEMENT}/dashboards/${id}` })),
        ),
      );
    },
  },
  {
    name: 'storage',
    stranger: NEEDS_TOKEN,
    async caller(assault) {
      const body = JSON.stringify({ title: unique('Large'), template: { filler: 'x'.repeat(MEGABYTE) } });
      return flood(
        byEach(assault, () => ({ method: 'POST', path: `${MANAGEMENT}/dashboards`, body })),
        64,
      );
    },
  },
  {
    name: 'open bodies',
    stranger: () => holding(`${headOf('', '/api/v1/token')}Content-Length: 100\r\n\r\n{`),
    async caller({ sessions }) {
      const authorization = `Authorization: Bearer ${sessions[0]?.token}\r\n`;
      return holding(`${headOf(authorization, `${MANAGEMENT}/dashboards`)}Content-Length: 100\r\n\r\n{`);
    },
  },
  {
    name: 'open connections',
    stranger: () => holding('GET / HTTP/1.1\r\nHost: gatehouse\r\nX-Slow: ', 1500),
    async caller({ sessions }) {
      const authorization = `Authorization: Bearer ${sessions[0]?.token}\r\n`;
      return holding(`GET / HTTP/1.1\r\nHost: gatehouse\r\n${authorization}X-Slow: `, 1500);
    },
  },
  {
    name: 'token requests',
    stranger: () => flood([tokenRequest({ projectId: 'p_none', projectSecret: 'wrong @' })]),
    async caller({ api, sessions }) {
      const projects = [api.project];
      while (projects.length < sessions.length) projects.push(await api.createProject());
      return flood(projects.map((project) => tokenRequest({ ...project })));
    },
  },
];

/** The tokens of an attacker: one, or those of several people in several projects. */
export async function sessionsOf(api: Api, attacker: Attacker): Promise<Session[]> {
  if (attacker !== 'one organization') return [api.admin];
  const sessions = [api.admin];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await api.createOrgUser('ADMIN');
    sessions.push(await api.openSession({ orgUserId: id }));
  }
  succeeded(await api.admin.get('/projects'));
  return sessions;
}
