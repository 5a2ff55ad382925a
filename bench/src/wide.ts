import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { load, type Aim, type Measured, type Work } from './load.js';
import { cpuSecondsOf } from './processUse.js';
import { readCredentials, startGatehouse } from './servers.js';
import { seedWide, type Wide, type WideSizes } from './wideSeed.js';

const CONNECTIONS = 16;
const P50_MAX_MS = 50;
const P99_MAX_MS = 200;
const API = '/api/management/v1';
const ROLES = ['VIEWER', 'EDITOR', 'CONTRIBUTOR'];
const WORKS = ['list', 'read', 'grant', 'revoke', 'explain', 'viewers'] as const;
type WorkName = (typeof WORKS)[number];

/** A request of one kind about one subject. */
interface WideWork {
  subject: string;
  name: WorkName;
  work: Work;
  token: string;
}

interface WideRow extends Measured {
  subject: string;
  name: WorkName;
  /** CPU time per request in milliseconds, which depends little on other load. */
  programCpuMs: number;
  engineCpuMs: number;
}

export interface WideResults {
  sizes: WideSizes;
  rows: WideRow[];
}

/** The six works about one subject: who lists and reads, what is granted, and who is explained. */
interface SubjectParts {
  subject: string;
  readerToken: string;
  listPath: string;
  readPaths: readonly string[];
  /** The dashboards that are granted and revoked, whose access is explained, and whose viewers are listed. */
  granted: readonly string[];
  explained: readonly string[];
  viewed: readonly string[];
  /** The target of a grant, and that of a revocation. */
  targetOf(index: number): object;
  revokedOf(index: number): object;
  explainedId: string;
}

function worksOf(parts: SubjectParts, adminToken: string): WideWork[] {
  const { subject, readerToken } = parts;
  let made = 0;
  const at = (values: readonly string[]) => values[(made += 1) % values.length] ?? '';
  const reading = (name: WorkName, token: string, next: () => string): WideWork => {
    return { subject, name, token, work: { method: 'GET', next: () => ({ path: next() }) } };
  };
  const writing = (
    name: WorkName,
    method: 'POST' | 'DELETE',
    shareOf: (index: number) => object,
  ): WideWork => {
    let index = 0;
    const next = () => {
      index += 1;
      const path = `${API}/dashboards/${parts.granted[index % parts.granted.length] ?? ''}/share`;
      return { path, body: { shares: [shareOf(index)] } };
    };
    return { subject, name, token: adminToken, work: { method, next } };
  };
  return [
    reading('list', readerToken, () => parts.listPath),
    reading('read', readerToken, () => at(parts.readPaths)),
    reading(
      'explain',
      adminToken,
      () => `${API}/dashboards/${at(parts.explained)}/access?userId=${parts.explainedId}`,
    ),
    reading('viewers', adminToken, () => `${API}/dashboards/${at(parts.viewed)}/viewers`),
    writing('grant', 'POST', (index) => ({ ...parts.targetOf(index), role: ROLES[index % ROLES.length] })),
    writing('revoke', 'DELETE', (index) => parts.revokedOf(index)),
  ];
}

const dashboardPath = (id: string) => `${API}/dashboards/${id}`;

const count = (size: number) => size.toLocaleString('en');
const toUser = (tenantUserId: string) => ({ scope: 'specific_tenant_user', tenantUserId });
const always = (target: object) => ({ targetOf: () => target, revokedOf: () => target });

/** Ordinary dashboards: those that are shared with a subject, and others, which are granted to it. */
function ordinaryParts({ dashboards }: Wide, kind: number) {
  const ofKind = (wanted: number) => dashboards.filter((_, index) => index % 4 === wanted % 4);
  return {
    listPath: `${API}/dashboards`,
    readPaths: ofKind(kind).map(dashboardPath),
    explained: ofKind(kind),
    viewed: ofKind(kind),
    granted: ofKind(kind + 1),
  };
}

function sharesParts({ users, tokens, wideDashboards, sharedIds }: Wide, sizes: WideSizes): SubjectParts {
  const sharedWith = (index: number) => toUser(sharedIds[index % sharedIds.length] ?? '');
  return {
    subject: `dashboards with ${count(sizes.sharesOfDashboard)} shares`,
    readerToken: tokens.shared,
    explainedId: users.shared,
    listPath: `${API}/dashboards`,
    readPaths: wideDashboards.map(dashboardPath),
    explained: wideDashboards,
    viewed: wideDashboards,
    granted: wideDashboards,
    // A dashboard holds at most 10,000 shares: a grant changes the role of one.
    targetOf: sharedWith,
    revokedOf: sharedWith,
  };
}

function subjectsOf(wide: Wide, sizes: WideSizes): SubjectParts[] {
  const { users, tokens, groups, tenantId, freshIds, adminToken } = wide;
  return [
    {
      subject: `a user in ${count(sizes.groupsOfUser)} groups`,
      ...ordinaryParts(wide, 0),
      readerToken: tokens.grouped,
      explainedId: users.grouped,
      ...always(toUser(users.grouped)),
    },
    {
      subject: `a group of ${count(sizes.membersOfGroup)} members`,
      ...ordinaryParts(wide, 1),
      readerToken: tokens.crowd,
      explainedId: users.crowd,
      ...always({ scope: 'group', groupId: groups.crowd }),
    },
    {
      subject: `an organization of ${count(sizes.usersOfOrganization)} tenant users`,
      ...ordinaryParts(wide, 3),
      readerToken: adminToken,
      explainedId: users.tenant,
      listPath: `${API}/tenant-users`,
      readPaths: freshIds.map((id) => `${API}/tenant-users/${id}`),
      ...always({ scope: 'all_tenants_only' }),
    },
    {
      subject: `a tenant of ${count(sizes.usersOfTenant)} users`,
      ...ordinaryParts(wide, 2),
      readerToken: adminToken,
      explainedId: users.tenant,
      listPath: `${API}/tenant-users?tenantId=${tenantId}`,
      readPaths: [`${API}/tenants/${tenantId}`],
      ...always({ scope: 'all_tenant_users', tenantId }),
    },
    sharesParts(wide, sizes),
  ];
}

const watchCpu = (pids: readonly number[]) => async () =>
  (await Promise.all(pids.map(cpuSecondsOf))).map((seconds) => seconds * 1000);

const DRAIN_MS = 500;
/** The share of a core that the program and the engine use at most while nothing is left to do. */
const IDLE_SHARE = 0.3;

/** Waits until the requests that a load left behind are processed. */
async function drain(cpuMs: () => Promise<number[]>): Promise<void> {
  for (;;) {
    const before = await cpuMs();
    await sleep(DRAIN_MS);
    const used = (await cpuMs()).map((now, index) => now - (before[index] ?? 0));
    if (used.every((ms) => ms < DRAIN_MS * IDLE_SHARE)) return;
  }
}

/** Sends one request and waits for its answer: the requests before it are then processed as well. */
async function answerOne({ baseUrl, headers }: Aim, { method, next }: Work): Promise<void> {
  const { path, body } = next();
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const sent = { method, headers: { ...headers, 'content-type': 'application/json' }, ...content };
  await (await fetch(baseUrl + path, sent)).arrayBuffer();
}

/** Measures the works about wide subjects on the standalone. */
export async function measureWide(sizes: WideSizes, seconds: number): Promise<WideResults> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-wide-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const databaseOf = (service: string) => client.db(`gatehouse_${service}`);
    const wide = await seedWide(await readCredentials(dataDir), databaseOf, sizes);
    const rows: WideRow[] = [];
    for (const parts of subjectsOf(wide, sizes)) {
      for (const { subject, name, work, token } of worksOf(parts, wide.adminToken)) {
        const aim = { baseUrl: server.baseUrl, headers: { authorization: `Bearer ${token}` } };
        const cpuMs = watchCpu([server.pid, engine.pid]);
        await answerOne(aim, work);
        await load(aim, work, { connections: CONNECTIONS, seconds: 1 });
        await drain(cpuMs);
        await answerOne(aim, work);
        const before = await cpuMs();
        const measured = await load(aim, work, { connections: CONNECTIONS, seconds });
        await drain(cpuMs);
        const [programCpuMs = NaN, engineCpuMs = NaN] = (await cpuMs()).map(
          (used, index) => (used - (before[index] ?? NaN)) / (measured.requestsPerSecond * seconds),
        );
        rows.push({ subject, name, ...measured, programCpuMs, engineCpuMs });
        const times = [measured.p50Ms, measured.p99Ms, programCpuMs, engineCpuMs].map((ms) => ms.toFixed(1));
        process.stderr.write(`${subject}, ${name}: ${times.join(', ')} ms, ${measured.failures} failures\n`);
      }
    }
    return { sizes, rows };
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The results as a section of Markdown. */
export function reportWide({ rows }: WideResults): string {
  const lines = rows.map((row) => {
    const { subject, name, requestsPerSecond, p50Ms, p99Ms, programCpuMs, engineCpuMs, failures } = row;
    // A load whose requests are all too slow has no times.
    const isMet = requestsPerSecond > 0 && p50Ms <= P50_MAX_MS && p99Ms <= P99_MAX_MS && failures === 0;
    const numbers = [p50Ms, p99Ms, programCpuMs, engineCpuMs];
    const times = numbers.map((ms) => (requestsPerSecond > 0 ? ms.toFixed(1) : 'none'));
    const cells = [subject, name, Math.round(requestsPerSecond), ...times, failures];
    return `| ${[...cells, isMet ? 'met' : 'missed'].join(' | ')} |`;
  });
  return `
## Wide subjects

Standalone, ${CONNECTIONS} connections. The aim is at most ${P50_MAX_MS} ms (p50) and ${P99_MAX_MS} ms (p99).
The first page of viewers has 100.
CPU is the time of the program and of the engine per request, in milliseconds.

| subject | work | requests/s | p50 ms | p99 ms | program CPU | engine CPU | failures | verdict |
|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}
