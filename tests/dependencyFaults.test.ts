import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dashboard, DashboardVersion } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { removeDataDir, startNats, startTestMongo, type TcpProxy } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi, succeeded, type Answer, type Api } from './src/api.js';
import { followEvents, type EventLog } from './src/faults/eventLog.js';
import {
  FAULT_TABLE,
  NOTICED,
  PROXY_FAULTS,
  writeFaultTable,
  type FaultRow,
} from './src/faults/faultTable.js';
import { nameOf, readHops, SERVICES } from './src/faults/hops.js';
import { startLoopbackMesh, type LoopbackMesh } from './src/faults/loopbackMesh.js';
import { Parts } from './src/faults/parts.js';
import { makeProbes, type Probe, type ProbeWorld } from './src/faults/probes.js';

const CALL_TIMEOUT_MS = 3000;
const SETTINGS = {
  REQUEST_TIMEOUT_MS: String(CALL_TIMEOUT_MS),
  WEBHOOK_HOSTS: '127.0.0.1',
};
/** Twice the documented limit: the machine of the tests may be busy. */
const ANSWER_LIMIT_MS = 2 * 2 * CALL_TIMEOUT_MS;
/** Less than the wait of a call to an unreachable service. */
const NO_WAIT_LIMIT_MS = 2000;
const RECOVERY_LIMIT_MS = 2 * 5000;
const IN_FLIGHT_MS = 3;

const parts = new Parts();
let mesh: LoopbackMesh;
let api: Api;
let world: ProbeWorld;
let events: EventLog;
/** The request ids of the dashboard's confirmed changes. */
const changes: string[] = [];
/** The confirmed commits of the dashboard. */
const commits: string[] = [];

beforeAll(async () => {
  const mongo = parts.add(await startTestMongo());
  const nats = parts.add(await startNats());
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
  parts.add({ [Symbol.asyncDispose]: () => removeDataDir(DATA_DIR) });
  const stores = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, NATS_URL: nats.url };
  const places = { ...stores, DATA_DIR, REPOSITORY_DIR: join(DATA_DIR, 'repositories') };
  mesh = await startLoopbackMesh(parts, { ...places, ...SETTINGS });
  api = await createApi(mesh.credentials);
  // The first policy starts a compile thread, which may take longer than a call on a busy machine.
  world = await vi.waitFor(() => makeProbes(api), { timeout: 300_000 });
  events = parts.add(await followEvents(nats.url));
});
afterAll(() => parts[Symbol.asyncDispose]());

/** A fault, and the requests that it affects. */
interface Group {
  proxies: TcpProxy[];
  probes: Probe[];
}

/** The n-th of each part, for every n: no request meets two faults, because of the order of the probes. */
function roundsOf(probes: readonly Probe[]): Probe[][] {
  const rounds: Probe[][] = [];
  for (const probe of probes) {
    const open = rounds.find((round) => round.every(({ part }) => part !== probe.part));
    if (open === undefined) rounds.push([probe]);
    else open.push(probe);
  }
  return rounds;
}

/**
 * Parts that can fail simultaneously, so that each probe needs exactly one of them; all need the directory.
 */
function groupsOf({ dependency }: FaultRow): Group[] {
  const { probes } = world;
  const group = (picked: Probe[]): Group => ({
    probes: picked,
    proxies: picked.map((probe) => mesh.before(probe.part, probe.dependency)),
  });
  if (dependency === 'NATS') {
    const proxies = (['gateway', ...SERVICES] as const).map((part) => mesh.before(part, 'nats'));
    return [{ proxies, probes: probes.filter(({ part }) => part === 'gateway') }];
  }
  const isOfStore = (probe: Probe) => probe.dependency === 'mongodb';
  if (dependency === 'MongoDB of a service') {
    const ofStore = probes.filter(isOfStore);
    return [
      ofStore.filter(({ part }) => part === 'directory'),
      ofStore.filter(({ part }) => part !== 'directory'),
    ].map(group);
  }
  const ofService = probes.filter((probe) => !isOfStore(probe));
  const ofGateway = ofService.filter(({ part }) => part === 'gateway');
  return [
    ofGateway.filter((probe) => probe.dependency === 'directory'),
    ofGateway.filter((probe) => probe.dependency !== 'directory'),
    ...roundsOf(ofService.filter(({ part }) => part !== 'gateway')),
  ].map(group);
}

type Saved = Answer<{ versionControl?: { commitSha: string | null } }>;

async function send(probe: Probe): Promise<Answer> {
  const requestId = newKey();
  const answer = await probe.send({ 'x-request-id': requestId });
  if (probe.isSave && (isAnswered(answer) || isUncommitted(answer))) changes.push(requestId);
  const commit = (answer as Saved).body.versionControl?.commitSha;
  if (commit) commits.push(commit);
  return answer;
}

type Answers = [Probe, Answer][];

async function ask(probes: readonly Probe[], limitMs: number): Promise<Answers> {
  const startedAtMs = performance.now();
  const asked = probes.map(async (probe): Promise<[Probe, Answer]> => [probe, await send(probe)]);
  const answers = await Promise.all(asked);
  expect(performance.now() - startedAtMs).toBeLessThan(limitMs);
  return answers;
}

/** The response of each probe during the fault. */
async function answersUnder({ fault, bound }: FaultRow, { proxies, probes }: Group): Promise<Answers> {
  const started = PROXY_FAULTS[fault];
  if (started !== null) for (const proxy of proxies) proxy.fail(started);
  const asked = ask(probes, ANSWER_LIMIT_MS);
  if (started === null) {
    await sleep(IN_FLIGHT_MS);
    for (const proxy of proxies) proxy.cut();
  }
  const answers = await asked;
  if (bound === NOTICED) answers.push(...(await ask(probes, NO_WAIT_LIMIT_MS)));
  for (const proxy of proxies) proxy.heal();
  return answers;
}

const isAnswered = ({ status }: Answer) => status >= 200 && status < 300;
const isUnavailable = ({ status, headers }: Answer) => status === 503 && headers.get('retry-after') !== null;
const isUncommitted = ({ status, body }: Answer) =>
  status === 502 && body['code'] === 'COMMIT_FAILED' && body['dashboardSaved'] === true;

/** The responses that differ from the table. */
function misfits({ outcome }: FaultRow, answers: Answers): [string, number, unknown][] {
  const isRefused = (answer: Answer) => isUnavailable(answer) || isUncommitted(answer);
  const fits = ({ isRead }: Probe, answer: Answer) => {
    if (outcome === 'unavailable') return isRefused(answer);
    return isAnswered(answer) || (outcome !== 'answered' && !isRead && isRefused(answer));
  };
  const unfit = answers.filter(([probe, answer]) => !fits(probe, answer));
  return unfit.map(([probe, { status, body }]) => [nameOf(probe), status, body]);
}

async function expectRecovery({ probes }: Group): Promise<void> {
  const recover = (probe: Probe) =>
    vi.waitFor(
      async () => expect([nameOf(probe), isAnswered(await send(probe))]).toEqual([nameOf(probe), true]),
      {
        timeout: RECOVERY_LIMIT_MS,
        interval: 100,
      },
    );
  await Promise.all(probes.map(recover));
}

describe('a dependency that fails', () => {
  it('is tested on every connection of a service and the gateway', async () => {
    const stores = SERVICES.map((part) => nameOf({ part, dependency: 'mongodb' }));
    const all = [...(await readHops()).map(nameOf), ...stores];
    expect(world.probes.map(nameOf).toSorted()).toEqual(all.toSorted());
  });

  it.each(FAULT_TABLE)(
    '$dependency, $fault: $outcome, and everything works after the recovery',
    async (row) => {
      for (const group of groupsOf(row)) {
        expect(misfits(row, await answersUnder(row, group))).toEqual([]);
        await expectRecovery(group);
      }
    },
  );

  it('loses no confirmed change, and no commit or event of one', async () => {
    const path = `/dashboards/${world.dashboardId}`;
    const { dashboard } = succeeded(await api.admin.get<{ dashboard: Dashboard }>(path));
    expect(dashboard.version).toBeGreaterThan(changes.length);
    await expect.poll(() => events.missing(changes)).toEqual([]);
    const kept = succeeded(
      await api.admin.get<{ versions: DashboardVersion[] }>(`${path}/versions?limit=100`),
    );
    expect(commits).not.toEqual([]);
    expect(kept.versions.map(({ sha }) => sha)).toEqual(expect.arrayContaining(commits));
  });

  it('is described in the docs', async () => {
    const page = await readFile(new URL('../docs/faults.md', import.meta.url), 'utf8');
    const lines = page.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '));
    expect(lines).toEqual(expect.arrayContaining(writeFaultTable()));
  });
});
