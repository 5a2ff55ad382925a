import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { addTenantUser, type Person } from './src/people.js';
import { createDefinition, createPolicyTest, securityPath } from './src/policyRecords.js';
import { createResource, DASHBOARDS, pathOf, shareResource, VISUALS } from './src/resourceKinds.js';
import {
  createAssistantProfile,
  createConnection,
  createDatamodel,
  createDomain,
} from './src/semanticRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { createWebhook, WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const COUNT = 5;
const times = async <T>(make: (index: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let index = 0; index < COUNT; index += 1) made.push(await make(index));
  return made;
};

let server: TestServer;
let api: Api;
let viewer: Person;
let ids: Record<'connection' | 'otherConnection' | 'definition' | 'dashboard' | 'group' | 'tenant', string>;

interface Page {
  nextCursor?: string | null;
  [field: string]: unknown;
}

/** The items of a page: those of all of its arrays. */
const itemsOf = (page: Page) => Object.values(page).flatMap((value) => (Array.isArray(value) ? value : []));

const writeQuery = (query: Record<string, string | number>) =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

async function readPage(path: string, query: Record<string, string | number>): Promise<Page> {
  return succeeded(await api.admin.get<Page>(`${path}?${writeQuery(query)}`));
}

/** All items of a list, read in parts of this size. */
async function walk(path: string, limit: number, query: Record<string, string> = {}): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await readPage(path, { ...query, limit, ...(cursor ? { cursor } : {}) });
    const found = itemsOf(page);
    expect(found.length).toBeLessThanOrEqual(limit);
    items.push(...found);
    cursor = page.nextCursor;
  } while (cursor);
  return items;
}

beforeAll(async () => {
  server = await startTestStandalone(WEBHOOK_SETTINGS);
  api = await createApi(server.credentials);
  const { admin } = api;
  const [connection, otherConnection] = [await createConnection(admin), await createConnection(admin)];
  await times(() => createConnection(admin));
  await times(() => createDomain(admin));
  await times(() => createDatamodel(admin, connection.id));
  await times(() => createAssistantProfile(admin));
  await times(() => createWebhook(admin));
  await times(() => api.createProject());
  const { id: tenant } = await api.createTenant();
  viewer = await addTenantUser(api, tenant, 'VIEWER');
  const definitions = await times(() => createDefinition(api, connection.id));
  const definition = definitions[0]?.id ?? '';
  await createDefinition(api, otherConnection.id);
  await times(() => createPolicyTest(api, definition, tenant));
  for (const { id: definitionId } of definitions) {
    const body = { definitionId, scopeType: 'TENANT', tenantId: tenant };
    succeeded(await admin.post(`${securityPath(api)}/assignments`, body));
  }
  succeeded(
    await admin.post(`${securityPath(api)}/assignments`, {
      definitionId: definition,
      scopeType: 'TENANT_USER',
      tenantUserId: viewer.id,
    }),
  );
  const group = (await api.createGroup()).id;
  const dashboards = await times(() => createResource(DASHBOARDS, admin));
  const visuals = await times(() => createResource(VISUALS, admin));
  const toGroup = [{ scope: 'group', groupId: group, role: 'VIEWER' }];
  for (const { id } of dashboards) await shareResource(DASHBOARDS, id, { by: admin, shares: toGroup });
  for (const { id } of visuals) await shareResource(VISUALS, id, { by: admin, shares: toGroup });
  const dashboard = dashboards[0]?.id ?? '';
  await shareResource(DASHBOARDS, dashboard, {
    by: admin,
    shares: [
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
      { scope: 'all_tenant_users', tenantId: tenant, role: 'VIEWER' },
      { scope: 'specific_tenant_user', tenantUserId: viewer.id, role: 'VIEWER' },
    ],
  });
  const [first, second] = [connection.id, otherConnection.id];
  ids = { connection: first, otherConnection: second, definition, dashboard, group, tenant };
});
afterAll(() => server[Symbol.asyncDispose]());

const LISTS: Record<string, () => string> = {
  projects: () => '/projects',
  connections: () => '/api/v1/connections',
  domains: () => '/api/v1/domains',
  'managed domains': () => '/domains',
  'data models': () => '/api/v1/datamodels',
  'assistant profiles': () => '/api/v1/assistant-profiles',
  webhooks: () => '/webhooks',
  'policy definitions': () => `${securityPath(api)}/definitions`,
  'policy assignments': () => `${securityPath(api)}/assignments`,
  'policy tests': () => `${securityPath(api)}/definitions/${ids.definition}/tests`,
  'group permissions': () => `/groups/${ids.group}/permissions`,
  shares: () => pathOf(DASHBOARDS, ids.dashboard, '/shares'),
};

describe.each(Object.entries(LISTS))('the list of %s', (_, findPath) => {
  it('has the same items in parts of every size, each of them once', async () => {
    const path = findPath();
    const whole = await walk(path, 1000);
    expect(whole.length).toBeGreaterThanOrEqual(COUNT);
    for (const limit of [1, 2, 3]) {
      const inParts = await walk(path, limit);
      expect(new Set(inParts.map((item) => JSON.stringify(item))).size).toBe(whole.length);
      expect(inParts).toEqual(expect.arrayContaining(whole));
    }
  });

  it.each<Record<string, string | number>>([
    { limit: 0 },
    { limit: 1001 },
    { cursor: 'x' },
    { cursor: 'WzFd' },
    { cursor: 'WyJhIiwiYiIsImMiXQ' },
  ])('rejects %j', async (query) => {
    expect((await api.admin.get(`${findPath()}?${writeQuery(query)}`)).status).toBe(400);
  });
});

describe('policy lists', () => {
  const definitionIds = (items: unknown[]) =>
    (items as { definition: { id: string } }[]).map(({ definition: { id } }) => id);

  it('select definitions by connection and by actor', async () => {
    const path = `${securityPath(api)}/definitions`;
    expect(await walk(path, 2, { connectionId: ids.otherConnection })).toHaveLength(1);
    expect(await walk(path, 2, { tenantId: ids.tenant })).toHaveLength(COUNT);
    expect(definitionIds(await walk(path, 2, { tenantUserId: viewer.id }))).toEqual([ids.definition]);
    expect(await walk(path, 2, { tenantId: ids.tenant, connectionId: ids.otherConnection })).toEqual([]);
  });

  it('select assignments by definition, connection and actor', async () => {
    const path = `${securityPath(api)}/assignments`;
    expect(await walk(path, 2, { definitionId: ids.definition })).toHaveLength(2);
    expect(await walk(path, 2, { connectionId: ids.otherConnection })).toEqual([]);
    expect(await walk(path, 2, { tenantUserId: viewer.id })).toHaveLength(1);
    expect(await walk(path, 2, { scopeType: 'TENANT' })).toHaveLength(COUNT);
    const two = `${path}?tenantId=${ids.tenant}&tenantUserId=${viewer.id}`;
    expect((await api.admin.get(two)).status).toBe(400);
  });

  it('name the definition of an assignment, and embed it with include', async () => {
    const path = `${securityPath(api)}/assignments`;
    const [named] = (await walk(path, 1000)) as { definition: Record<string, unknown> }[];
    expect(Object.keys(named?.definition ?? {})).toEqual(['id', 'name']);
    const [embedded] = (await walk(path, 1000, { include: 'definition' })) as (typeof named)[];
    expect(embedded?.definition).toMatchObject({ rlsConfig: expect.anything() as unknown });
  });
});
