import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient, type Db } from 'mongodb';
import { caller, issueToken, type Call } from './seed.js';
import { readCredentials, startGatehouse, type Credentials } from './servers.js';

/** Milliseconds over HTTP, one request at a time: medians. */
export interface MigrationCost {
  analysisMs: number;
  migrationMs: number;
  /** The same into a project that commits what is saved to a repository. */
  committedMs: number;
  /** The bare reads and writes with the driver: the copied records are read, and written one by one. */
  limitMs: number;
}

const VISUALS = 50;
const API = '/api/management/v1';

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const startedAt = performance.now();
    await work();
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}

const idOf = (answer: Record<string, unknown>, noun: string) => (answer[noun] as { id: string }).id;

const cardOf = (connectionId: string) => ({
  id: 'k1',
  type: 'table',
  dataSource: { connectionId, selectedEntities: [{ table: 'orders' }] },
  fields: { columns: [{ column: 'id' }, { column: 'region' }] },
});

/** A dashboard that links fifty visuals, and the request that copies all of them. */
async function makeDashboard(call: Call, into: { connectionId: string; targetProjectId: string }) {
  const connection = { name: 'Source', type: 'static', config: { dialect: 'postgres' } };
  const connectionId = idOf(await call('POST', '/api/v1/connections', connection), 'connection');
  const visualIds: string[] = [];
  for (let n = 0; n < VISUALS; n += 1) {
    const visual = { title: `Visual ${n}`, frameObject: { cards: [cardOf(connectionId)] } };
    visualIds.push(idOf(await call('POST', `${API}/visuals`, visual), 'visual'));
  }
  const template = { sheets: [{ frames: visualIds.map((visualId) => ({ visualId })) }] };
  const id = idOf(await call('POST', `${API}/dashboards`, { title: 'Migrated', template }), 'dashboard');
  const request = {
    targetProjectId: into.targetProjectId,
    connectionMapping: { [connectionId]: into.connectionId },
    visualsToCreate: visualIds,
  };
  return { id, visualIds, request };
}

/** Reads the dashboard and its visuals and writes them again one by one, each write with the journal. */
async function copyBare(database: Db, { id, visualIds }: { id: string; visualIds: string[] }): Promise<void> {
  const copies = database.collection<{ _id: string }>('limit');
  const dashboard = await database.collection<{ _id: string }>('dashboards').findOne({ _id: id });
  const visuals = await database
    .collection<{ _id: string }>('visuals')
    .find({ _id: { $in: visualIds } })
    .toArray();
  const suffix = String(performance.now());
  for (const document of [...visuals, ...(dashboard ? [dashboard] : [])])
    await copies.insertOne({ ...document, _id: `${document._id} ${suffix}` });
}

/** The target project of migrations, and a caller for it. */
async function makeTarget(call: Call, credentials: Credentials) {
  const { baseUrl, adminOrgUserId: orgUserId } = credentials;
  const made = await call('POST', `${API}/projects`, { name: 'Target' });
  const { id: projectId, secret: projectSecret } = made['project'] as unknown as {
    id: string;
    secret: string;
  };
  const token = await issueToken({ ...credentials, projectId, projectSecret }, { orgUserId });
  const inTarget = caller(baseUrl, token);
  const connection = { name: 'Target', type: 'static', config: { dialect: 'postgres' } };
  const connectionId = idOf(await inTarget('POST', '/api/v1/connections', connection), 'connection');
  return { call: inTarget, targetProjectId: projectId, connectionId };
}

/** Measures the migration of a dashboard with fifty visuals on a standalone. */
export async function measureMigration(times: number): Promise<MigrationCost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-migration-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const credentials = await readCredentials(dataDir);
    const { baseUrl, adminOrgUserId: orgUserId } = credentials;
    const call = caller(baseUrl, await issueToken(credentials, { orgUserId }));
    const target = await makeTarget(call, credentials);
    const made = await makeDashboard(call, target);
    const path = `${API}/dashboards/${made.id}/migrate`;
    const analyze = () => call('GET', `${path}/analysis?targetProjectId=${target.targetProjectId}`);
    const analysisMs = await timed(times, analyze);
    const migrationMs = await timed(times, () => call('POST', path, made.request));
    await target.call('PUT', `${API}/version-control`, { commitOnSave: 'optional' });
    const committed = { ...made.request, commitMessage: 'Migrate' };
    const committedMs = await timed(times, () => call('POST', path, committed));
    const database = client.db('gatehouse_access');
    return {
      analysisMs,
      migrationMs,
      committedMs,
      limitMs: await timed(times, () => copyBare(database, made)),
    };
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The costs as a section of the results. */
export function reportMigration({ analysisMs, migrationMs, committedMs, limitMs }: MigrationCost): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return `
## Migration

Standalone, a dashboard that links ${VISUALS} visuals, all of them copied, over HTTP, one at a time (p50).
The limit reads the same records with the driver and writes them one by one.

| | ms |
|---|---|
| analysis | ${whole(analysisMs)} |
| migration | ${whole(migrationMs)} |
| migration with a commit | ${whole(committedMs)} |
| limit | ${whole(limitMs)} |
`;
}
