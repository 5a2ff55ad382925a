import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dashboard } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { startNats, startTestMongo, type TcpProxy } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi, succeeded, type Answer, type Api } from './src/api.js';
import { followEvents, type EventLog } from './src/faults/eventLog.js';
import { FAULT_TABLE, PROXY_FAULTS, writeFaultTable, type FaultRow } from './src/faults/faultTable.js';
import { startLoopbackMesh, type LoopbackMesh } from './src/faults/loopbackMesh.js';
import { Parts } from './src/faults/parts.js';
import { makeProbes, type Probe, type ProbeWorld } from './src/faults/probes.js';

const CALL_TIMEOUT_MS = 3000;
const SETTINGS = {
  REQUEST_TIMEOUT_MS: String(CALL_TIMEOUT_MS),
  WEBHOOK_HOSTS: '127.0.0.1',
};
/** Twice what the page promises: the machine of the tests may be busy. */
const ANSWER_LIMIT_MS = 2 * 2 * CALL_TIMEOUT_MS;
const RECOVERY_LIMIT_MS = 2 * 5000;
const IN_FLIGHT_MS = 3;

const PARTS = ['gateway', 'directory', 'access', 'semantics', 'policy', 'lifecycle', 'audit'] as const;

const parts = new Parts();
let mesh: LoopbackMesh;
let api: Api;
let world: ProbeWorld;
let events: EventLog;
/** The request ids of the dashboard's changes that were answered. */
const changes: string[] = [];

beforeAll(async () => {
  const mongo = parts.add(await startTestMongo());
  const nats = parts.add(await startNats());
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
  parts.add({ [Symbol.asyncDispose]: () => rm(DATA_DIR, { recursive: true, force: true }) });
  const places = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, NATS_URL: nats.url, DATA_DIR };
  mesh = await startLoopbackMesh(parts, { ...places, ...SETTINGS });
  api = await createApi(mesh.credentials);
  world = await makeProbes(api);
  events = parts.add(await followEvents(nats.url));
});
afterAll(() => parts[Symbol.asyncDispose]());

/** What fails, and the requests that need it. */
interface Group {
  proxies: TcpProxy[];
  probes: Probe[];
}

/** Those that can fail at once, so that each probe needs one of them and no other; the directory is needed by all. */
function groupsOf({ dependency }: FaultRow): Group[] {
  const { probes } = world;
  const group = (picked: Probe[]): Group => ({
    probes: picked,
    proxies: picked.map((probe) => mesh.before(probe.part, probe.dependency)),
  });
  if (dependency === 'NATS') {
    const proxies = PARTS.map((part) => mesh.before(part, 'nats'));
    return [{ proxies, probes: probes.filter(({ part }) => part === 'gateway') }];
  }
  if (dependency === 'MongoDB of a service') {
    const ofStore = probes.filter((probe) => probe.dependency === 'mongodb');
    return [
      ofStore.filter(({ part }) => part === 'directory'),
      ofStore.filter(({ part }) => part !== 'directory'),
    ].map(group);
  }
  const ofService = probes.filter((probe) => probe.dependency !== 'mongodb');
  const isFirst = ({ part }: Probe) => part === 'gateway';
  const isDirectory = (probe: Probe) => isFirst(probe) && probe.dependency === 'directory';
  return [
    group(ofService.filter(isDirectory)),
    group(ofService.filter((probe) => isFirst(probe) && !isDirectory(probe))),
    group(ofService.filter((probe) => !isFirst(probe))),
  ];
}

async function send(probe: Probe): Promise<Answer> {
  const requestId = newKey();
  const answer = await probe.send({ 'x-request-id': requestId });
  if (probe.dependency === 'access' && probe.part === 'gateway' && answer.status === 200)
    changes.push(requestId);
  return answer;
}

const nameOf = ({ part, dependency }: Probe) => `${part} without ${dependency}`;

/** What each probe was answered while the fault lasts. */
async function answersUnder({ fault }: FaultRow, { proxies, probes }: Group): Promise<[Probe, Answer][]> {
  const started = PROXY_FAULTS[fault];
  if (started !== null) for (const proxy of proxies) proxy.fail(started);
  const startedAtMs = performance.now();
  const asked = probes.map(async (probe): Promise<[Probe, Answer]> => [probe, await send(probe)]);
  if (started === null) {
    await sleep(IN_FLIGHT_MS);
    for (const proxy of proxies) proxy.cut();
  }
  const answers = await Promise.all(asked);
  expect(performance.now() - startedAtMs).toBeLessThan(ANSWER_LIMIT_MS);
  for (const proxy of proxies) proxy.heal();
  return answers;
}

const isAnswered = ({ status }: Answer) => status >= 200 && status < 300;
const isUnavailable = ({ status, headers }: Answer) => status === 503 && headers.get('retry-after') !== null;

/** The answers that are not as the table says. */
function misfits({ outcome }: FaultRow, answers: [Probe, Answer][]): [string, number, unknown][] {
  const fits = ({ isRead }: Probe, answer: Answer) => {
    if (outcome === 'unavailable') return isUnavailable(answer);
    return isAnswered(answer) || (outcome !== 'answered' && !isRead && isUnavailable(answer));
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
  it.each(FAULT_TABLE)('$dependency, $fault: $outcome, and all is well when it is back', async (row) => {
    for (const group of groupsOf(row)) {
      expect(misfits(row, await answersUnder(row, group))).toEqual([]);
      await expectRecovery(group);
    }
  });

  it('takes no change with it that was answered, and no event of one', async () => {
    const path = `/dashboards/${world.dashboardId}`;
    const { dashboard } = succeeded(await api.admin.get<{ dashboard: Dashboard }>(path));
    expect(dashboard.version).toBeGreaterThan(changes.length);
    await expect.poll(() => events.missing(changes), { timeout: 20_000 }).toEqual([]);
  });

  it('is described as it is', async () => {
    const page = await readFile(new URL('../docs/faults.md', import.meta.url), 'utf8');
    const lines = page.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '));
    expect(lines).toEqual(expect.arrayContaining(writeFaultTable()));
  });
});
