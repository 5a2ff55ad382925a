import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessExplanation } from '@gatehouse/contract';
import { startEmbeddedEngine, type EmbeddedEngine } from '@gatehouse/engine';
import { connectNatsBus, createLog, newKey, openDatabases, type Databases } from '@gatehouse/service';
import { startNats, type NatsServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { addOrgUser } from './src/people.js';
import { spawnServer, startTestMesh, type TestMesh } from './src/servers.js';

const WRITERS = 3;
const PREFIX = 'faults';
const CATCH_UP = { timeout: 30_000, interval: 250 };

interface Recorded {
  _id: string;
  record: string;
  sequence: string;
}

/** Creates, shares and renames until told to stop. A request that is refused or breaks off is no fault here. */
async function writeUntil(session: Session, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      const { body } = await session.post<{ dashboard?: { id: string } }>('/dashboards', { title: 'Faults' });
      const path = `/dashboards/${body.dashboard?.id}`;
      await session.post(`${path}/share`, { shares: [{ scope: 'all_org_users', role: 'VIEWER' }] });
      await session.patch(path, { title: newKey() });
    } catch {
      await sleep(20);
    }
  }
}

/** For each resource the number of events that its document has had, deleted ones left out. */
async function countEvents(databases: Databases): Promise<Map<string, number>> {
  const dashboards = databases.of('access').collection<{ _id: string; eventCount: number }>('dashboards');
  const found = await dashboards.find({}, { projection: { eventCount: 1 } }).toArray();
  return new Map(found.map(({ _id, eventCount }) => [_id, eventCount]));
}

/** The resources of which the record does not hold every event exactly once. */
async function findFaults(databases: Databases): Promise<string[]> {
  const history = databases.of('audit').collection<Recorded>('historyResources');
  const bySequence = new Map<string, string[]>();
  for (const { record, sequence } of await history.find().toArray()) {
    bySequence.set(record, [...(bySequence.get(record) ?? []), sequence]);
  }
  const faults = [...(await countEvents(databases))].map(([id, count]) => {
    const found = (bySequence.get(id) ?? []).map(Number).toSorted((a, b) => a - b);
    const isWhole = found.length === count && found.every((sequence, index) => sequence === index + 1);
    return isWhole ? null : `${id} has had ${count} events; recorded are ${found.join(', ')}`;
  });
  return faults.filter((fault) => fault !== null);
}

/** The events about resources that the audit log does not hold, and those that it holds more than once. */
async function findUnlogged(databases: Databases): Promise<string[]> {
  const audit = databases.of('audit');
  const facts = await audit
    .collection<Recorded>('historyResources')
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const entries = await audit
    .collection<{ eventId: string }>('auditEvents')
    .find({}, { projection: { eventId: 1 } })
    .toArray();
  const counts = new Map<string, number>();
  for (const { eventId } of entries) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
  const twice = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
  return [...facts.filter(({ _id }) => !counts.has(_id)).map(({ _id }) => _id), ...twice];
}

describe('events, while the mesh is written to and', () => {
  let engine: EmbeddedEngine;
  let engineDir: string;
  let nats: NatsServer;
  let mesh: TestMesh;
  let api: Api;
  let databases: Databases;

  beforeAll(async () => {
    engineDir = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
    engine = await startEmbeddedEngine({ dataDir: engineDir });
    nats = await startNats();
    mesh = await startTestMesh({ MONGODB_URL: engine.url, MONGODB_PREFIX: PREFIX, NATS_URL: nats.url });
    api = await createApi(mesh.credentials);
    databases = await openDatabases(engine.url, PREFIX);
  });
  afterAll(async () => {
    await mesh[Symbol.asyncDispose]();
    await databases.close();
    await nats[Symbol.asyncDispose]();
    await engine.stop();
    await rm(engineDir, { recursive: true, force: true });
  });

  /** How many dashboards were made meanwhile, once all of their events are recorded once each. */
  async function writeDuring(fault: () => Promise<void>): Promise<number> {
    const before = (await countEvents(databases)).size;
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, () => writeUntil(api.admin, () => isOver));
    await sleep(500);
    await fault();
    await sleep(500);
    isOver = true;
    await Promise.all(writers);
    await expect.poll(() => findFaults(databases), CATCH_UP).toEqual([]);
    await expect.poll(() => findUnlogged(databases), CATCH_UP).toEqual([]);
    return (await countEvents(databases)).size - before;
  }

  const kill = (name: string) => {
    const pid = mesh.pids()[name];
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };

  it('the consumer is killed again and again, are recorded once each', async () => {
    const made = await writeDuring(async () => {
      for (let kills = 0; kills < 4; kills += 1) {
        kill('audit');
        await sleep(600);
      }
    });
    expect(made).toBeGreaterThan(0);
  });

  it('their publisher is killed again and again, are recorded once each', async () => {
    const made = await writeDuring(async () => {
      for (let kills = 0; kills < 3; kills += 1) {
        kill('access');
        await sleep(800);
      }
    });
    expect(made).toBeGreaterThan(0);
  });

  it('NATS is killed and comes back, are recorded once each', async () => {
    const made = await writeDuring(async () => {
      const { port, storeDir } = nats;
      await nats.kill();
      await sleep(1500);
      nats = await startNats({ port, storeDir });
    });
    expect(made).toBeGreaterThan(0);
  });
});

/** Sets the clock of a program that is run with it, and of nothing else. */
function clockShiftedBy(shiftMs: number): string {
  const code = `const Real=Date;globalThis.Date=class extends Real{constructor(...a){if(a.length)super(...a);else super(Real.now()+${shiftMs});}static now(){return Real.now()+${shiftMs};}}`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

describe('events of a machine whose clock was put back an hour', () => {
  it('keep their order, and what came later is told as later', async () => {
    await using nats = await startNats();
    const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-clock-'));
    const settings = { DATA_DIR: dataDir, NATS_URL: nats.url };
    const explain = async (session: Session, id: string, query: Record<string, string>) =>
      (
        await session.get<{ access?: AccessExplanation }>(
          `/dashboards/${id}/access?${new URLSearchParams(query).toString()}`,
        )
      ).body.access;
    try {
      let id = '';
      let otherId = '';
      {
        const shifted = { ...settings, NODE_OPTIONS: clockShiftedBy(3_600_000) };
        await using ahead = await spawnServer('standalone', shifted);
        const api = await createApi(ahead.credentials);
        ({ id: otherId } = await addOrgUser(api, 'AUTHOR'));
        ({ id } = await api.createDashboard(api.admin));
        await api.share(api.admin, id, [{ scope: 'specific_org_user', orgUserId: otherId, role: 'EDITOR' }]);
        const inAnHour = () => new Date(Date.now() + 3_600_000 - 1).toISOString();
        const levelThen = async () =>
          (await explain(api.admin, id, { userId: otherId, at: inAnHour() }))?.accessLevel;
        await expect.poll(levelThen, CATCH_UP).toBe('EDITOR');
        await ahead.stop();
      }
      await using back = await spawnServer('standalone', settings);
      const { admin } = await createApi(back.credentials);
      const shares = [{ scope: 'specific_org_user', orgUserId: otherId }];
      succeeded(await admin.delete(`/dashboards/${id}/share`, { shares }));
      const bus = await connectNatsBus({
        url: nats.url,
        name: 'clock',
        log: createLog('test', { LOG_LEVEL: 'silent' }),
      });
      const sequences: string[] = [];
      const times: string[] = [];
      await bus.consume({
        name: 'clock',
        types: ['management.dashboard.*.v1', 'management.dashboard_share.*.v1'],
        async handle(event) {
          if (event.subject !== id) return;
          sequences.push(event.sequence ?? '');
          times.push(event.time);
        },
      });
      await expect.poll(() => sequences.map(Number), CATCH_UP).toEqual([1, 2, 3]);
      expect(times).not.toEqual(times.toSorted());
      // All of it lies in the hour to come, for the record as for this clock: it had not come about by now.
      const now = { userId: otherId, at: new Date().toISOString() };
      expect(await explain(admin, id, now)).toBeUndefined();
      await bus.close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
