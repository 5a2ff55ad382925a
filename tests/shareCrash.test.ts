import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_LEVELS, type CloudEvent } from '@gatehouse/contract';
import { connectNatsBus, createLog, newKey } from '@gatehouse/service';
import { randomRuns, removeDataDir, startNats, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Session } from './src/api.js';
import { NoAnswerError } from './src/exchange.js';
import { createShared, createTenantUsers, readSharedWith, targetOf } from './src/manyUsers.js';
import { DASHBOARDS, pathOf } from './src/resourceKinds.js';
import { spawnServer, type Settings } from './src/servers.js';

const KILLS = randomRuns(15, 40);
const WRITERS = 4;
/** The document of a dashboard holds 200 shares; the writers change the shares of as many users each. */
const STEADY = 300;
const CHANGING_OF_EACH = 20;
/** Number of confirmed changes between a start and its kill. */
const ANSWERS = { min: 4, max: 40 };
/** The kill occurs at any moment of a change. */
const MOMENT_MS = 20;
/** After this time, the sweep settles a change that was interrupted. */
const PENDING_MS = 60_000;

/** The share of a user as its writer knows it: a role, or null for none. */
type State = string | null;

/** `answered` has been confirmed, `sent` may have happened too. */
interface Written {
  answered: State;
  sent?: State[];
}

const written = new Map<string, Written>();
/** The request ids of the confirmed changes that have an event. */
const answered: string[] = [];
let confirmed = 0;
/** How often a kill interrupted a change between its first write and its last. */
let interrupted = 0;
const events = new Map<string, CloudEvent>();

let dataDir: string;
let mongo: TestMongo;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-share-crash-'));
  mongo = await startTestMongo();
});
afterAll(async () => {
  await mongo[Symbol.asyncDispose]();
  await removeDataDir(dataDir);
});

/** Grants or changes the share of a user, or revokes it. */
async function changeOne(session: Session, id: string, userId: string): Promise<void> {
  const { answered: before, sent } = written.get(userId) ?? { answered: null };
  const isCertain = sent === undefined;
  const isRevoked = isCertain && before !== null && Math.random() < 0.5;
  const others = ACCESS_LEVELS.filter((level) => level !== before);
  const role = isRevoked ? null : (others[Math.floor(Math.random() * others.length)] ?? 'VIEWER');
  const requestId = newKey();
  written.set(userId, { answered: before, sent: [...(sent ?? []), role] });
  const share = { ...targetOf(userId), ...(role === null ? {} : { role }) };
  const answer = await session.send(role === null ? 'DELETE' : 'POST', pathOf(DASHBOARDS, id, '/share'), {
    body: { shares: [share] },
    headers: { 'x-request-id': requestId },
  });
  expect(answer.status).toBe(200);
  written.set(userId, { answered: role });
  confirmed += 1;
  // An interrupted change may have written the same share before.
  if (isCertain) answered.push(requestId);
}

/** Creates a dashboard that is shared with the steady users, and the others. */
async function createRecords(settings: Settings): Promise<{ id: string; userIds: string[] }> {
  await using server = await spawnServer('standalone', settings);
  const api = await createApi(server.credentials);
  const { id: tenantId } = await api.createTenant();
  const userIds = await createTenantUsers(api, tenantId, STEADY + WRITERS * CHANGING_OF_EACH);
  const { id } = await createShared(DASHBOARDS, api.admin, userIds.slice(0, STEADY));
  return { id, userIds };
}

/** Changes shares until the connection breaks. An error response fails the test. */
async function write(session: Session, id: string, userIds: readonly string[]): Promise<void> {
  try {
    for (;;) for (const userId of userIds) await changeOne(session, id, userId);
  } catch (error) {
    // The result of a request during the kill: no response at all.
    if (!(error instanceof NoAnswerError)) throw error;
  }
}

async function writeAndKill(settings: Settings, id: string, userIds: readonly string[]): Promise<void> {
  await using server = await spawnServer('standalone', settings);
  const { admin } = await createApi(server.credentials);
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    write(admin, id, userIds.slice(index * CHANGING_OF_EACH, (index + 1) * CHANGING_OF_EACH)),
  );
  const { min, max } = ANSWERS;
  const enough = confirmed + min + Math.floor(Math.random() * (max - min));
  await expect.poll(() => confirmed, { interval: 1 }).toBeGreaterThanOrEqual(enough);
  await sleep(Math.random() * MOMENT_MS);
  await server.end('SIGKILL');
  await Promise.all(writers);
  if ((await findLeftovers(id)).length > 0) interrupted += 1;
}

const partsOf = () =>
  mongo.databases.of('access').collection<{ _id: string; pendingAt?: Date }>('dashboardShareParts');

/** Parts that the dashboard does not list, and records of changes that have not ended. */
async function findLeftovers(id: string): Promise<string[]> {
  const dashboards = mongo.databases
    .of('access')
    .collection<{ _id: string; shareParts?: { list: Record<string, string> } }>('dashboards');
  const stored = await partsOf()
    .find({}, { projection: { pendingAt: 1 } })
    .toArray();
  const { list = {} } = (await dashboards.findOne({ _id: id }))?.shareParts ?? {};
  return stored.flatMap(({ _id, pendingAt }) => {
    if (pendingAt !== undefined) return [`record ${_id}`];
    return Object.hasOwn(list, _id) ? [] : [`part ${_id}`];
  });
}

/** Returns the roles of users according to the events of a dashboard. */
function rolesOfEvents(id: string): Map<string, string> {
  const roles = new Map<string, string>();
  const ofDashboard = [...events.values()].filter(({ subject }) => subject === id);
  for (const { type, data } of ofDashboard.toSorted((a, b) => Number(a.sequence) - Number(b.sequence))) {
    const { shares = [] } = data as { shares?: { targetId: string; role: string }[] };
    for (const { targetId, role } of shares) {
      if (type === 'management.dashboard_share.revoked.v1') roles.delete(targetId);
      else roles.set(targetId, role);
    }
  }
  return roles;
}

const sorted = (roles: ReadonlyMap<string, string>) => [...roles].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('a standalone that is killed repeatedly while it changes very many shares', () => {
  it(`loses no confirmed change and no event of one in ${KILLS} kills, and leaves no parts`, async () => {
    await using nats = await startNats();
    const settings = {
      DATA_DIR: dataDir,
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      NATS_URL: nats.url,
      SWEEP_INTERVAL_MS: '1000',
    };
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    const bus = await connectNatsBus({ url: nats.url, name: 'share-crash-test', log });
    const handle = async (event: CloudEvent) => void events.set(event.id, event);
    await bus.consume({ name: 'share-crash-test', types: ['management.dashboard_share.*.v1'], handle });

    const { id, userIds } = await createRecords(settings);
    const steady = userIds.slice(0, STEADY);
    const changing = userIds.slice(STEADY);
    for (let kill = 1; kill <= KILLS || interrupted === 0; kill += 1)
      await writeAndKill(settings, id, changing);

    await using server = await spawnServer('standalone', settings);
    const { admin } = await createApi(server.credentials);
    const shared = await readSharedWith(admin, DASHBOARDS, id);
    expect(steady.filter((userId) => shared.get(userId) !== 'VIEWER')).toEqual([]);
    for (const [userId, { answered: last, sent = [] }] of written)
      expect([last, ...sent]).toContain(shared.get(userId) ?? null);

    const seen = () => new Set([...events.values()].map((event) => event.requestid));
    await expect.poll(() => answered.filter((requestId) => !seen().has(requestId))).toEqual([]);
    // A change and its events are one write: the events describe each share, confirmed or not.
    await expect.poll(() => sorted(rolesOfEvents(id))).toEqual(sorted(shared));

    await expect.poll(() => findLeftovers(id), { timeout: 2 * PENDING_MS, interval: 500 }).toEqual([]);
    expect(await readSharedWith(admin, DASHBOARDS, id)).toEqual(shared);
    await bus.close();
  });
});
