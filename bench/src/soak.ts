import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { MongoClient } from 'mongodb';
import { load, type Aim, type Measured, type Work } from './load.js';
import { residentMb } from './processUse.js';
import { seed, type Seeded } from './seed.js';
import { readCredentials, startGatehouse } from './servers.js';

const DASHBOARDS = 20_000;
const CONNECTIONS = 16;
const SHARE_OF_MAXIMUM = 0.8;
const API = '/api/management/v1/dashboards';
const SAMPLES_PER_MINUTE = 12;
const BACKLOG_AFTER_MS = 5000;
const ROLES = ['VIEWER', 'EDITOR', 'CONTRIBUTOR'];

/** One minute of the load. */
interface Minute extends Measured {
  /** Mean resident memory of the program and of its engine. */
  programMb: number;
  engineMb: number;
  /** The mean part of the engine's memory that is its cache. */
  cacheMb: number;
}

export interface SoakResults {
  minuteSeconds: number;
  maximum: number;
  minutes: Minute[];
  /** The limit of the engine's cache. */
  cacheMaxMb: number;
  /** Unpublished events and dead letters, five seconds after the end. */
  backlog: number;
}

/** Of twenty requests: 13 reads of one dashboard, 2 checks of access, 1 list, 3 updates and 1 grant. */
function mixedWork({ allIds, tenantUserIds }: Seeded): Work {
  let count = 0;
  return {
    method: 'GET',
    next() {
      count += 1;
      const path = `${API}/${allIds[(count * 7919) % allIds.length] ?? ''}`;
      const kind = count % 20;
      if (kind === 0) return { path: API };
      if (kind <= 2) return { path: `${path}/access` };
      if (kind <= 5) return { method: 'PATCH', path, body: { title: `Title ${count}` } };
      if (kind > 6) return { path };
      const tenantUserId = tenantUserIds[Math.floor(count / 20) % tenantUserIds.length];
      const share = { scope: 'specific_tenant_user', role: ROLES[count % ROLES.length], tenantUserId };
      return { method: 'POST', path: `${path}/share`, body: { shares: [share] } };
    },
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The size of the engine's cache, and its limit. */
async function readCache(client: MongoClient): Promise<{ cacheMb: number; cacheMaxMb: number }> {
  const status = await client.db('admin').command({ serverStatus: 1 });
  const { cache } = status['wiredTiger'] as { cache: Record<string, number> };
  const mbOf = (name: string) => (cache[name] ?? Number.NaN) / 1024 / 1024;
  return {
    cacheMb: mbOf('bytes currently in the cache'),
    cacheMaxMb: mbOf('maximum bytes configured'),
  };
}

const FILLER_BYTES = 16_384;
const FILLER_BATCH = 64;

/**
 * Fills the engine's cache with other records, as it is after some hours. A cache that is not full grows with
 * the load, and would hide whether anything else does.
 */
async function fillCache(client: MongoClient): Promise<void> {
  const filler = client.db('filler').collection('records');
  const { cacheMaxMb } = await readCache(client);
  const batches = Math.ceil((cacheMaxMb * 1024 * 1024) / (FILLER_BYTES * FILLER_BATCH));
  for (let batch = 0; batch < batches; batch += 1) {
    const text = String(batch).padEnd(FILLER_BYTES, '.');
    await filler.insertMany(Array.from({ length: FILLER_BATCH }, () => ({ text })));
  }
}

interface Soaked {
  aim: Aim;
  work: Work;
  client: MongoClient;
  programPid: number;
  enginePid: number;
}

/** Loads the program for one minute at a rate, and samples its memory. */
async function measureMinute(
  { aim, work, client, programPid, enginePid }: Soaked,
  { seconds, requestsPerSecond }: { seconds: number; requestsPerSecond: number },
): Promise<Minute> {
  const program: number[] = [];
  const engine: number[] = [];
  const cache: number[] = [];
  const loading = load(aim, work, { connections: CONNECTIONS, seconds, requestsPerSecond });
  for (let sample = 0; sample < SAMPLES_PER_MINUTE; sample += 1) {
    await sleep((seconds * 1000) / (SAMPLES_PER_MINUTE + 1));
    program.push(await residentMb(programPid));
    engine.push(await residentMb(enginePid));
    cache.push((await readCache(client)).cacheMb);
  }
  const memory = { programMb: mean(program), engineMb: mean(engine), cacheMb: mean(cache) };
  return { ...(await loading), ...memory };
}

/** Counts the unpublished events and the dead letters of all services. */
async function countBacklog(client: MongoClient): Promise<number> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const counts: number[] = [];
  for (const { name } of databases.filter((found) => found.name.startsWith('gatehouse_'))) {
    const database = client.db(name);
    for (const collection of await database.collections()) {
      const isLetters = collection.collectionName === 'deadLetters';
      counts.push(await collection.countDocuments(isLetters ? {} : { 'outbox.time': { $gt: '' } }));
    }
  }
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Loads the standalone with its maximum and then, minute by minute, with four fifths of it. */
export async function measureSoak(minuteSeconds: number, minutes = 10): Promise<SoakResults> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-soak-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dataDir, 'engine') });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  const server = await startGatehouse('standalone', { mongodbUrl: engine.url, dataDir });
  try {
    const seeded = await seed(await readCredentials(dataDir), client.db('gatehouse_access'), {
      count: DASHBOARDS,
    });
    const headers = { authorization: `Bearer ${seeded.ownerToken}` };
    const aim = { baseUrl: server.baseUrl, headers };
    const pids = { programPid: server.pid, enginePid: engine.pid };
    const soaked = { aim, work: mixedWork(seeded), client, ...pids };
    const full = { connections: CONNECTIONS, seconds: Math.ceil(minuteSeconds / 3) };
    await fillCache(client);
    await load(aim, soaked.work, full);
    const { requestsPerSecond: maximum } = await load(aim, soaked.work, full);
    const rate = { seconds: minuteSeconds, requestsPerSecond: Math.floor(maximum * SHARE_OF_MAXIMUM) };
    const measured: Minute[] = [];
    for (let minute = 0; minute < minutes; minute += 1) {
      measured.push(await measureMinute(soaked, rate));
      const { requestsPerSecond, p99Ms, programMb, engineMb } = measured.at(-1) as Minute;
      const numbers = [requestsPerSecond, p99Ms, programMb, engineMb].map(Math.round);
      process.stderr.write(`minute ${minute + 1}: ${numbers.join(', ')}\n`);
    }
    await sleep(BACKLOG_AFTER_MS);
    const { cacheMaxMb } = await readCache(client);
    return { minuteSeconds, maximum, minutes: measured, cacheMaxMb, backlog: await countBacklog(client) };
  } finally {
    await server.stop();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const GROWTH_MAX = 1.05;
const SLOWDOWN_MAX = 1.2;
/** The minutes that count begin with the third. */
const SETTLED_FROM = 2;

/** The most of the settled minutes, as a ratio to the first of them. */
const growthOf = (values: readonly number[]) => Math.max(...values) / (values[0] ?? Number.NaN);

/** Each aim with what was measured, as rows of a table. */
function verdictsOf(minutes: readonly Minute[], backlog: number): string[] {
  const settled = minutes.slice(SETTLED_FROM);
  const [third] = settled;
  const last = settled.at(-1);
  const program = growthOf(settled.map(({ programMb }) => programMb));
  const engine = growthOf(settled.map(({ engineMb }) => engineMb));
  const slowdown = (last?.p99Ms ?? Number.NaN) / (third?.p99Ms ?? Number.NaN);
  const failures = minutes.reduce((sum, minute) => sum + minute.failures, 0);
  const times = (value: number, digits: number) => `${value.toFixed(digits)} times`;
  const aims: [aim: string, measured: string, holds: boolean][] = [
    ['the program grows by at most 5 % after the second minute', times(program, 3), program <= GROWTH_MAX],
    ['the engine grows by at most 5 % after the second minute', times(engine, 3), engine <= GROWTH_MAX],
    [
      'p99 of the last minute is at most 1.2 times that of the third',
      times(slowdown, 2),
      slowdown <= SLOWDOWN_MAX,
    ],
    ['no request fails', `${failures} failures`, failures === 0],
    ['no event waits 5 s after the end', `${backlog} events`, backlog === 0],
  ];
  return aims.map(([aim, measured, holds]) => `| ${aim} | ${measured} | ${holds ? 'met' : 'missed'} |`);
}

/** The results as a section of Markdown, with a verdict on each aim. */
export function reportSoak({ minuteSeconds, maximum, minutes, cacheMaxMb, backlog }: SoakResults): string {
  const verdicts = verdictsOf(minutes, backlog);
  const lines = minutes.map((minute, index) => {
    const { requestsPerSecond, p50Ms, p99Ms, programMb, engineMb, cacheMb } = minute;
    const waits = [p50Ms, p99Ms].map((ms) => ms.toFixed(1));
    const cells = [
      index + 1,
      Math.round(requestsPerSecond),
      ...waits,
      Math.round(programMb),
      Math.round(engineMb),
      Math.round(cacheMb),
    ];
    return `| ${[...cells, minute.failures].join(' | ')} |`;
  });
  return `
## Under load for ten minutes

Standalone with its engine, ${CONNECTIONS} connections, 20,000 dashboards, at ${SHARE_OF_MAXIMUM * 100} % of the maximum,
which was ${Math.round(maximum)} requests/s.
Of twenty requests, 13 read a dashboard, 2 check access, 1 lists, 3 update and 1 grants.
Memory is the mean resident memory of the minute in MB. A minute has ${minuteSeconds} s.
The memory of the engine includes its cache of at most ${Math.round(cacheMaxMb)} MB, which was filled before.

| minute | requests/s | p50 ms | p99 ms | program MB | engine MB | cache MB | failures |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

| aim | measured | verdict |
|---|---|---|
${verdicts.join('\n')}
`;
}
