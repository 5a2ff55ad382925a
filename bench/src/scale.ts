import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { prepareMesh, startNats, type MeshProcess, type MeshProcesses } from '@gatehouse/testing';
import { MongoClient } from 'mongodb';
import { load, type Work } from './load.js';
import { cpuSecondsOf } from './processUse.js';
import { seed, type Seeded } from './seed.js';

/** The result of one number of replicas for one work. */
interface Scale {
  work: string;
  replicas: number;
  requestsPerSecond: number;
  /** CPU time in microseconds per request, for all processes of a kind together. */
  cpuUs: Record<Part, number>;
  failures: number;
}

const PARTS = ['gateway', 'access', 'directory', 'engine', 'nats'] as const;
type Part = (typeof PARTS)[number];
type Pids = Record<Part, number[]>;

const DASHBOARDS = 5000;
const CONNECTIONS = 16;
const MICROSECONDS = 1_000_000;
const DASHBOARDS_PATH = '/api/management/v1/dashboards';

/** CPU time that processes have used by now, in microseconds, as Linux counts it. */
async function cpuUsOf(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map(cpuSecondsOf));
  return seconds.reduce((sum, time) => sum + time, 0) * MICROSECONDS;
}

async function readCpu(pids: Pids): Promise<Record<Part, number>> {
  const entries = await Promise.all(PARTS.map(async (part) => [part, await cpuUsOf(pids[part])] as const));
  return Object.fromEntries(entries) as Record<Part, number>;
}

function worksOf({
  visibleIds,
  allIds,
  viewerToken,
  ownerToken,
}: Seeded): Record<string, { work: Work; token: string }> {
  let count = 0;
  const nextOf = (ids: string[]) => `${DASHBOARDS_PATH}/${ids[(count += 1) % ids.length] ?? ''}`;
  const read: Work = { method: 'GET', next: () => ({ path: nextOf(visibleIds) }) };
  const update: Work = {
    method: 'PATCH',
    next: () => ({ path: nextOf(allIds), body: { title: `Title ${count}` } }),
  };
  return { read: { work: read, token: viewerToken }, update: { work: update, token: ownerToken } };
}

/** A gateway and the access service that only it calls. */
async function startReplica(
  mesh: MeshProcesses,
  directory: MeshProcess,
): Promise<[MeshProcess, MeshProcess]> {
  const DIRECTORY_URL = `ws://127.0.0.1:${directory.port}`;
  const access = await mesh.start('access', { DIRECTORY_URL });
  const gateway = await mesh.start('gateway', { DIRECTORY_URL, ACCESS_URL: `ws://127.0.0.1:${access.port}` });
  return [gateway, access];
}

async function measureWorks(
  seeded: Seeded,
  gateways: MeshProcess[],
  { pids, seconds }: { pids: Pids; seconds: number },
) {
  const measured: Scale[] = [];
  for (const [name, { work, token }] of Object.entries(worksOf(seeded))) {
    const run = (runSeconds: number) =>
      Promise.all(
        gateways.map(({ port }) => {
          const aim = { baseUrl: `http://127.0.0.1:${port}`, headers: { authorization: `Bearer ${token}` } };
          return load(aim, work, { connections: CONNECTIONS / gateways.length, seconds: runSeconds });
        }),
      );
    await run(1);
    const before = await readCpu(pids);
    const results = await run(seconds);
    const after = await readCpu(pids);
    const rate = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
    const shares = PARTS.map((part) => [part, (after[part] - before[part]) / (rate * seconds)]);
    measured.push({
      work: name,
      replicas: gateways.length,
      requestsPerSecond: rate,
      cpuUs: Object.fromEntries(shares) as Record<Part, number>,
      failures: results.reduce((sum, { failures }) => sum + failures, 0),
    });
  }
  return measured;
}

/**
 * Loads one gateway with one access service, then two of each, on one engine, one NATS server and one
 * directory.
 */
export async function measureScale(seconds: number): Promise<Scale[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-scale-'));
  const engine = await startEmbeddedEngine({ dataDir });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  try {
    await using nats = await startNats();
    await using mesh = await prepareMesh({ MONGODB_URL: engine.url, NATS_URL: nats.url });
    const directory = await mesh.start('directory');
    const replicas = [await startReplica(mesh, directory)];
    const baseUrl = `http://127.0.0.1:${replicas[0]?.[0].port}`;
    const seeded = await seed({ ...mesh.credentials, baseUrl }, client.db('gatehouse_access'), DASHBOARDS);
    const measure = () => {
      const pids = {
        gateway: replicas.map(([gateway]) => gateway.pid),
        access: replicas.map(([, access]) => access.pid),
        directory: [directory.pid],
        engine: [engine.pid],
        nats: [nats.pid],
      };
      return measureWorks(
        seeded,
        replicas.map(([gateway]) => gateway),
        { pids, seconds },
      );
    };
    const one = await measure();
    replicas.push(await startReplica(mesh, directory));
    return [...one, ...(await measure())];
  } finally {
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The cost of a request in the busiest of the replicated parts: each runs on one core. */
const perReplicaUs = ({ cpuUs, replicas }: Scale) => Math.max(cpuUs.gateway, cpuUs.access) / replicas;

/** The results as a section of Markdown, with an estimate for a machine with a core for each process. */
export function reportScale(measured: readonly Scale[]): string {
  const lines = measured.map((each) => {
    const costs = PARTS.map((part) => Math.round(each.cpuUs[part]));
    return `| ${each.work} | ${each.replicas} | ${Math.round(each.requestsPerSecond)} | ${costs.join(' | ')} | ${each.failures} |`;
  });
  const estimated = measured.flatMap((two) => {
    const one = measured.find(({ work, replicas }) => work === two.work && replicas === 1);
    if (one === undefined || two.replicas === 1) return [];
    const ratio = perReplicaUs(one) / perReplicaUs(two);
    const rate = 1e6 / perReplicaUs(two);
    const busy = (part: Part) => ((two.cpuUs[part] * rate) / 1e6).toFixed(2);
    return [
      `| ${two.work} | ${(two.requestsPerSecond / one.requestsPerSecond).toFixed(2)} | ${ratio.toFixed(2)} | ${Math.round(rate)} | ${busy('directory')} | ${busy('engine')} | ${busy('nats')} |`,
    ];
  });
  return `
## Two gateways and two access services

One engine, one NATS server and one directory for all; ${cpus().length} cores for everything, including the load.
CPU is the time of all processes of a kind, in microseconds per request.

| work | of each | requests/s | gateway | access | directory | engine | NATS | failures |
|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}

Estimated, not measured: the throughput of two gateways and two access services relative to one of each,
with a core for each, derived from the cost of a request in them.
The last columns show how many cores the single parts use at that rate.

| work | measured ratio | estimated ratio | estimated requests/s | directory | engine | NATS |
|---|---|---|---|---|---|---|
${estimated.join('\n')}
`;
}
