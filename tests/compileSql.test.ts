import { createHash } from 'node:crypto';
import { routes, type AuditEvent, type CompiledStatement } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { pathOf } from './src/badInput/routeRequests.js';
import { addTenantUser, type Person } from './src/people.js';
import { securityPath } from './src/policyRecords.js';
import { createConnection } from './src/semanticRecords.js';
import { forms, type TestServer } from './src/servers.js';

const column = (name: string, type: string) => ({ name, type });
const TABLES = [{ name: 'orders', columns: [column('id', 'integer'), column('tenant_id', 'text')] }];
const CATALOG = { defaultSchema: 'public', schemas: [{ name: 'public', tables: TABLES }] };
const SQL = 'select id from orders';
const COMPILE = '/sql:compile';
/** The only routes that are open to a token of the scope, and those that take no token. */
const OPEN = ['compileSql', 'issueToken', 'createSignInCode', 'getSigningKeys'];

interface Compiled {
  data: { dialect: string; results: CompiledStatement[] };
}

describe.each(forms)('compiling SQL ($form)', ({ start }) => {
  let mongo: TestMongo;
  let server: TestServer;
  let api: Api;
  let connectionId: string;
  let north: Person;
  let south: Person;
  let compiler: Session;

  const compile = async (session: Session, fields: object = {}) =>
    succeeded(await session.post<Compiled>(COMPILE, { connectionId, statements: [{ sql: SQL }], ...fields }))
      .data;

  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await start({ MONGODB_URL: mongo.url, AUDIT_COMPILATIONS: '1' });
    api = await createApi(server.credentials);
    connectionId = (await createConnection(api.admin, { catalog: CATALOG })).id;
    const base = securityPath(api);
    const matcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' };
    const rlsConfig = { rules: [{ matcher, expression: 'tenant_id = {{ actor.tenantId }}' }] };
    const made = await api.admin.post<{ data: { definition: { id: string } } }>(`${base}/definitions`, {
      connectionId,
      name: 'Own tenant',
      rlsConfig,
    });
    const definitionId = succeeded(made).data.definition.id;
    succeeded(await api.admin.post(`${base}/assignments`, { definitionId, scopeType: 'ALL_TENANTS' }));
    const [northTenant, southTenant] = [await api.createTenant(), await api.createTenant()];
    north = await addTenantUser(api, northTenant.id, 'VIEWER');
    south = await addTenantUser(api, southTenant.id, 'VIEWER');
    compiler = await api.openSession({ scope: 'sql:compile' });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });

  it('restricts the statements of a tenant user to its tenant', async () => {
    const [ofNorth, ofSouth] = [await compile(north.session), await compile(south.session)];
    expect(ofNorth).toMatchObject({ dialect: 'postgres', results: [{ status: 'compiled' }] });
    expect(ofNorth.results[0]?.parameters).not.toEqual(ofSouth.results[0]?.parameters);
  });

  it('gives a service with the scope the same for the actor that it names', async () => {
    for (const { id: tenantUserId, session } of [north, south]) {
      const actor = { kind: 'TENANT_USER', tenantUserId };
      expect(await compile(compiler, { actor })).toEqual(await compile(session));
    }
  });

  it('is all that a token with the scope may do', async () => {
    const answers = await Promise.all(
      routes.map(async (route) => {
        const path = pathOf(route, { projectId: api.project.projectId });
        const { status } = await compiler.send(route.method, path, {
          body: route.method === 'GET' ? undefined : {},
        });
        return [route.operationId, status] as const;
      }),
    );
    const reached = answers.filter(([, status]) => status !== 403).map(([operationId]) => operationId);
    expect(reached.filter((operationId) => !OPEN.includes(operationId))).toEqual([]);
    expect(reached).toContain('compileSql');
  });

  it('is recorded in the audit log, with the digest of the statement and without its text', async () => {
    const sql = "select id from orders where 'personal' = 'personal'";
    const statements = [{ sql }, { sql: 'drop table orders' }];
    const actor = { kind: 'TENANT_USER', tenantUserId: north.id };
    succeeded(await compiler.post(COMPILE, { connectionId, statements, actor }));
    const sha256 = createHash('sha256').update(sql).digest('hex');
    const find = async () => {
      const path = '/audit-events?resourceType=statement&limit=100';
      const { auditEvents } = succeeded(await api.admin.get<{ auditEvents: AuditEvent[] }>(path));
      return auditEvents.filter((event) => JSON.stringify(event).includes(sha256));
    };
    await expect.poll(find, { timeout: 120_000 }).toHaveLength(1);
    const [entry] = await find();
    expect(entry).toMatchObject({ type: 'management.statement.compiled.v1', resourceId: connectionId });
    expect(JSON.stringify(entry)).not.toContain('personal');
    const stored = mongo.databases.of('policy').collection('compilations');
    await expect.poll(() => stored.countDocuments(), { timeout: 120_000 }).toBe(0);
  });
});
