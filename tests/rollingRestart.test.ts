import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_URLS } from '@gatehouse/service';
import {
  prepareMesh,
  startBalancer,
  startNats,
  startTestMongo,
  type Balancer,
  type MeshApp,
  type MeshProcess,
} from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { createApi } from './src/api.js';
import { followEvents } from './src/faults/eventLog.js';
import { Parts } from './src/faults/parts.js';
import { readTitles, startLoad } from './src/faults/steadyLoad.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const APPS: MeshApp[] = ['directory', 'access', 'semantics', 'policy', 'lifecycle', 'audit', 'gateway'];
const WORKERS = 3;
/** Between the end of new connections and the signal: the preStop hook, which in the manifests takes longer. */
const PRE_STOP_MS = 200;

const settings = {
  ...WEBHOOK_SETTINGS,
  // Longer than the client of these tests keeps a connection that it does not use.
  DRAIN_MS: '2500',
};

/** A process of each app, behind a balancer by which the others find it and its successor. */
async function startMesh(parts: Parts) {
  const mongo = parts.add(await startTestMongo());
  const nats = parts.add(await startNats());
  const environment = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, NATS_URL: nats.url };
  const mesh = parts.add(await prepareMesh({ ...environment, ...settings }));
  const balancers = new Map<MeshApp, Balancer>();
  for (const app of APPS) balancers.set(app, parts.add(await startBalancer()));
  const portOf = (app: MeshApp) => balancers.get(app)?.port ?? 0;
  const urls = Object.entries(SERVICE_URLS).map(([name, variable]) => [
    variable,
    `ws://127.0.0.1:${portOf(name as MeshApp)}`,
  ]);
  const start = async (app: MeshApp) => {
    const started = await mesh.start(app, Object.fromEntries(urls) as Record<string, string>);
    await balancers.get(app)?.add(started.port);
    return started;
  };
  const processes: MeshProcess[] = [];
  for (const app of APPS) processes.push(await start(app));
  /** What a Deployment does with each pod: a successor first, then the end of new connections, a pause, and the signal. */
  const replace = async (old: MeshProcess) => {
    const successor = await start(old.app);
    balancers.get(old.app)?.remove(old.port);
    await sleep(PRE_STOP_MS);
    expect([old.app, await old.end('SIGTERM')]).toEqual([old.app, 0]);
    return successor;
  };
  const credentials = { ...mesh.credentials, baseUrl: `http://127.0.0.1:${portOf('gateway')}` };
  return { credentials, natsUrl: nats.url, processes, replace };
}

describe('a rolling restart of every process, under reads and changes', () => {
  it('fails no request, loses no change and no event', { timeout: 300_000 }, async () => {
    await using parts = new Parts();
    const { credentials, natsUrl, processes, replace } = await startMesh(parts);
    const api = await createApi(credentials);
    const events = parts.add(await followEvents(natsUrl));
    const load = parts.add(await startLoad(api, WORKERS));
    const { outcome } = load;
    await vi.waitUntil(() => outcome.changes.length + outcome.failures.length > 20, { timeout: 60_000 });
    expect(outcome.failures).toEqual([]);
    for (const old of processes) {
      const before = outcome.changes.length;
      await replace(old);
      expect([old.app, ...outcome.failures]).toEqual([old.app]);
      expect(outcome.changes.length).toBeGreaterThan(before);
    }
    await load.stop();
    const { failures, changes, titles } = outcome;
    expect(failures).toEqual([]);
    const stored = await readTitles(api);
    expect([...titles].filter(([id, title]) => stored.get(id) !== title)).toEqual([]);
    await expect.poll(() => events.missing(changes), { timeout: 20_000 }).toEqual([]);
  });
});
