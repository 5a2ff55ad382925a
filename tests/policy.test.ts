import type { SecurityErrorBody } from '@gatehouse/contract';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Answer, type Api, type Session } from './src/api.js';
import { securityPath } from './src/policyRecords.js';
import { createConnection } from './src/semanticRecords.js';
import { forms, spawnServer, type TestServer } from './src/servers.js';

interface Data<T> {
  ok: boolean;
  data: T;
}
interface Definition {
  definition: { id: string; version: number; rlsConfig: unknown; clsConfig: { params?: unknown } | null };
  connection: { id: string; name: string; type: string } | null;
  assignmentCount: number;
}
interface Assignment {
  assignment: { id: string; params: unknown };
  tenant: { id: string; name: string } | null;
}
interface Preview {
  assignments: { id: string | null }[];
  compiled: { status: string; sql: string | null; inlineSql: string | null; parameters: unknown[] };
  cls: { connectionString: string | null } | null;
}

const column = (name: string, type: string) => ({ name, type });
const TABLES = [{ name: 'orders', columns: [column('id', 'integer'), column('tenant_id', 'text')] }];
const CATALOG = { defaultSchema: 'public', schemas: [{ name: 'public', tables: TABLES }] };
const RLS = {
  rules: [
    {
      matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
      expression: 'tenant_id = {{ tenant }}',
    },
  ],
};
const SQL = 'select id from orders';

/**
 * The response to a request that is repeated, as `Retry-After` requires, while the sample database starts.
 */
async function whenAvailable<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await send();
    if (answer.status !== 503 || attempts === 10) return answer;
    await sleep(1000 * Number(answer.headers.get('retry-after')));
  }
}

const newConnection = async (admin: Session) => (await createConnection(admin, { catalog: CATALOG })).id;

describe.each(forms)('security policies over HTTP ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let admin: Session;
  let base: string;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
    admin = api.admin;
    base = securityPath(api);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function define(connectionId: string, fields: Record<string, unknown> = {}): Promise<Definition> {
    const body = { connectionId, name: unique('Definition'), rlsConfig: RLS, ...fields };
    return succeeded(await admin.post<Data<Definition>>(`${base}/definitions`, body)).data;
  }
  async function assign(definitionId: string, fields: Record<string, unknown>): Promise<Assignment> {
    const body = { definitionId, ...fields };
    return succeeded(await admin.post<Data<Assignment>>(`${base}/assignments`, body)).data;
  }
  async function preview(connectionId: string, fields: Record<string, unknown>): Promise<Preview> {
    return succeeded(await admin.post<Data<Preview>>(`${base}/preview`, { connectionId, ...fields })).data;
  }
  const listAssignments = async () =>
    succeeded(await admin.get<Data<Assignment[]>>(`${base}/assignments`)).data;

  it('lets each tenant read its own rows, independent of other assignments', async () => {
    const connectionId = await newConnection(admin);
    const made = await admin.post<Data<Definition>>(`${base}/definitions`, {
      connectionId,
      name: unique('Own tenant'),
      rlsConfig: RLS,
    });
    expect([made.status, made.body.ok, made.headers.get('etag')]).toEqual([201, true, expect.any(String)]);
    const { id } = made.body.data.definition;
    const tenants = await Promise.all([api.createTenant(), api.createTenant()]);
    for (const tenant of tenants) {
      const assigned = await assign(id, {
        scopeType: 'TENANT',
        tenantId: tenant.id,
        params: { tenant: tenant.name },
      });
      expect(assigned.tenant).toEqual({ id: tenant.id, name: tenant.name });
    }
    for (const tenant of tenants) {
      const user = await api.createTenantUser(tenant.id);
      const { compiled, assignments } = await preview(connectionId, {
        actor: { kind: 'TENANT_USER', tenantUserId: user.id },
        sql: SQL,
      });
      expect(assignments).toHaveLength(1);
      expect(compiled).toMatchObject({ status: 'compiled', parameters: [tenant.name] });
    }
    const nobody = await api.createTenant();
    const denied = await preview(connectionId, { actor: { kind: 'TENANT', tenantId: nobody.id }, sql: SQL });
    expect(denied.compiled).toMatchObject({ status: 'denied', sql: null, inlineSql: null });
    const { data } = succeeded(await admin.get<Data<Definition>>(`${base}/definitions/${id}`));
    expect(data).toMatchObject({ assignmentCount: 2, connection: { id: connectionId, type: 'static' } });
  });

  it('returns errors in the form of its area, with every fault at its path', async () => {
    const connectionId = await newConnection(admin);
    const rules = [
      { ...RLS.rules[0], expression: 'true; drop table orders' },
      { ...RLS.rules[0], expression: 'a =' },
    ];
    const body = { connectionId, name: 'Faulty', rlsConfig: { rules } };
    const faulty = await admin.post<SecurityErrorBody>(`${base}/definitions`, body);
    expect(faulty.status).toBe(400);
    expect(faulty.body).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_REQUEST',
        details: [{ path: 'rlsConfig.rules[0].expression' }, { path: 'rlsConfig.rules[1].expression' }],
      },
    });
    const codes = async (session: Session, path: string) => {
      const { status, body: answered } = await session.get<SecurityErrorBody>(path);
      return [status, answered.error.code];
    };
    const { id } = await api.createOrgUser('AUTHOR');
    const author = await api.openSession({ orgUserId: id });
    const other = await api.createProject();
    expect(await codes(author, `${base}/definitions`)).toEqual([403, 'PROJECT_ACCESS_DENIED']);
    expect(await codes(author, '/projects/p_none/unified-security/definitions')).toEqual([
      403,
      'PROJECT_ACCESS_DENIED',
    ]);
    expect(await codes(admin, `/projects/${other.projectId}/unified-security/definitions`)).toEqual([
      403,
      'PROJECT_ACCESS_DENIED',
    ]);
    expect(await codes(admin, '/projects/p_none/unified-security/definitions')).toEqual([
      404,
      'PROJECT_NOT_FOUND',
    ]);
    expect(await codes(admin, `${base}/definitions/usd_none`)).toEqual([404, 'NOT_FOUND']);
  });

  it('does not delete a connection or definition in use, and names its users', async () => {
    const connectionId = await newConnection(admin);
    const { definition } = await define(connectionId);
    const { assignment } = await assign(definition.id, { scopeType: 'ALL_TENANTS', params: { tenant: 'x' } });
    const used = await admin.delete<SecurityErrorBody>(`${base}/definitions/${definition.id}`);
    expect([used.status, used.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(used.body.blockedBy).toEqual([{ id: assignment.id, title: 'ALL_TENANTS' }]);
    expect((await admin.delete(`/api/v1/connections/${connectionId}`)).status).toBe(409);
    expect(succeeded(await admin.delete(`${base}/assignments/${assignment.id}`))).toEqual({
      ok: true,
      data: { id: assignment.id },
    });
    expect(succeeded(await admin.delete(`${base}/definitions/${definition.id}`))).toEqual({
      ok: true,
      data: { id: definition.id },
    });
    succeeded(await admin.delete(`/api/v1/connections/${connectionId}`));
  });

  it('rejects a change of a record that has changed since it was read', async () => {
    const { definition } = await define(await newConnection(admin));
    const path = `${base}/definitions/${definition.id}`;
    const { headers } = await admin.get(path);
    const condition = { 'if-match': headers.get('etag') ?? '' };
    succeeded(await admin.patch(path, { name: unique('Second') }, condition));
    expect((await admin.patch(path, { name: unique('Third') }, condition)).status).toBe(412);
    expect((await admin.delete(path, undefined, condition)).status).toBe(412);
  });

  it('deletes the assignments of deleted tenants and users', async () => {
    const { definition } = await define(await newConnection(admin));
    const [tenant, home] = [await api.createTenant(), await api.createTenant()];
    const tenantUser = await api.createTenantUser(home.id);
    const orgUser = await api.createOrgUser('AUTHOR');
    const made = [
      await assign(definition.id, { scopeType: 'TENANT', tenantId: tenant.id }),
      await assign(definition.id, { scopeType: 'TENANT_USER', tenantUserId: tenantUser.id }),
      await assign(definition.id, { scopeType: 'ORG_USER', orgUserId: orgUser.id }),
    ].map(({ assignment }) => assignment.id);
    const kept = (await assign(definition.id, { scopeType: 'TENANT', tenantId: home.id })).assignment.id;
    succeeded(await admin.delete(`/tenants/${tenant.id}`));
    succeeded(await admin.delete(`/tenant-users/${tenantUser.id}`));
    succeeded(await admin.delete(`/org-users/${orgUser.id}`));
    const idsLeft = async () => (await listAssignments()).map(({ assignment }) => assignment.id);
    await expect
      .poll(async () => (await idsLeft()).filter((id) => [...made, kept].includes(id)))
      .toEqual([kept]);
  });

  it('runs tests on sample rows, and rejects a change that they fail', async () => {
    const { definition } = await define(await newConnection(admin));
    const tenant = await api.createTenant();
    await assign(definition.id, { scopeType: 'TENANT', tenantId: tenant.id, params: { tenant: 'north' } });
    const path = `${base}/definitions/${definition.id}`;
    const test = {
      name: 'North reads its own',
      actor: { kind: 'TENANT', tenantId: tenant.id },
      sql: SQL,
      sampleData: {
        orders: [
          { id: 1, tenant_id: 'north' },
          { id: 2, tenant_id: 'south' },
        ],
      },
      expect: { rows: [{ id: 1 }] },
    };
    expect((await admin.post(`${path}/tests`, test)).status).toBe(201);
    const run = await whenAvailable(() =>
      admin.post<Data<{ passed: number; failed: number }>>(`${path}/tests:run`, {}),
    );
    expect(succeeded(run).data).toMatchObject({ passed: 1, failed: 0 });
    const open = { rlsConfig: { rules: [{ ...RLS.rules[0], expression: 'true' }] }, runTests: true };
    const refused = await admin.patch<SecurityErrorBody>(path, open);
    expect([refused.status, refused.body.error.details[0]?.path]).toEqual([400, 'runTests']);
    expect(refused.body.error.details[0]?.message).toContain('North reads its own');
  });
});

describe('secret values', () => {
  it('are in no log, at any log level, and in no response', async () => {
    await using server = await spawnServer('standalone', { LOG_LEVEL: 'trace' });
    const api = await createApi(server.credentials);
    const base = securityPath(api);
    const connectionId = await newConnection(api.admin);
    const answers: unknown[] = [];
    const send = async <T>(method: string, path: string, body: Record<string, unknown>) => {
      const answer = await api.admin.send<T>(method, base + path, { body });
      answers.push(answer.body);
      return answer.body;
    };
    const mark = 'planted-secret';
    const clsConfig = {
      connectionTemplate: 'postgres://u:{{ p@secret }}@h/d',
      params: { 'p@secret': `${mark}1` },
    };
    const made = await send<Data<Definition>>('POST', '/definitions', { connectionId, name: 'S', clsConfig });
    const definitionId = made.data.definition.id;
    expect(made.data.definition.clsConfig?.params).toEqual({ 'p@secret': '***' });
    const params = { 'p@secret': `${mark}2` };
    await send('POST', '/assignments', { definitionId, scopeType: 'ALL_TENANTS', params });
    await send('POST', '/assignments', { definitionId, scopeType: 'ALL_TENANTS', params });
    await send('POST', '/assignments', { definitionId, scopeType: 'TENANT', params });
    const actor = { kind: 'ALL_TENANTS' };
    const runtimeParams = { 'p@secret': `${mark}3` };
    const tokenPolicyInput = {
      cls: { params: { 'q@secret': `${mark}4` }, connectionTemplate: '{{ q@secret }}' },
    };
    const resolved = await send<Data<Preview>>('POST', '/preview', { connectionId, actor, runtimeParams });
    expect(resolved.data.cls?.connectionString).toBe('postgres://u:***@h/d');
    await send('POST', '/preview', { connectionId, actor, runtimeParams, tokenPolicyInput, sql: SQL });
    await send('PATCH', `/definitions/${definitionId}`, {
      clsConfig: { ...clsConfig, connectionTemplate: '{{' },
    });
    await server.stop();
    expect(server.errors().length).toBeGreaterThan(0);
    expect([JSON.stringify(answers), server.errors(), server.output()].join('\n')).not.toContain(mark);
  });
});
