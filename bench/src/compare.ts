import { load, type Measured, type Work } from './load.js';
import { cpuSecondsBelow, cpuSecondsOf } from './processUse.js';
import type { Seeded } from './seed.js';
import type { Server } from './servers.js';

const CONNECTIONS = [1, 16, 64];
export const WORKS = ['list', 'read', 'update', 'share', 'check access'] as const;
const WRITES: readonly WorkName[] = ['update', 'share'];

export type WorkName = (typeof WORKS)[number];

/** CPU time of a request in microseconds. */
interface RequestCost {
  /** Of the server with all of its processes, without the engine. */
  programUs: number;
  engineUs: number;
}

type Run = Measured & RequestCost;

/** The result of a server for one kind of work. */
export interface Row extends Run {
  work: string;
  connections: number;
  server: string;
}

export interface ComparisonSettings {
  seconds: number;
  rounds: number;
  works: readonly WorkName[];
}

export const pick = <T>(values: T[]): T => values[Math.floor(Math.random() * values.length)] as T;

/** The dashboards that are changed: users work on a few of many. */
export const WORKING_SET = 2000;
export const ROLES = ['VIEWER', 'EDITOR', 'CONTRIBUTOR'];

/** The same work for Gatehouse, below its base path, and for the limit. */
function worksOf(seeded: Seeded, base: string): Record<WorkName, Work> {
  const working = seeded.allIds.slice(0, WORKING_SET);
  const visible = (verb = '') => ({ path: `${base}/dashboards/${pick(seeded.visibleIds)}${verb}` });
  const changed = (verb = '') => `${base}/dashboards/${pick(working)}${verb}`;
  const share = () => ({
    shares: [{ scope: 'specific_tenant_user', role: pick(ROLES), tenantUserId: pick(seeded.tenantUserIds) }],
  });
  return {
    list: { method: 'GET', next: () => ({ path: `${base}/dashboards` }) },
    read: { method: 'GET', next: () => visible() },
    update: { method: 'PATCH', next: () => ({ path: changed(), body: { title: `Title ${Math.random()}` } }) },
    share: { method: 'POST', next: () => ({ path: changed('/share'), body: share() }) },
    'check access': { method: 'GET', next: () => visible('/access') },
  };
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function medianOf(runs: Run[]): Run {
  return {
    programUs: median(runs.map((run) => run.programUs)),
    engineUs: median(runs.map((run) => run.engineUs)),
    requestsPerSecond: median(runs.map((run) => run.requestsPerSecond)),
    p50Ms: median(runs.map((run) => run.p50Ms)),
    p95Ms: median(runs.map((run) => run.p95Ms)),
    p99Ms: median(runs.map((run) => run.p99Ms)),
    failures: runs.reduce((sum, run) => sum + run.failures, 0),
  };
}

interface Trial {
  work: WorkName;
  connections: number;
}

/** A server, the work that it is given, and the headers of its requests. */
export interface Target {
  server: Server;
  works: Partial<Record<WorkName, Work>>;
  headersOf(work: WorkName): Record<string, string>;
}

/** Returns Gatehouse, or the limit, with what there is in it. */
export function targetOf(server: Server, seeded: Seeded): Target {
  const base = server.name === 'limit' ? '' : '/api/management/v1';
  const tokenOf = (work: WorkName) => (WRITES.includes(work) ? seeded.ownerToken : seeded.viewerToken);
  return {
    server,
    works: worksOf(seeded, base),
    headersOf: (work) => ({ authorization: `Bearer ${tokenOf(work)}` }),
  };
}

/** One measurement of one server. */
async function measure(
  { server, works, headersOf }: Target,
  { work: name, connections, seconds }: Trial & { seconds: number },
  enginePid: number,
): Promise<Run> {
  const work = works[name];
  if (work === undefined) throw new Error(`${server.name} has no ${name}`);
  const taken = () => Promise.all([cpuSecondsBelow(server.pid), cpuSecondsOf(enginePid)]);
  const before = await taken();
  const target = { baseUrl: server.baseUrl, headers: headersOf(name) };
  const measured = await load(target, work, { connections, seconds });
  const [program, engine] = (await taken()).map((total, index) => total - (before[index] ?? 0));
  const perRequest = (cpuSeconds = 0) => (cpuSeconds * 1e6) / (measured.requestsPerSecond * seconds);
  return { ...measured, programUs: perRequest(program), engineUs: perRequest(engine) };
}

/** Measures the servers alternately, so that other load on the machine affects all of them equally. */
async function measureByTurns(
  targets: Target[],
  { work, connections, seconds, rounds }: Trial & Omit<ComparisonSettings, 'works'>,
  enginePid: number,
): Promise<Row[]> {
  const able = targets.filter(({ works }) => works[work] !== undefined);
  const runs = able.map((): Run[] => []);
  // The round before the first warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, target] of able.entries()) {
      const measured = await measure(target, { work, connections, seconds }, enginePid);
      if (round > 0) runs[index]?.push(measured);
    }
  }
  return able.map(({ server: { name } }, index) => ({
    work,
    connections,
    server: name,
    ...medianOf(runs[index] ?? []),
  }));
}

/** Measures every work at every number of connections. Reports its progress on standard error. */
export async function compare(
  targets: Target[],
  settings: ComparisonSettings,
  enginePid: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of CONNECTIONS) {
    for (const work of settings.works) {
      const measured = await measureByTurns(targets, { work, connections, ...settings }, enginePid);
      rows.push(...measured);
      const rates = measured.map((row) => `${row.server} ${Math.round(row.requestsPerSecond)}/s`);
      process.stderr.write(`${work}, ${connections} connections: ${rates.join(', ')}\n`);
    }
  }
  return rows;
}
