import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@gatehouse/client';
import { ACCESS_LEVELS, GROUP_TYPES, SHARE_SCOPES, USER_ROLES } from '@gatehouse/contract';
import { childEnvironment, readConfig } from '@gatehouse/service';
import { removeDataDir } from '@gatehouse/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningForm } from '../program.js';
import { startStandalone } from '../standalone.js';
import { loadDemo, moveDemo } from './load.js';
import { readDemoSettings, type DemoSettings } from './settings.js';

const ANY_SCOPE = { scope: 'organization' } as const;

let dataDir: string;
let running: RunningForm;
let settings: DemoSettings;
/** The ADMIN in each project. */
let admin: Client;
let stagingAdmin: Client;

type User = { orgUserId: string } | { endUserId: string };
type Project = NonNullable<DemoSettings['staging']>;

async function signIn(user: User, project: Project = running.credentials): Promise<Client> {
  const { baseUrl } = running.credentials;
  const { projectId, projectSecret } = project;
  const { accessToken } = await createClient({ baseUrl }).issueToken({ projectId, projectSecret, ...user });
  return createClient({ baseUrl, accessToken });
}

/** All records of the demo organization in the first project, as the API returns them. */
async function readAll() {
  const [{ dashboards }, { visuals }, { groups }, { users }] = await Promise.all([
    admin.listDashboards(ANY_SCOPE),
    admin.listVisuals(ANY_SCOPE),
    admin.listGroups({ includeMembers: true }),
    admin.listUnifiedUsers({}),
  ]);
  const owners = new Set([...dashboards, ...visuals].map(({ ownerId }) => ownerId));
  const shares = [];
  for (const ownerId of owners) {
    const isOrgUser = users.some(({ id, type }) => id === ownerId && type === 'organization');
    const owner = await signIn(isOrgUser ? { orgUserId: ownerId } : { endUserId: ownerId });
    for (const { id } of dashboards.filter((record) => record.ownerId === ownerId)) {
      const { owner: _owner, nextCursor: _nextCursor, ...byKind } = await owner.listDashboardShares({ id });
      shares.push(...Object.values(byKind).flat());
    }
  }
  return { dashboards, visuals, groups, users, shares };
}

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id).toSorted();

/** Everything else in the demo organization, with versions and times. */
async function readSettings() {
  const { projectId } = running.credentials;
  const { data: definitions } = await admin.listPolicyDefinitions({ projectId });
  const tests = definitions.map(({ definition: { id: definitionId } }) =>
    admin.listPolicyTests({ projectId, definitionId }),
  );
  const ofProject = async (client: Client) => [
    await client.listConnections(),
    await client.listDomains(),
    await client.listDatamodels(),
    await client.getVersionControl(),
    (await client.listDashboards(ANY_SCOPE)).dashboards.map(({ id, version }) => ({ id, version })),
  ];
  return {
    projects: await admin.listProjects(),
    webhooks: await admin.listWebhooks(),
    definitions,
    assignments: await admin.listPolicyAssignments({ projectId }),
    tests: await Promise.all(tests),
    production: await ofProject(admin),
    staging: await ofProject(stagingAdmin),
    secrets: await readDemoSettings(dataDir),
  };
}

async function findDashboard(client: Client, title: string): Promise<string> {
  const { dashboards } = await client.listDashboards(ANY_SCOPE);
  return dashboards.find((dashboard) => dashboard.title === title)?.id ?? '';
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'));
  const environment = { DATA_DIR: dataDir, PORT: '0', DEMO: '1', LOG_LEVEL: 'fatal', VALIDATE_OUTPUT: '1' };
  // What the operator allows: see the test of moved ports.
  const servers = { MONGODB_URL: '', NATS_URL: '', WEBHOOK_HOSTS: '127.0.0.1:2' };
  running = await startStandalone(readConfig(childEnvironment({ ...environment, ...servers })));
  settings = await readDemoSettings(dataDir);
  const ada = { orgUserId: running.credentials.adminOrgUserId };
  admin = await signIn(ada);
  stagingAdmin = await signIn(ada, settings.staging);
});
afterAll(async () => {
  await running.stop();
  await removeDataDir(dataDir);
});

describe('the demo organization', () => {
  it('shows every scope, level, role and group type', async () => {
    const { shares, users, groups } = await readAll();
    expect(new Set(shares.map(({ scope }) => scope))).toEqual(new Set(SHARE_SCOPES));
    expect(new Set(shares.map(({ role }) => role))).toEqual(new Set(ACCESS_LEVELS));
    expect(new Set(users.map(({ role }) => role))).toEqual(new Set(USER_ROLES));
    expect(new Set(groups.map(({ type }) => type))).toEqual(new Set(GROUP_TYPES));
    expect(groups.every(({ memberCount }) => memberCount > 0)).toBe(true);
    expect((await admin.listTenants({})).total).toBe(4);
  });

  it('shows a share that expires, a user who is deactivated, and private and open dashboards', async () => {
    const { shares, users, dashboards } = await readAll();
    expect(shares.filter(({ expiresAt }) => expiresAt !== null)).toHaveLength(1);
    expect(users.filter(({ isActive }) => !isActive).map(({ id }) => id)).toEqual(['lena-fischer']);
    expect(new Set(dashboards.map(({ isPrivate }) => isPrivate))).toEqual(new Set([true, false]));
    expect(dashboards).toHaveLength(12);
  });

  it('shows a role that caps a grant, and a visual that a dashboard makes visible', async () => {
    const { dashboards, visuals, users } = await readAll();
    const hugo = users.find(({ name }) => name === 'Hugo Brandt')?.id ?? '';
    const boardPack = dashboards.find(({ title }) => title === 'Board pack')?.id ?? '';
    const { access } = await admin.explainDashboardAccess({ id: boardPack, userId: hugo });
    expect(access).toMatchObject({ accessLevel: 'VIEWER', ceiling: 'VIEWER' });
    expect(access.grants[0]).toMatchObject({ level: 'EDITOR', wins: true });

    const linked = visuals.find(({ title }) => title === 'Revenue by month')?.id ?? '';
    const { visual } = await (await signIn({ endUserId: 'sofia-rossi' })).getVisual({ id: linked });
    expect(visual.accessLevel).toBe('VIEWER');
  });

  it('lets the ADMIN see who has access to each dashboard of the permission matrix', async () => {
    const { dashboards } = await admin.listDashboards({});
    expect(dashboards.length).toBeGreaterThanOrEqual(9);
    for (const { id } of dashboards) {
      const { viewers } = await admin.listDashboardViewers({ id });
      expect(viewers.length).toBeGreaterThan(1);
    }
  });

  it('has two projects, and a dashboard whose migration to production has something to create', async () => {
    const { projects } = await admin.listProjects();
    expect(projects.map(({ name }) => name).toSorted()).toEqual(['Retail production', 'Retail staging']);
    const target = { targetProjectId: running.credentials.projectId };
    const id = await findDashboard(stagingAdmin, 'Returns');
    const { suggestedRequest, problems } = await stagingAdmin.analyzeMigration({ id, ...target });
    expect(problems).toEqual([]);
    const request = suggestedRequest as Parameters<Client['migrateDashboard']>[0];
    const plan = await stagingAdmin.migrateDashboard({ ...request, id, dryRun: true });
    if (!('plan' in plan)) throw new Error('The response is no plan');
    const actions = plan.plan.steps.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['createDomain', 'createVisual', 'createDashboard']));
  });

  it('has a webhook that has received events', async () => {
    const { webhooks } = await admin.listWebhooks();
    expect(webhooks.map(({ url }) => url)).toEqual([`http://127.0.0.1:${settings.webhook.port}/gatehouse`]);
    const [{ id } = { id: '' }] = webhooks;
    const readDelivered = async () =>
      (await admin.listWebhookDeliveries({ id, status: 'delivered' })).deliveries.map(
        ({ eventType }) => eventType,
      );
    await expect.poll(readDelivered).toContain('management.dashboard.created.v1');
  });

  it('has a history: versions of dashboards, a renamed column, and an audit log', async () => {
    const id = await findDashboard(admin, 'Revenue overview');
    const owner = await signIn({ orgUserId: (await admin.getDashboard({ id })).dashboard.ownerId });
    const { versions } = await owner.listDashboardVersions({ id });
    expect(versions.map(({ message }) => message)).toEqual([
      'Add the revenue by region',
      'Describe the dashboard',
      'Add the revenue of all customers',
    ]);
    const { connections } = await admin.listConnections();
    const { changes } = await admin.listCatalogChanges({ id: connections[0]?.id ?? '' });
    expect(changes).toEqual([
      expect.objectContaining({ kind: 'columnRenamed', from: 'shipped_on', to: 'dispatched_on' }),
    ]);
    const readActions = async () =>
      (await admin.listAuditEvents({ limit: 500 })).auditEvents.map(({ type }) => type);
    await expect.poll(readActions).toEqual(expect.arrayContaining(['management.dashboard.updated.v1']));
  });

  it('does not change when it is loaded again', async () => {
    const before = [await readAll(), await readSettings()] as const;
    const { baseUrl } = running.credentials;
    await loadDemo({
      baseUrl,
      credentials: running.credentials,
      settings,
      servers: { ready: async () => {}, renameColumn: async () => {} },
      saveStaging: () => Promise.reject(new Error('Stored already')),
    });
    const after = [await readAll(), await readSettings()] as const;
    expect(after[1]).toEqual(before[1]);
    for (const kind of ['dashboards', 'visuals', 'groups', 'shares', 'users'] as const)
      expect(idsOf(after[0][kind])).toEqual(idsOf(before[0][kind]));
    expect(after[0].users).toEqual(before[0].users);
    expect(after[0].groups.map(({ memberCount }) => memberCount)).toEqual(
      before[0].groups.map(({ memberCount }) => memberCount),
    );
  });
});

it('the records of the demo organization follow the ports of its servers', async () => {
  const { projectId } = running.credentials;
  const readPlaces = async () => {
    const { data } = await admin.listPolicyDefinitions({ projectId });
    const records = {
      connections: await Promise.all([admin.listConnections(), stagingAdmin.listConnections()]),
      webhooks: (await admin.listWebhooks()).webhooks.map(({ url }) => url),
      templates: data.map(({ definition }) => definition.clsConfig?.connectionTemplate),
    };
    return JSON.stringify(records).match(/(?<=127\.0\.0\.1:|"port":)\d+/g);
  };
  const parts = {
    baseUrl: running.credentials.baseUrl,
    credentials: running.credentials,
    servers: { ready: async () => {}, renameColumn: async () => {} },
    saveStaging: async () => {},
  };
  const { database, webhook } = settings;
  const moved = { ...settings, database: { ...database, port: 1 }, webhook: { port: 2 } };
  await moveDemo({ ...parts, settings: moved });
  expect(await readPlaces()).toEqual(['1', '1', '2', '1']);
  await moveDemo({ ...parts, settings });
  const port = String(database.port);
  expect(await readPlaces()).toEqual([port, port, String(webhook.port), port]);
});

describe('the dashboards of the demo organization', () => {
  it('are valid except one, which fix repairs by the renamed column', async () => {
    for (const [client, count] of [
      [admin, 12],
      [stagingAdmin, 1],
    ] as const) {
      const { results } = await client.validateAllDashboards({});
      expect(results).toHaveLength(count);
      const invalid = results.flatMap((result) =>
        'isValid' in result && !result.isValid ? [result.dashboardTitle] : [],
      );
      expect(invalid).toEqual(client === admin ? ['Fulfilment'] : []);
      expect(results.filter((result) => 'error' in result)).toEqual([]);
    }
    const id = await findDashboard(admin, 'Fulfilment');
    const fix = await admin.fixDashboard({ dashboardId: id });
    expect(fix.result.isValid).toBe(true);
    expect(fix.fixes.length).toBeGreaterThan(0);
    expect(new Set(fix.fixes.map(({ reason }) => reason))).toEqual(new Set(['catalogRename']));
    expect(new Set(fix.patch.map(({ value }) => value))).toEqual(new Set(['dispatched_on']));
  });

  it('are checked completely: no catalog is missing', async () => {
    const { results } = await admin.validateAllDashboards({});
    const codes = results.flatMap((result) =>
      'issues' in result ? result.issues.map(({ code }) => code) : ['FAILED'],
    );
    expect(new Set(codes)).toEqual(new Set(['FIELD_NOT_FOUND', 'FILTER_FIELD_NOT_FOUND']));
  });
});

describe('the security policies of the demo organization', () => {
  it('pass their tests, and use the connection, the schema and the rows', async () => {
    const { projectId } = running.credentials;
    const { data: definitions } = await admin.listPolicyDefinitions({ projectId });
    const outcomes = [];
    for (const { definition, assignmentCount } of definitions) {
      expect(assignmentCount).toBeGreaterThan(0);
      outcomes.push(
        ...(await admin.runPolicyTests({ projectId, definitionId: definition.id })).data.outcomes,
      );
    }
    expect(outcomes.filter(({ passed }) => !passed)).toEqual([]);
    expect(outcomes).toHaveLength(5);
    for (const config of ['clsConfig', 'slsConfig', 'rlsConfig'] as const)
      expect(definitions.some(({ definition }) => definition[config] !== null)).toBe(true);
  });
});

describe('the database of the demo organization', () => {
  /** Runs a statement as its preview for the tenant has it. */
  async function readAs(tenantId: string, sql: string): Promise<Record<string, unknown>[]> {
    const { projectId } = running.credentials;
    const [{ id: connectionId } = { id: '' }] = (await admin.listConnections()).connections;
    const actor = { kind: 'TENANT' as const, tenantId };
    const { data } = await admin.previewPolicies({ projectId, connectionId, actor, sql });
    expect(data.compiled.reasons).toEqual([]);
    const { sql: text, parameters } = data.compiled;
    const { port, user, password } = settings.database;
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text ?? '', parameters)).rows;
    } finally {
      await client.end();
    }
  }

  it('returns to each tenant its own rows of a restricted statement', async () => {
    const sql =
      'SELECT DISTINCT o.tenant_id, s.tenant_id AS store_tenant ' +
      'FROM orders o JOIN stores s ON s.id = o.store_id';
    for (const tenant of ['harbor-foods', 'alpine-outdoor'])
      expect(await readAs(tenant, sql)).toEqual([{ tenant_id: tenant, store_tenant: tenant }]);
    const [count] = await readAs('nordic-bikes', 'SELECT count(*)::int FROM orders');
    expect(count).toEqual({ count: 1000 });
  });

  it('can be introspected at any time', async () => {
    const [{ id, catalogVersion } = { id: '', catalogVersion: null }] = (await admin.listConnections())
      .connections;
    const { connection, changes } = await admin.introspectConnection({ id });
    expect(changes).toEqual([]);
    expect(connection.catalogVersion).toBe(catalogVersion);
    expect(connection.catalog).toMatchObject({ defaultSchema: 'sales' });
  });

  it('is the only private address that connections reach', async () => {
    const { port } = settings.webhook;
    const config = { host: '127.0.0.1', port, database: 'x', user: 'x', tls: 'disable' as const };
    const { connection } = await admin.createConnection({ name: 'Elsewhere', type: 'postgres', config });
    await expect(admin.introspectConnection({ id: connection.id })).rejects.toMatchObject({
      status: 400,
      fieldErrors: [{ field: 'config.host' }],
    });
    await admin.deleteConnection({ id: connection.id });
  });
});
