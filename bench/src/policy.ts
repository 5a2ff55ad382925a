import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient, type Db, type Document } from 'mongodb';
import { measureCompile, reportCompile, type CompileTimes } from './compile.js';
import { load, percentile, type Measured, type Work } from './load.js';
import { caller, issueToken, type Call } from './seed.js';
import { catalog, freshStatement, rlsConfig, SQL } from './policyShop.js';
import { readCredentials, startGatehouse, type Credentials } from './servers.js';

/** The cost of previews in a project with this many assignments. */
export interface PreviewCost {
  assignments: number;
  preview: Measured;
  /** The same statement compiled for the same actor, with a token of the scope `sql:compile`. */
  compiled: Measured;
  /** A request with 100 statements that were seen before, one request at a time. */
  batch: Measured;
  /** The same with a statement that is new to the service. */
  fresh: Measured;
  /** The same without a statement: resolved, and not compiled. */
  resolved: Measured;
  /** Reading one definition with its connection and count: the base cost of any call of the area. */
  read: Measured;
  /** The queries of a preview, by the driver alone. */
  limit: { p50Ms: number; p95Ms: number };
}

export interface PreviewResults {
  costs: PreviewCost[];
  compile: CompileTimes[];
}

export interface PolicyBenchSettings {
  seconds: number;
  sizes: number[];
}

const CONNECTIONS = 16;
const ROUNDS = 3;
/** The first seconds after a start are slower by half and more. */
const WARM_UP_ROUNDS = 4;
const API = '/api/management/v1';
const INSERT_BATCH = 2000;
/** The most statements of one request. */
const BATCH = 100;
interface Prepared {
  baseUrl: string;
  token: string;
  /** Of the scope `sql:compile`. */
  compileToken: string;
  projectId: string;
  connectionId: string;
  definitionId: string;
  tenantId: string;
  tenantUserId: string;
  /** The assignment that the program wrote, as it is stored. */
  pattern: Document;
  database: Db;
}

type Named = Record<string, { id: string }>;

async function makeTenant(call: Call) {
  const tenant = (await call('POST', `${API}/tenants`, { name: 'Tenant' })) as unknown as Named;
  const tenantId = tenant['tenant']?.id ?? '';
  const person = { tenantId, email: 'user@example.com', name: 'User', role: 'VIEWER' };
  const user = (await call('POST', `${API}/tenant-users`, person)) as unknown as Named;
  return { tenantId, tenantUserId: user['user']?.id ?? '' };
}

async function prepare(credentials: Credentials, database: Db): Promise<Prepared> {
  const { baseUrl, projectId, adminOrgUserId } = credentials;
  const token = await issueToken(credentials, { orgUserId: adminOrgUserId });
  const compileToken = await issueToken(credentials, { scope: 'sql:compile' });
  const call = caller(baseUrl, token);
  const connection = { name: 'Static', type: 'static', config: { dialect: 'postgres' }, catalog };
  const created = (await call('POST', '/api/v1/connections', connection)) as unknown as Named;
  const connectionId = created['connection']?.id ?? '';
  const people = await makeTenant(call);
  const base = `${API}/projects/${projectId}/unified-security`;
  const definition = { connectionId, name: 'Own rows', rlsConfig };
  const defined = (await call('POST', `${base}/definitions`, definition)) as unknown as { data: Named };
  const definitionId = defined.data['definition']?.id ?? '';
  const params = { tenant: 'north', regions: ['a', 'b', 'c'], least: 5 };
  const assignment = { definitionId, scopeType: 'TENANT', tenantId: people.tenantId, params };
  await call('POST', `${base}/assignments`, assignment);
  const pattern = await database.collection('assignments').findOne({ definitionId });
  if (!pattern) throw new Error('The assignment was not stored');
  return {
    baseUrl,
    token,
    compileToken,
    projectId,
    connectionId,
    definitionId,
    ...people,
    pattern,
    database,
  };
}

/** Copies the one assignment, each time for another actor, up to this number. */
async function growTo({ database, pattern }: Prepared, count: number): Promise<void> {
  const assignments = database.collection<Document & { _id: string }>('assignments');
  const present = await assignments.countDocuments({ connectionId: String(pattern['connectionId']) });
  for (let start = present; start < count; start += INSERT_BATCH) {
    const size = Math.min(INSERT_BATCH, count - start);
    const copies = Array.from({ length: size }, (_, n) => ({
      ...pattern,
      _id: `usa_copy${start + n}`,
      actorId: `t_copy${start + n}`,
      actorKey: `t:copy${start + n}`,
      outbox: [],
    }));
    await assignments.insertMany(copies, { ordered: false });
  }
}

/** The queries of a preview, repeated on as many connections. */
async function measureLimit({ database, pattern }: Prepared, seconds: number) {
  const { projectId, connectionId, definitionId, actorKey } = pattern;
  const keys = ['all', String(actorKey), 'u:nobody'];
  const once = async () => {
    await Promise.all([
      database.collection('definitions').findOne({ projectId, connectionId }, { projection: { _id: 1 } }),
      database
        .collection('assignments')
        .find({ projectId, connectionId, actorKey: { $in: keys } })
        .toArray(),
    ]);
    await database.collection('definitions').find({ projectId, _id: definitionId }).toArray();
  };
  const timesMs: number[] = [];
  const end = performance.now() + seconds * 1000;
  const worker = async () => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      await once();
      timesMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  timesMs.sort((a, b) => a - b);
  return { p50Ms: percentile(timesMs, 0.5), p95Ms: percentile(timesMs, 0.95) };
}

async function measure(prepared: Prepared, assignments: number, seconds: number): Promise<PreviewCost> {
  await growTo(prepared, assignments);
  const { baseUrl, token, compileToken, projectId, connectionId, definitionId, tenantUserId } = prepared;
  const base = `${API}/projects/${projectId}/unified-security`;
  const aim = { baseUrl, headers: { authorization: `Bearer ${token}` } };
  const under = { connections: CONNECTIONS, seconds };
  const question = { connectionId, actor: { kind: 'TENANT_USER', tenantUserId } };
  /** The median of three rounds by its p95, after some that warm up the code. */
  const warm = async (work: Work, target = aim, conditions = under) => {
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await load(target, work, conditions);
    const rounds: Measured[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await load(target, work, conditions));
    rounds.sort((one, other) => one.p95Ms - other.p95Ms);
    return rounds[Math.floor(ROUNDS / 2)] as Measured;
  };
  const previewOf = (makeBody: () => object) =>
    warm({ method: 'POST', next: () => ({ path: `${base}/preview`, body: makeBody() }) });
  const compiler = { baseUrl, headers: { authorization: `Bearer ${compileToken}` } };
  const compileOf = (sqls: readonly string[], connections: number) => {
    const body = { ...question, statements: sqls.map((sql) => ({ sql })) };
    const work: Work = { method: 'POST', next: () => ({ path: `${API}/sql:compile`, body }) };
    return warm(work, compiler, { connections, seconds });
  };
  return {
    assignments,
    compiled: await compileOf([SQL], CONNECTIONS),
    batch: await compileOf(Array.from({ length: BATCH }, freshStatement), 1),
    preview: await previewOf(() => ({ ...question, sql: SQL })),
    fresh: await previewOf(() => ({ ...question, sql: freshStatement() })),
    resolved: await previewOf(() => question),
    read: await warm({ method: 'GET', next: () => ({ path: `${base}/definitions/${definitionId}` }) }),
    limit: await measureLimit(prepared, seconds),
  };
}

/** Throws unless the measured statement compiles. */
async function expectCompiled({
  baseUrl,
  token,
  projectId,
  connectionId,
  tenantUserId,
}: Prepared): Promise<void> {
  const path = `${API}/projects/${projectId}/unified-security/preview`;
  const body = { connectionId, actor: { kind: 'TENANT_USER', tenantUserId }, sql: SQL };
  const answer = (await caller(baseUrl, token)('POST', path, body)) as unknown as {
    data: { compiled: { status: string; conditions: unknown[] } };
  };
  const { status, conditions } = answer.data.compiled;
  if (status !== 'compiled' || conditions.length !== 4) throw new Error('The statement does not compile');
}

/**
 * Measures previews on a standalone, at growing numbers of assignments in the project, and the share of
 * compiling.
 */
export async function measurePreviews(settings: PolicyBenchSettings): Promise<PreviewResults> {
  return { costs: await measureServed(settings), compile: await measureCompile() };
}

async function measureServed({ seconds, sizes }: PolicyBenchSettings): Promise<PreviewCost[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-policy-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const credentials = await readCredentials(dataDir);
    const prepared = await prepare(credentials, client.db('gatehouse_policy'));
    await expectCompiled(prepared);
    const costs: PreviewCost[] = [];
    for (const size of sizes) costs.push(await measure(prepared, size, seconds));
    return costs;
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const ms = (value: number) => value.toFixed(2);

/** The costs as a section of the results. */
export function reportPreviews({ costs, compile }: PreviewResults): string {
  const rows = costs.flatMap(({ assignments, preview, compiled, batch, fresh, resolved, read, limit }) => {
    const line = (name: string, { requestsPerSecond, p50Ms, p95Ms, failures }: Measured) =>
      `| ${assignments.toLocaleString('en')} | ${name} | ${Math.round(requestsPerSecond)} | ${ms(p50Ms)} | ${ms(p95Ms)} | ${failures} |`;
    return [
      line('preview of a statement seen before', preview),
      line('the same, compiled', compiled),
      line(`${BATCH} statements in one request, one at a time`, batch),
      line('preview of one never seen before', fresh),
      line('preview without one', resolved),
      line('read of a definition', read),
      `| ${assignments.toLocaleString('en')} | limit | | ${ms(limit.p50Ms)} | ${ms(limit.p95Ms)} | |`,
    ];
  });
  return `
## Policy previews

Standalone, ${CONNECTIONS} connections:
three rules on a statement that reads four governed tables in a CTE, joins and a subquery.
The limit is the queries of a preview with the driver only, ${CONNECTIONS} at a time, none of them shared.
Each line is the median of ${ROUNDS} rounds after ${WARM_UP_ROUNDS} to warm up.

| assignments in the project | work | requests/s | p50 ms | p95 ms | failures |
|---|---|---|---|---|---|
${rows.join('\n')}
${reportCompile(compile)}`;
}
