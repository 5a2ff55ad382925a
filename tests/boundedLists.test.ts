import { routes } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { addOrgUser, addTenantUser, type Person } from './src/people.js';
import { createDefinition, createPolicyTest, securityPath } from './src/policyRecords.js';
import { createResource, DASHBOARDS, pathOf, shareResource, VISUALS } from './src/resourceKinds.js';
import {
  createAssistantProfile,
  createConnection,
  createDatamodel,
  createDomain,
  uniqueDomainName,
} from './src/semanticRecords.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { createWebhook, WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const COUNT = 5;
const times = async <T>(make: (index: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let index = 0; index < COUNT; index += 1) made.push(await make(index));
  return made;
};

const tableOf = (name: string) => ({ name, columns: [{ name: 'id', type: 'bigint' }] });
const TABLES = ['orders', 'a', 'b', 'c', 'd', 'e', 'f'].map(tableOf);
const LARGE = { defaultSchema: 'public', schemas: [{ name: 'public', tables: TABLES }] };

let server: TestServer;
let api: Api;
let viewer: Person;
const members: string[] = [];
let ids: Record<
  'connection' | 'otherConnection' | 'definition' | 'dashboard' | 'group' | 'tenant' | 'webhook',
  string
>;

interface Page {
  nextCursor?: string | null;
  [field: string]: unknown;
}

/** The items of a page: those of all of its arrays. */
const itemsOf = (page: Page): unknown[] =>
  Object.entries(page).flatMap(([field, value]) => {
    if (Array.isArray(value)) return value;
    return field === 'data' ? itemsOf(value as Page) : [];
  });

const addQuery = (path: string, query: Record<string, string | number>) =>
  Object.entries(query).reduce(
    (target, [name, value]) =>
      `${target}${target.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`,
    path,
  );

async function readPage(path: string, query: Record<string, string | number>): Promise<Page> {
  return succeeded(await api.admin.get<Page>(addQuery(path, query)));
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
  const [connection, otherConnection] = [
    await createConnection(admin, { catalog: LARGE }),
    await createConnection(admin),
  ];
  await times(() => createConnection(admin));
  await times(() => createDomain(admin));
  await times(() => createDatamodel(admin, connection.id));
  await times(() => createAssistantProfile(admin));
  const [webhook] = await times(() => createWebhook(admin));
  await times(() => api.createProject());
  const [tenant = ''] = (await times(() => api.createTenant())).map(({ id }) => id);
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
  for (let index = 0; index < COUNT; index += 1) {
    const user = await addTenantUser(api, tenant, 'VIEWER');
    const orgUser = await addOrgUser(api, 'VIEWER');
    members.push(user.id, orgUser.id);
    const body = { definitionId: definition, scopeType: 'TENANT_USER', tenantUserId: user.id };
    succeeded(await admin.post(`${securityPath(api)}/assignments`, body));
  }
  const [group = ''] = (await times(() => api.createGroup())).map(({ id }) => id);
  succeeded(await admin.post(`/groups/${group}/members`, { userIds: members }));
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
  ids = {
    connection: first,
    otherConnection: second,
    definition,
    dashboard,
    group,
    tenant,
    webhook: webhook?.id ?? '',
  };
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
  tenants: () => '/tenants',
  'org users': () => '/org-users',
  'tenant users': () => '/tenant-users',
  'unified users': () => '/unified-users',
  groups: () => '/groups',
  'groups by size': () => '/groups?sort=members&order=desc',
  'groups by time': () => '/groups?sort=created&order=desc',
  'group members': () => `/groups/${ids.group}/members`,
  'policy coverage': () => `${securityPath(api)}/coverage?connectionId=${ids.connection}`,
  'catalog changes': () => `/api/v1/connections/${ids.connection}/catalog/changes`,
  dashboards: () => '/dashboards',
  visuals: () => '/visuals',
};

describe.each(Object.entries(LISTS))('the list of %s', (_, findPath) => {
  it('has the same items in parts of every size, each of them once', async () => {
    const path = findPath();
    const whole = await walk(path, 100);
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
    expect((await api.admin.get(addQuery(findPath(), query))).status).toBe(400);
  });
});

describe('a made-up cursor', () => {
  const encode = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const VALUES = [
    0,
    -1,
    1.5,
    8_640_000_000_000_001,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    '',
    'a',
  ];
  const FIELDS = ['createdAt', 'nameFolded', 'dashboards', 'visuals', 'title', '$gt', null];
  const lists = routes.filter(({ method, query }) => method === 'GET' && query.includes('cursor'));

  it.each(lists.map(({ operationId, path }) => [operationId, path]))(
    'of %s is rejected or ends the list, and is never an internal error',
    async (_, path) => {
      const own = { projectId: api.project.projectId, definitionId: ids.definition };
      const id = path.includes('/groups/')
        ? ids.group
        : path.includes('/webhooks/')
          ? ids.webhook
          : path.includes('/connections/')
            ? ids.connection
            : ids.dashboard;
      const place = path.replaceAll(/\{(\w+)\}/g, (__, name: string) => ({ ...own, id })[name as 'id'] ?? id);
      const cursors = VALUES.flatMap((value) => [
        [value, 'x'],
        [value, value],
        ...FIELDS.map((field) => [field, value, 'x']),
        ...FIELDS.map((field) => [field, 'desc', value, 'x']),
        [{ $gt: '' }, value, { $gt: '' }],
      ]);
      const answers = await Promise.all(
        cursors.map((parts) => api.admin.get(`${place}?cursor=${encode(parts)}`)),
      );
      expect([...new Set(answers.map(({ status }) => status))].filter((status) => status >= 500)).toEqual([]);
    },
  );
});

describe('the cursor of a list', () => {
  it('is accepted by no other list', async () => {
    const paths = Object.values(LISTS).map((findPath) => findPath());
    const accepted: string[] = [];
    for (const path of paths) {
      const { nextCursor } = await readPage(path, { limit: 1 });
      expect({ path, nextCursor }).toEqual({ path, nextCursor: expect.any(String) as unknown });
      for (const other of paths) {
        const { status } = await api.admin.get(addQuery(other, { cursor: String(nextCursor) }));
        if (status !== 400) accepted.push(`${path} by ${other}: ${status}`);
      }
    }
    const same = paths.map((path) => `${path} by ${path}: 200`);
    // Both paths are one list.
    const domains = ['/api/v1/domains by /domains: 200', '/domains by /api/v1/domains: 200'];
    expect(accepted.toSorted()).toEqual([...same, ...domains].toSorted());
  });

  it('is accepted by no list of another resource or group', async () => {
    const [other, visual] = [
      await createResource(DASHBOARDS, api.admin),
      await createResource(VISUALS, api.admin),
    ];
    const group = await api.createGroup();
    const ofResources = (part: string) => [
      pathOf(DASHBOARDS, ids.dashboard, part),
      pathOf(DASHBOARDS, other.id, part),
      pathOf(VISUALS, visual.id, part),
    ];
    const ofGroups = [ids.group, group.id].map((id) => `/groups/${id}/permissions`);
    for (const [path = '', ...others] of [ofResources('/shares'), ofResources('/viewers'), ofGroups]) {
      const { nextCursor } = await readPage(path, { limit: 1 });
      for (const list of others) {
        const { status } = await api.admin.get(addQuery(list, { cursor: String(nextCursor) }));
        expect({ list, status }).toEqual({ list, status: 400 });
      }
    }
  });

  it('goes with no other place in the list', async () => {
    const others: Record<string, Record<string, number>[]> = {
      '/tenants': [{ offset: 1 }],
      '/org-users': [{ offset: 1 }],
      '/unified-users': [{ offset: 1 }],
      '/tenant-users': [{ offset: 0 }, { page: 0 }, { pageSize: 1 }],
      '/groups': [{ page: 2 }],
      [`/groups/${ids.group}/members`]: [{ page: 2 }],
    };
    for (const [path, queries] of Object.entries(others)) {
      const { nextCursor } = await readPage(path, { limit: 1 });
      for (const query of queries) {
        const response = await api.admin.get<{ fieldErrors: unknown }>(
          addQuery(path, { cursor: String(nextCursor), ...query }),
        );
        expect(response.status, `${path} ${JSON.stringify(query)}`).toBe(400);
        const [field = ''] = Object.keys(query);
        expect(response.body.fieldErrors).toContainEqual({
          field,
          message: 'does not go with cursor',
          code: 'conflict',
        });
      }
    }
  });

  it('continues after the record that it names, also when that record was deleted', async () => {
    const leaving = await addTenantUser(api, ids.tenant, 'VIEWER');
    const all = (await walk('/tenant-users', 100)) as { id: string }[];
    const place = all.findIndex(({ id }) => id === leaving.id);
    const { nextCursor } = await readPage('/tenant-users', { limit: place + 1 });
    succeeded(await api.admin.delete(`/tenant-users/${leaving.id}`));
    const rest = nextCursor ? itemsOf(await readPage('/tenant-users', { cursor: nextCursor })) : [];
    expect(rest).toEqual(all.slice(place + 1));
    const [first = '', ...others] = members;
    const before = (await walk(`/groups/${ids.group}/members`, 100)) as { userId: string }[];
    const part = await readPage(`/groups/${ids.group}/members`, { limit: 1 });
    expect(before[0]?.userId).toBe((itemsOf(part)[0] as { userId: string }).userId);
    const gone = before[0]?.userId ?? first;
    succeeded(await api.admin.delete(`/groups/${ids.group}/members/${gone}`));
    const later = await readPage(`/groups/${ids.group}/members`, {
      limit: 100,
      cursor: String(part.nextCursor),
    });
    expect(itemsOf(later)).toEqual(before.slice(1));
    expect(others.length).toBe(before.length - 1);
  });

  it('continues after a share that was revoked, among the shares of one grant', async () => {
    const { id } = await createResource(DASHBOARDS, api.admin);
    const shares = members.map((userId) =>
      userId.startsWith('ou_')
        ? { scope: 'specific_org_user', orgUserId: userId, role: 'VIEWER' }
        : { scope: 'specific_tenant_user', tenantUserId: userId, role: 'VIEWER' },
    );
    await shareResource(DASHBOARDS, id, { by: api.admin, shares });
    const path = pathOf(DASHBOARDS, id, '/shares');
    const part = await readPage(path, { limit: 1 });
    const [gone] = itemsOf(part) as { target: { id: string } }[];
    const revoked = shares.filter((_, index) => members[index] === gone?.target.id);
    succeeded(await api.admin.delete(pathOf(DASHBOARDS, id, '/share'), { shares: revoked }));
    const rest = itemsOf(await readPage(path, { cursor: String(part.nextCursor) }));
    expect(rest).toHaveLength(members.length - 1);
  });

  it('names no record that its caller may not see', async () => {
    const [kept, hidden] = [
      await createDomain(api.admin),
      await createDomain(api.admin, { name: `a_${uniqueDomainName()}` }),
    ];
    const limited = await api.openSession({
      orgUserId: server.credentials.adminOrgUserId,
      semanticDomainAccess: { mode: 'exclude', domains: [hidden.id] },
    });
    const outsider = await addOrgUser(api, 'VIEWER');
    const read = async (session: Session, path: string) => {
      const cursors: string[] = [];
      const items: unknown[] = [];
      let cursor: string | null | undefined;
      do {
        const page: Page = succeeded(
          await session.get<Page>(`${path}?limit=1${cursor ? `&cursor=${cursor}` : ''}`),
        );
        items.push(...itemsOf(page));
        cursor = page.nextCursor;
        if (cursor) cursors.push(Buffer.from(cursor, 'base64url').toString());
      } while (cursor);
      return { items, cursors: cursors.join('\n') };
    };
    const domains = await read(limited, '/api/v1/domains');
    expect(JSON.stringify(domains.items)).toContain(kept.id);
    expect(domains.cursors).not.toContain(hidden.id);
    expect(domains.cursors).not.toContain(hidden.name);
    const permissions = await read(outsider.session, `/groups/${ids.group}/permissions`);
    const seen = (permissions.items as { resourceId: string }[]).map(({ resourceId }) => resourceId);
    expect(seen).toEqual([ids.dashboard]);
    const named = [...permissions.cursors.matchAll(/"([dv]_[^"]+)"/g)].map(([, id = '']) => id);
    expect(named.filter((id) => !seen.includes(id))).toEqual([]);
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
    expect(await walk(path, 2, { definitionId: ids.definition })).toHaveLength(COUNT + 2);
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
