import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_NAMES } from '@gatehouse/contract';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { findFreePort } from '@gatehouse/service';
import {
  prepareMesh,
  startNats,
  type MeshApp,
  type MeshProcess,
  type MeshProcesses,
} from '@gatehouse/testing';
import { MongoClient } from 'mongodb';
import { prepareWorks, type InstanceWork } from './instanceWorks.js';
import { load } from './load.js';
import { cpuSecondsOf, residentMb } from './processUse.js';

export const APPS: readonly MeshApp[] = ['gateway', ...SERVICE_NAMES];
/** What all instances share. */
export const SHARED = ['engine', 'nats'] as const;
export type Part = MeshApp | (typeof SHARED)[number];
export const PARTS: readonly Part[] = [...APPS, ...SHARED];

const COUNTS = [1, 2, 4] as const;
export const CONNECTIONS = 16;
const MICROSECONDS = 1_000_000;

/** A work on so many gateways, each with services of its own: medians of the rounds. */
export interface InstanceCost {
  work: string;
  instances: number;
  requestsPerSecond: number;
  /** CPU time per request in microseconds, of all processes of a kind together, without that at rest. */
  cpuUs: Record<Part, number>;
  failures: number;
}

export interface InstanceResults {
  costs: InstanceCost[];
  /** Resident memory of one process of each kind after the load, in MB: the largest. */
  memoryMb: Record<Part, number>;
}

type Pids = Record<Part, number[]>;

function recordOf(valueOf: (part: Part) => number): Record<Part, number> {
  return Object.fromEntries(PARTS.map((part) => [part, valueOf(part)])) as Record<Part, number>;
}

async function readCpuUs(pids: Pids): Promise<Record<Part, number>> {
  const entries = await Promise.all(
    PARTS.map(async (part) => [part, await Promise.all(pids[part].map(cpuSecondsOf))] as const),
  );
  const used = new Map(entries);
  return recordOf((part) => (used.get(part) ?? []).reduce((sum, time) => sum + time, 0) * MICROSECONDS);
}

/** Starts a gateway and one process of each service, which call only each other. */
async function startInstance(mesh: MeshProcesses): Promise<MeshProcess[]> {
  const ports = new Map<MeshApp, number>();
  for (const app of APPS) ports.set(app, await findFreePort());
  const urls = Object.fromEntries(
    SERVICE_NAMES.map((name) => [`${name.toUpperCase()}_URL`, `ws://127.0.0.1:${ports.get(name)}`]),
  );
  const started: MeshProcess[] = [];
  for (const app of APPS.toReversed())
    started.push(await mesh.start(app, { ...urls, PORT: String(ports.get(app)) }));
  return started;
}

/** Loads the gateways together, with the same number of connections in all. */
async function loadAll(ports: readonly number[], { work, token }: InstanceWork, seconds: number) {
  const loads = ports.map((port) => {
    const aim = { baseUrl: `http://127.0.0.1:${port}`, headers: { authorization: `Bearer ${token}` } };
    return load(aim, work, { connections: CONNECTIONS / ports.length, seconds });
  });
  const measured = await Promise.all(loads);
  return {
    requestsPerSecond: measured.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
    failures: measured.reduce((sum, { failures }) => sum + failures, 0),
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function medianOf(rounds: readonly InstanceCost[]): InstanceCost {
  const [first] = rounds;
  if (first === undefined) throw new Error('no round was measured');
  return {
    ...first,
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    cpuUs: recordOf((part) => median(rounds.map((round) => round.cpuUs[part]))),
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
  };
}

/** The events of a load are processed after it, and their cost belongs to it. */
const CATCH_UP_MS = 2000;

interface Measurement {
  gatewayPorts: readonly number[];
  pids: Pids;
  /** CPU time per second at rest. */
  restUs: Record<Part, number>;
  seconds: number;
}

/** Loads different numbers of instances alternately, so that other load affects all of them equally. */
async function measureWork(
  named: InstanceWork,
  { gatewayPorts, pids, restUs, seconds }: Measurement,
  rounds: number,
): Promise<InstanceCost[]> {
  const measured = COUNTS.map((): InstanceCost[] => []);
  await loadAll(gatewayPorts, named, 1);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, instances] of COUNTS.entries()) {
      const before = await readCpuUs(pids);
      const startedMs = performance.now();
      const result = await loadAll(gatewayPorts.slice(0, instances), named, seconds);
      await sleep(CATCH_UP_MS);
      const tookSeconds = (performance.now() - startedMs) / 1000;
      const after = await readCpuUs(pids);
      const requests = result.requestsPerSecond * seconds;
      const usedUs = (part: Part) => after[part] - before[part] - restUs[part] * tookSeconds;
      const cpuUs = recordOf((part) => Math.max(0, usedUs(part)) / requests);
      measured[index]?.push({ work: named.name, instances, ...result, cpuUs });
    }
  }
  return measured.map(medianOf);
}

async function measureRest(pids: Pids, seconds: number): Promise<Record<Part, number>> {
  const before = await readCpuUs(pids);
  await sleep(seconds * 1000);
  const after = await readCpuUs(pids);
  return recordOf((part) => (after[part] - before[part]) / seconds);
}

async function measureMemory(pids: Pids): Promise<Record<Part, number>> {
  const entries = await Promise.all(
    PARTS.map(async (part) => [part, Math.max(...(await Promise.all(pids[part].map(residentMb))))] as const),
  );
  const found = new Map(entries);
  return recordOf((part) => found.get(part) ?? Number.NaN);
}

/**
 * Measures one, two and four gateways, each with one process of every service of its own, on one engine and
 * one NATS server. All of them run throughout; what they use at rest is subtracted.
 */
export async function measureInstances(seconds: number, rounds: number): Promise<InstanceResults> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-instances-'));
  const engine = await startEmbeddedEngine({ dataDir });
  const client = await new MongoClient(engine.url, { retryWrites: false }).connect();
  try {
    await using nats = await startNats();
    await using mesh = await prepareMesh({ MONGODB_URL: engine.url, NATS_URL: nats.url });
    const processes: MeshProcess[] = [];
    while (processes.length < Math.max(...COUNTS) * APPS.length)
      processes.push(...(await startInstance(mesh)));
    const pidsOf = (app: Part) => processes.filter((each) => each.app === app).map(({ pid }) => pid);
    const own = Object.fromEntries(APPS.map((app) => [app, pidsOf(app)]));
    const pids = { ...own, engine: [engine.pid], nats: [nats.pid] } as Pids;
    const gatewayPorts = processes.filter(({ app }) => app === 'gateway').map(({ port }) => port);
    const baseUrl = `http://127.0.0.1:${gatewayPorts[0]}`;
    const works = await prepareWorks({ ...mesh.credentials, baseUrl }, client.db('gatehouse_access'));
    await sleep(CATCH_UP_MS);
    const restUs = await measureRest(pids, 2 * seconds);
    const costs: InstanceCost[] = [];
    for (const work of works)
      costs.push(...(await measureWork(work, { gatewayPorts, pids, restUs, seconds }, rounds)));
    return { costs, memoryMb: await measureMemory(pids) };
  } finally {
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
