import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api } from './src/api.js';
import { securityPath } from './src/policyRecords.js';
import { createConnection } from './src/semanticRecords.js';
import { forms, type TestServer } from './src/servers.js';

interface Data {
  data: Record<string, { id: string }>;
}
interface Preview {
  data: { compiled: { inlineSql: string | null; reasons: { code: string }[] } };
}

const ASKED_AT_ONCE = 8;
const matcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'id' };
const rulesOf = (expression: string) => ({ rules: [{ matcher, expression }] });
const catalogWith = (...names: string[]) => {
  const columns = names.map((name) => ({ name, type: 'text' }));
  return { defaultSchema: 'public', schemas: [{ name: 'public', tables: [{ name: 'orders', columns }] }] };
};

describe.each(forms)('a preview after a change ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('reflects the current state, also after cached previews', async () => {
    const { admin } = api;
    const base = securityPath(api);
    const made = async (path: string, body: object) =>
      Object.values(succeeded(await admin.post<Data>(`${base}${path}`, body)).data)[0]?.id ?? '';
    const connection = await createConnection(admin, { catalog: catalogWith('id', 'note') });
    const tenant = await api.createTenant();
    const user = await api.createTenantUser(tenant.id);
    const definitionId = await made('/definitions', {
      connectionId: connection.id,
      name: unique('Definition'),
      rlsConfig: rulesOf('id in ({{ own }}, {{ actor.email }}, {{ actor.role }})'),
    });
    const assignmentId = await made('/assignments', {
      definitionId,
      scopeType: 'TENANT',
      tenantId: tenant.id,
      params: { own: 'first' },
    });
    const preview = async () => {
      const actor = { kind: 'TENANT_USER', tenantUserId: user.id };
      const body = { connectionId: connection.id, actor, sql: 'select note from orders' };
      const asked = Array.from({ length: ASKED_AT_ONCE }, async () => {
        const { compiled } = succeeded(await admin.post<Preview>(`${base}/preview`, body)).data;
        return compiled.inlineSql ?? compiled.reasons.map(({ code }) => code).join();
      });
      const answers = new Set(await Promise.all(asked));
      expect(answers.size).toBe(1);
      return [...answers][0] ?? '';
    };

    const path = `/api/v1/connections/${connection.id}`;
    const changes: [() => Promise<unknown>, string][] = [
      [async () => undefined, `'first', '${user.email}', 'VIEWER'`],
      [() => admin.patch(`${base}/assignments/${assignmentId}`, { params: { own: 'second' } }), `'second'`],
      [() => admin.put(`/tenant-users/${user.id}`, { email: 'new@example.com' }), `'new@example.com'`],
      [() => admin.put(`/tenant-users/${user.id}`, { role: 'POWER_USER' }), `'POWER_USER'`],
      [() => admin.patch(path, { rowBarrier: true }), 'OFFSET 0'],
      [
        () => admin.patch(`${base}/definitions/${definitionId}`, { rlsConfig: rulesOf("id > '5'") }),
        "id > '5'",
      ],
      [
        () => admin.post(`${path}/introspect`, { catalog: catalogWith('note') }),
        'SELECT note FROM public.orders',
      ],
      [() => admin.post(`${path}/introspect`, { catalog: catalogWith('id', 'note') }), "id > '5'"],
      [() => admin.delete(`${base}/assignments/${assignmentId}`), 'UNASSIGNED'],
      [() => admin.patch(path, { unassignedActors: 'allow' }), 'SELECT note FROM public.orders'],
    ];
    for (const [change, expected] of changes) {
      const answer = (await change()) as { status: number } | undefined;
      expect(answer?.status ?? 200).toBe(200);
      expect(await preview()).toContain(expected);
    }
  });
});
