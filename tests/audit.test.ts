import { execFile } from 'node:child_process';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AuditEvent } from '@gatehouse/contract';
import { childEnvironment, newKey } from '@gatehouse/service';
import { removeDataDir, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Api, type Session } from './src/api.js';
import { addOrgUser, type Person } from './src/people.js';
import { forms, startTestStandalone, type Settings, type TestServer } from './src/servers.js';

const COMMAND = fileURLToPath(new URL('../scripts/audit.mjs', import.meta.url));
const PAGE = '/audit-events';

interface Run {
  code: number;
  output: string;
  errors: string;
}

/** Runs the command that verifies audit logs. */
function runCommand(args: readonly string[], settings: Settings): Promise<Run> {
  return new Promise((resolve) => {
    const env = childEnvironment({ NATS_URL: '', SEALING_KEYS: '', MONGODB_URL: '', ...settings });
    const run = [COMMAND, ...args];
    execFile(process.execPath, run, { env, maxBuffer: 2 ** 26 }, (error, output, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output, errors });
    });
  });
}

const list = async (session: Session, query: Record<string, string>): Promise<AuditEvent[]> => {
  const path = `${PAGE}?${new URLSearchParams(query).toString()}`;
  return succeeded(await session.get<{ auditEvents: AuditEvent[] }>(path)).auditEvents;
};

/** The entries that match a query, once there are this many. */
async function find(session: Session, query: Record<string, string>, count = 1): Promise<AuditEvent[]> {
  const options = { timeout: 120_000, interval: 100 };
  await expect.poll(() => list(session, query), options).toHaveLength(count);
  return list(session, query);
}

async function exportLines(session: Session): Promise<string> {
  const answer = await session.get<string>(`${PAGE}/export`, { accept: 'application/x-ndjson' });
  return succeeded(answer);
}

describe.each(forms)('the audit log ($form)', ({ start }) => {
  let mongo: TestMongo;
  let server: TestServer;
  let api: Api;
  let author: Person;
  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await start({ MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix });
    api = await createApi(server.credentials);
    author = await addOrgUser(api, 'AUTHOR');
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });
  const requestId = () => ({ 'x-request-id': `request-${newKey()}` });

  it('records a change with its actor, its request and the changed fields', async () => {
    const { id } = await api.createDashboard(author.session, { title: 'Before' });
    const headers = requestId();
    succeeded(await author.session.patch(`/dashboards/${id}`, { title: 'After' }, headers));
    const [entry] = await find(api.admin, { requestId: headers['x-request-id'] });
    expect(entry).toMatchObject({
      type: 'management.dashboard.updated.v1',
      outcome: 'done',
      resourceType: 'dashboard',
      resourceId: id,
      actorId: author.id,
      actorKind: 'orgUser',
      projectId: api.project.projectId,
      organizationId: server.credentials.organizationId,
      data: { id, changes: { title: { from: 'Before', to: 'After' } } },
    });
    expect(await find(api.admin, { resourceId: id, tokenId: entry?.tokenId ?? '' }, 2)).toHaveLength(2);
  });

  it('records a rejection with the caller and the operation', async () => {
    const { id } = await api.createDashboard(api.admin, { isPrivate: false });
    const headers = requestId();
    const answer = await author.session.patch(`/dashboards/${id}`, { title: 'Mine' }, headers);
    expect(answer.status).toBe(403);
    expect(await find(api.admin, { requestId: headers['x-request-id'] })).toMatchObject([
      {
        type: 'management.request.refused.v1',
        outcome: 'refused',
        resourceType: 'request',
        resourceId: id,
        actorId: author.id,
        data: { operation: 'updateDashboard', status: 403, code: 'FORBIDDEN', resourceId: id, count: 1 },
      },
    ]);
  });

  it('records the use of a revoked token, and of one whose user is deleted', async () => {
    const revoked = await api.openSession({ orgUserId: author.id });
    succeeded(await revoked.post('/api/v1/invalidate-token'));
    const leaver = await addOrgUser(api, 'AUTHOR');
    succeeded(await api.admin.patch(`/org-users/${leaver.id}`, { isActive: false }));
    for (const [session, actorId] of [
      [revoked, author.id],
      [leaver.session, leaver.id],
    ] as const) {
      const refuse = async () => (await session.get('/dashboards', requestId())).status;
      await expect.poll(refuse).toBe(401);
      const listRefused = () => list(api.admin, { actorId, outcome: 'refused', resourceType: 'request' });
      const is401 = ({ data }: AuditEvent) => data['status'] === 401;
      await expect.poll(async () => (await listRefused()).filter(is401)).not.toEqual([]);
      const entry = (await listRefused()).find(is401);
      expect(entry).toMatchObject({ actorId, data: { status: 401, code: 'UNAUTHENTICATED' } });
    }
  });

  it('limits repeated entries of the same rejection', async () => {
    const viewer = await addOrgUser(api, 'VIEWER');
    for (let n = 0; n < 50; n += 1) expect((await viewer.session.get(PAGE)).status).toBe(403);
    const found = await find(api.admin, { actorId: viewer.id, outcome: 'refused' }, 10);
    expect(new Set(found.map(({ data }) => data['operation']))).toEqual(new Set(['listAuditEvents']));
  });

  it('is restricted to an ADMIN', async () => {
    for (const session of [author.session, await api.openSession({})])
      for (const path of [PAGE, `${PAGE}/export`]) expect((await session.get(path)).status).toBe(403);
  });

  it('contains no secret', async () => {
    const password = `password-${newKey()}`;
    const config = { host: 'db.example.com', database: 'sales', user: 'reader', password };
    const body = { name: unique('Connection'), type: 'postgres', config };
    const { connection } = succeeded(
      await api.admin.post<{ connection: { id: string } }>('/api/v1/connections', body),
    );
    const project = await api.createProject();
    const dashboard = await api.createDashboard(author.session);
    await find(api.admin, { resourceId: connection.id });
    await find(api.admin, { resourceId: dashboard.id });
    await find(api.admin, { resourceId: project.projectId });
    const text = await exportLines(api.admin);
    expect(text).toContain(connection.id);
    const secrets = [password, project.projectSecret, dashboard.secret, server.credentials.projectSecret];
    const tokens = [api.admin.token, author.session.token];
    expect([...secrets, ...tokens].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('has pages with a cursor, and rejects a foreign cursor', async () => {
    const all = await list(api.admin, { limit: '500' });
    const first = succeeded(
      await api.admin.get<{ auditEvents: AuditEvent[]; nextCursor: string }>(`${PAGE}?limit=3`),
    );
    const query = `limit=3&cursor=${first.nextCursor}`;
    const second = succeeded(await api.admin.get<{ auditEvents: AuditEvent[] }>(`${PAGE}?${query}`));
    const ids = [...first.auditEvents, ...second.auditEvents].map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect((await api.admin.get(`${PAGE}?cursor=${unique('x')}`)).status).toBe(400);
  });

  it('is exported completely, as JSON and line by line', async () => {
    await find(api.admin, { resourceId: author.id });
    const json = succeeded(await api.admin.get<Record<string, unknown>>(`${PAGE}/export`));
    const entries = json['auditEvents'] as AuditEvent[];
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
    const { organizationId } = server.credentials;
    expect(json).toMatchObject({ isWhole: true, organizationId, total: entries.length });
    const lines = (await exportLines(api.admin)).trimEnd().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as { type: string; auditEvent?: AuditEvent });
    const exported = parsed.flatMap(({ auditEvent }) => auditEvent ?? []);
    expect(exported.slice(0, entries.length)).toEqual(entries);
    expect(parsed.at(-1)).toMatchObject({ type: 'summary', isWhole: true, total: exported.length });
  });
});

describe('the command that verifies', () => {
  let server: TestServer;
  let mongo: TestMongo;
  let api: Api;
  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await startTestStandalone({ MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix });
    api = await createApi(server.credentials);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const { id } = await api.createDashboard(api.admin);
    const isRecorded = async () => (await list(api.admin, { resourceId: id })).length > 0;
    while (!(await isRecorded())) await sleep(50);
  });

  it('verifies an export alone, and reports whether it is intact, damaged or invalid', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-export-'));
    const file = join(folder, 'export.ndjson');
    const text = await exportLines(api.admin);
    const verify = async (content: string) => {
      await writeFile(file, content);
      return runCommand(['verify', '--file', file], { DATA_DIR: server.dataDir });
    };
    expect(await verify(text)).toMatchObject({ code: 0 });
    const tampered = await verify(text.replace('"actorKind":"orgUser"', '"actorKind":"tenantUser"'));
    expect(tampered.code).toBe(1);
    expect(tampered.output).toContain('hashWrong');
    expect(await verify(text.slice(0, -10))).toMatchObject({ code: 2 });
    await rm(folder, { recursive: true });
  });

  it('verifies the database while the platform runs, and reports tampering', async () => {
    const { organizationId } = server.credentials;
    const settings = { DATA_DIR: server.dataDir, MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    const whole = await runCommand(['verify'], settings);
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.output).toContain(`${organizationId}: intact`);
    const entries = mongo.databases.of('audit').collection('auditEvents');
    await entries.updateOne({ organizationId, sequence: 3 }, { $set: { actorId: 'ou_somebody' } });
    const damaged = await runCommand(['verify', '--organization', organizationId, '--json'], settings);
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.output)).toMatchObject({
      reports: [{ organizationId, outcome: 'damaged', faults: [{ sequence: 3, kind: 'hashWrong' }] }],
    });
  });

  it('verifies nothing for an organization without a log, such as a mistyped id', async () => {
    const settings = { DATA_DIR: server.dataDir, MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    const outcome = await runCommand(['verify', '--organization', 'o_mistyped'], settings);
    expect(outcome).toMatchObject({ code: 2, output: '' });
    expect(outcome.errors).toContain('Not verified: o_mistyped has no audit log');
  });

  it('reports that it did not verify, without keys or with invalid arguments', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-keyless-'));
    const settings = { DATA_DIR: folder, MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix };
    expect(await runCommand(['verify'], settings)).toMatchObject({ code: 2, output: '' });
    expect(await runCommand(['nonsense'], settings)).toMatchObject({ code: 2, output: '' });
    await rm(folder, { recursive: true });
  });
});

describe('the audit log of an embedded database', () => {
  it('is verified while the platform runs, and when it does not', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'gh-'));
    const server = await startTestStandalone({
      DATA_DIR: dataDir,
      MONGODB_URL: '',
      MONGODB_PREFIX: 'gatehouse',
    });
    const api = await createApi(server.credentials);
    const { id } = await api.createDashboard(api.admin);
    await find(api.admin, { resourceId: id });
    const running = await runCommand(['verify', '--json'], { DATA_DIR: dataDir });
    expect(running).toMatchObject({ code: 0 });
    const report = join(dataDir, 'report.json');
    await writeFile(report, running.output);
    await server.stop();
    const stopped = await runCommand(['verify', '--since', report], { DATA_DIR: dataDir });
    expect(stopped).toMatchObject({ code: 0 });
    expect(stopped.output).toContain(`${server.credentials.organizationId}: intact`);
    await server[Symbol.asyncDispose]();
    await removeDataDir(dataDir);
  });
});
