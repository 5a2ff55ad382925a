import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient, type Collection, type Document } from 'mongodb';
import { residentMb } from './processUse.js';
import { percentile } from './load.js';
import { caller, issueToken, type Call } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

interface Latency {
  p50Ms: number;
  p95Ms: number;
}

/** The cost of one query of the audit log, over HTTP and with the driver only. */
export interface AuditQuestionCost {
  name: string;
  http: Latency;
  limit: Latency;
}

export interface AuditCost {
  entries: number;
  questions: AuditQuestionCost[];
  /** Seconds to export everything, and megabytes resident before and at the maximum. */
  exportSeconds: number;
  restMb: number;
  peakMb: number;
}

const API = '/api/management/v1/audit-events';
const BATCH = 5000;
const PAGE = 100;
const YEAR_MS = 365 * 86_400_000;
const STARTED_AT = Date.parse('2025-01-01T00:00:00Z');
const ACTORS = 200;
const PROJECTS = 20;
const RESOURCES = 50_000;
const TOKENS = 2000;
const NOUNS = ['dashboard', 'dashboard_share', 'visual', 'group', 'tenant_user', 'connection', 'domain'];
const VERBS = ['updated', 'created', 'deleted', 'granted'];
const REFUSED = 'management.request.refused.v1';
const REFUSED_EVERY = 50;

type Entries = Collection<Document & { _id: string }>;

const hash = () => randomBytes(32).toString('hex');
/** Low numbers come more often than high ones. */
const skewed = (count: number) => Math.floor(count * Math.random() ** 3);
const pick = (values: readonly string[]) => values[skewed(values.length)] ?? '';

function entryOf(organizationId: string, sequence: number, spacingMs: number): Document & { _id: string } {
  const eventId = randomBytes(12).toString('base64url');
  const time = new Date(STARTED_AT + sequence * spacingMs);
  const isRefused = sequence % REFUSED_EVERY === 0;
  return {
    _id: `${organizationId}:${eventId}`,
    organizationId,
    sequence,
    eventId,
    projectId: `p_${skewed(PROJECTS)}`,
    type: isRefused ? REFUSED : `management.${pick(NOUNS)}.${pick(VERBS)}.v1`,
    resourceId: `d_${skewed(RESOURCES)}`,
    actorId: `ou_${skewed(ACTORS)}`,
    actorKind: 'orgUser',
    tokenId: `jti-${skewed(TOKENS)}`,
    requestId: `request-${sequence}`,
    source: '/gatehouse/access',
    time,
    recordedAt: time,
    data: JSON.stringify({ id: `d_${sequence}`, title: 'Sales of the year', note: 'x'.repeat(200) }),
    previousHash: hash(),
    hash: hash(),
    seal: `abcdefgh.${randomBytes(32).toString('base64url')}`,
  };
}

/** The program may still append the events of its start. */
const LATE_ENTRIES = 1000;

/**
 * Creates entries after those that the program wrote. Their hashes are invented: reading does not verify
 * them.
 */
async function fill(entries: Entries, organizationId: string, count: number): Promise<void> {
  const last = await entries.findOne({ organizationId }, { sort: { sequence: -1 } });
  const first = Number(last?.['sequence'] ?? 0) + LATE_ENTRIES;
  for (let start = first; start < first + count; start += BATCH) {
    const size = Math.min(BATCH, first + count - start);
    const batch = Array.from({ length: size }, (_, n) => entryOf(organizationId, start + n, YEAR_MS / count));
    await entries.insertMany(batch, { ordered: false, writeConcern: { w: 1, journal: false } });
  }
}

interface Question {
  name: string;
  /** The query of one request, with other parameters each time. */
  ask(): Record<string, string>;
  /** The same for the driver. */
  find(query: Record<string, string>): Record<string, unknown>;
}

const day = () => {
  const from = STARTED_AT + Math.floor(Math.random() * 364) * 86_400_000;
  return { from: new Date(from).toISOString(), to: new Date(from + 86_400_000).toISOString() };
};
const within = ({ from = '', to = '' }: Record<string, string>) => ({
  time: { $gte: new Date(from), $lt: new Date(to) },
});
const typesLike = (pattern: RegExp) =>
  NOUNS.flatMap((noun) => VERBS.map((verb) => `management.${noun}.${verb}.v1`)).filter((type) =>
    pattern.test(type),
  );
const field = (name: string, value: () => string): Question => ({
  name,
  ask: () => ({ [name]: value() }),
  find: (query) => query,
});

const QUESTIONS: readonly Question[] = [
  { name: 'no filter', ask: () => ({}), find: () => ({}) },
  { name: 'no filter, oldest first', ask: () => ({ order: 'asc' }), find: () => ({}) },
  field('projectId', () => `p_${skewed(PROJECTS)}`),
  field('actorId', () => `ou_${skewed(ACTORS)}`),
  field('type', () => `management.${pick(NOUNS)}.${pick(VERBS)}.v1`),
  {
    name: 'type management.dashboard.*',
    ask: () => ({ type: 'management.dashboard.*' }),
    find: () => ({ type: { $in: typesLike(/\.dashboard\./) } }),
  },
  {
    name: 'type management.*.deleted',
    ask: () => ({ type: 'management.*.deleted' }),
    find: () => ({ type: { $in: typesLike(/\.deleted\./) } }),
  },
  {
    name: 'resourceType',
    ask: () => ({ resourceType: pick(NOUNS) }),
    find: ({ resourceType = '' }) => ({ type: { $in: typesLike(new RegExp(`\\.${resourceType}\\.`)) } }),
  },
  field('resourceId', () => `d_${skewed(RESOURCES)}`),
  { name: 'outcome refused', ask: () => ({ outcome: 'refused' }), find: () => ({ type: REFUSED }) },
  {
    name: 'outcome done',
    ask: () => ({ outcome: 'done' }),
    find: () => ({ type: { $in: typesLike(/./) } }),
  },
  field('requestId', () => `request-${Math.floor(Math.random() * 10_000)}`),
  field('tokenId', () => `jti-${skewed(TOKENS)}`),
  { name: 'from and to, a day', ask: day, find: within },
  {
    name: 'actorId within a day',
    ask: () => ({ actorId: `ou_${skewed(ACTORS)}`, ...day() }),
    find: ({ actorId = '', ...query }) => ({ actorId, ...within(query) }),
  },
  {
    name: 'resourceType and actorId',
    ask: () => ({ actorId: `ou_${skewed(ACTORS)}`, resourceType: pick(NOUNS) }),
    find: ({ actorId = '', resourceType = '' }) => ({
      actorId,
      type: { $in: typesLike(new RegExp(`\\.${resourceType}\\.`)) },
    }),
  },
];

async function timed(times: number, work: () => Promise<unknown>): Promise<Latency> {
  const taken: number[] = [];
  for (let n = -5; n < times; n += 1) {
    const startedAt = performance.now();
    await work();
    if (n >= 0) taken.push(performance.now() - startedAt);
  }
  taken.sort((a, b) => a - b);
  return { p50Ms: percentile(taken, 0.5), p95Ms: percentile(taken, 0.95) };
}

interface Asked {
  call: Call;
  entries: Entries;
  organizationId: string;
  times: number;
}

async function measureQuestion(question: Question, { call, entries, organizationId, times }: Asked) {
  const http = await timed(times, () =>
    call('GET', `${API}?${new URLSearchParams(question.ask()).toString()}`),
  );
  const limit = await timed(times, () => {
    const { order, ...query } = question.ask();
    const direction = order === 'asc' ? 1 : -1;
    const options = { sort: { time: direction, sequence: direction }, limit: PAGE } as const;
    return entries.find({ organizationId, ...question.find(query) }, options).toArray();
  });
  return { name: question.name, http, limit };
}

/** Consecutive pages: each request continues where the previous one ended. */
async function measurePaging({ call, entries, organizationId, times }: Asked): Promise<AuditQuestionCost> {
  let cursor: string | null = null;
  const http = await timed(times, async () => {
    const query: string = cursor === null ? 'to=2025-07-01T00:00:00Z' : `cursor=${cursor}`;
    ({ nextCursor: cursor } = (await call('GET', `${API}?${query}`)) as unknown as {
      nextCursor: string | null;
    });
  });
  let time = new Date('2025-07-01T00:00:00Z');
  const limit = await timed(times, async () => {
    const options = { sort: { time: -1, sequence: -1 }, limit: PAGE } as const;
    const page = await entries.find({ organizationId, time: { $lt: time } }, options).toArray();
    time = page.at(-1)?.['time'] as Date;
  });
  return { name: 'page after page', http, limit };
}

/** Reads the whole export as it arrives and keeps nothing of it. */
async function measureExport(baseUrl: string, token: string) {
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' };
  const response = await fetch(`${baseUrl}${API}/export`, { headers });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  if (!response.ok || bytes === 0) throw new Error('Nothing was exported');
  return (performance.now() - startedAt) / 1000;
}

/** Measures the audit log of a standalone with this many entries. */
export async function measureAudit(count: number, times: number): Promise<AuditCost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-audit-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const credentials = await readCredentials(dataDir);
    const { organizationId, baseUrl } = credentials;
    const token = await issueToken(credentials, { orgUserId: credentials.adminOrgUserId });
    const entries: Entries = client.db('gatehouse_audit').collection('auditEvents');
    await fill(entries, organizationId, count);
    const asked = { call: caller(baseUrl, token), entries, organizationId, times };
    const questions: AuditQuestionCost[] = [];
    for (const question of QUESTIONS) questions.push(await measureQuestion(question, asked));
    questions.push(await measurePaging(asked));
    const restMb = await residentMb(server.pid);
    let peakMb = restMb;
    const looking = setInterval(() => {
      residentMb(server.pid).then(
        (mb) => (peakMb = Math.max(peakMb, mb)),
        () => {},
      );
    }, 50);
    const exportSeconds = await measureExport(baseUrl, token).finally(() => clearInterval(looking));
    return { entries: count, questions, exportSeconds, restMb, peakMb };
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const ms = (value: number) => value.toFixed(1);
const whole = (value: number) => Math.round(value).toLocaleString('en');

/** The costs as a section of the results. */
export function reportAudit(cost: AuditCost): string {
  const rows = cost.questions.map(
    ({ name, http, limit }) =>
      `| ${name} | ${ms(http.p50Ms)} | ${ms(http.p95Ms)} | ${ms(limit.p50Ms)} | ${ms(limit.p95Ms)} |`,
  );
  return `
## Audit log

Standalone, ${whole(cost.entries)} entries in one organization, one request at a time,
pages of ${PAGE}.
The limit is the query with the driver only.

| request | p50 ms | p95 ms | limit p50 ms | limit p95 ms |
|---|---|---|---|---|
${rows.join('\n')}

The export of everything as NDJSON took ${cost.exportSeconds.toFixed(1)} s.
The process had ${whole(cost.restMb)} MB before and ${whole(cost.peakMb)} MB at most.
`;
}
