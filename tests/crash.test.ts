import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent, Dashboard } from '@gatehouse/contract';
import { connectNatsBus, createLog, newKey } from '@gatehouse/service';
import { randomRuns, removeDataDir, startNats } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Session } from './src/api.js';
import { NoAnswerError } from './src/exchange.js';
import { spawnServer, type Settings } from './src/servers.js';

const KILLS = randomRuns(15, 50);
const WRITERS = 6;
/**
 * Number of confirmed writes between a start and its kill: a bound by progress, so that a slow machine kills
 * as often.
 */
const ANSWERS = { min: 6, max: 60 };
/** The kill occurs at any moment of a write. */
const MOMENT_MS = 20;

/** A dashboard as its writer knows it: `answered` has been confirmed, `sent` may have happened too. */
interface Written {
  answered: { title: string; version: number };
  sent: string | null;
}

const written = new Map<string, Written>();
/** The request ids of the confirmed writes. */
const answered: string[] = [];
const events = new Map<string, CloudEvent>();

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
});
afterAll(() => removeDataDir(dataDir));

async function createOne(session: Session): Promise<string> {
  const requestId = newKey();
  const title = `made ${requestId}`;
  const answer = await session.post<{ dashboard: Dashboard }>(
    '/dashboards',
    { title },
    { 'x-request-id': requestId },
  );
  expect(answer.status).toBe(201);
  const { id, version } = answer.body.dashboard;
  written.set(id, { answered: { title, version }, sent: null });
  answered.push(requestId);
  return id;
}

async function renameOne(session: Session, id: string): Promise<void> {
  const state = written.get(id);
  if (!state) return;
  const requestId = newKey();
  state.sent = `renamed ${requestId}`;
  const headers = { 'x-request-id': requestId };
  const answer = await session.patch<{ dashboard: Dashboard }>(
    `/dashboards/${id}`,
    { title: state.sent },
    headers,
  );
  expect(answer.status).toBe(200);
  const { title, version } = answer.body.dashboard;
  state.answered = { title, version };
  state.sent = null;
  answered.push(requestId);
}

async function shareOne(session: Session, id: string): Promise<void> {
  const requestId = newKey();
  const body = { shares: [{ scope: 'all_org_users', role: 'VIEWER' }] };
  const answer = await session.post(`/dashboards/${id}/share`, body, { 'x-request-id': requestId });
  expect(answer.status).toBe(200);
  answered.push(requestId);
}

/** Creates, renames and shares until the connection breaks. An error response fails the test. */
async function write(session: Session): Promise<void> {
  try {
    for (;;) {
      const id = await createOne(session);
      await renameOne(session, id);
      await shareOne(session, id);
      await renameOne(session, id);
    }
  } catch (error) {
    // The result of a request during the kill: no response at all.
    if (!(error instanceof NoAnswerError)) throw error;
  }
}

async function writeAndKill(settings: Settings): Promise<void> {
  await using server = await spawnServer('standalone', settings);
  const { admin } = await createApi(server.credentials);
  const writers = Array.from({ length: WRITERS }, () => write(admin));
  const { min, max } = ANSWERS;
  const enough = answered.length + min + Math.floor(Math.random() * (max - min));
  await expect.poll(() => answered.length, { interval: 1 }).toBeGreaterThanOrEqual(enough);
  await sleep(Math.random() * MOMENT_MS);
  await server.end('SIGKILL');
  await Promise.all(writers);
}

async function readBack(session: Session): Promise<Map<string, Dashboard>> {
  const found = new Map<string, Dashboard>();
  let cursor = '';
  do {
    const path = `/dashboards?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await session.get<{ dashboards: Dashboard[]; nextCursor: string | null }>(path);
    for (const dashboard of body.dashboards) found.set(dashboard.id, dashboard);
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  return found;
}

describe('a standalone that is killed repeatedly while it writes', () => {
  it(`loses no confirmed write and no event of one in ${KILLS} kills`, async () => {
    await using nats = await startNats();
    const settings = { DATA_DIR: dataDir, MONGODB_PREFIX: 'crash', NATS_URL: nats.url };
    const bus = await connectNatsBus({
      url: nats.url,
      name: 'crash-test',
      log: createLog('test', { LOG_LEVEL: 'silent' }),
    });
    const handle = async (event: CloudEvent) => void events.set(event.id, event);
    await bus.consume({ name: 'crash-test', types: ['management.*.*.v1'], handle });

    for (let kill = 1; kill <= KILLS; kill += 1) await writeAndKill(settings);
    expect(answered.length).toBeGreaterThan(KILLS * 5);

    await using server = await spawnServer('standalone', settings);
    const found = await readBack((await createApi(server.credentials)).admin);
    for (const [id, { answered: last, sent }] of written) {
      const dashboard = found.get(id);
      expect([last.title, sent]).toContain(dashboard?.title);
      expect(dashboard?.version).toBeGreaterThanOrEqual(last.version);
    }

    const seen = () => new Set([...events.values()].map((event) => event.requestid));
    await expect.poll(() => answered.filter((id) => !seen().has(id))).toEqual([]);

    // A change and its event are one write: the number of events of a dashboard equals its version, confirmed
    // or not.
    const versions = new Map<string, number>();
    for (const { type, subject } of events.values()) {
      if (/^management\.dashboard\.(created|updated)\.v1$/.test(type))
        versions.set(subject, (versions.get(subject) ?? 0) + 1);
    }
    await expect.poll(() => [...found.values()].filter(({ id }) => !versions.has(id))).toEqual([]);
    for (const { id, version } of found.values()) expect(versions.get(id)).toBe(version);
    await bus.close();
  });
});
