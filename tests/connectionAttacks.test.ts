import { readdir, readlink } from 'node:fs/promises';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, sendRequest, succeeded, type Api, type Session } from './src/api.js';
import { ATTACKS, RunningAttack } from './src/connectionAttacks/attacks.js';
import { HELD_PLACE_SETTINGS, holdPlaces } from './src/heldPlaces.js';
import { addOrganization } from './src/secondOrganization.js';
import { spawnServer, type SpawnedServer } from './src/servers.js';

const isFull = process.env['FUZZ_FULL'] === '1';
/** More connections than requests may run or wait, so that an attack with a slot for each is detected. */
const CONNECTIONS = isFull ? 600 : 240;
/** More than the shares of the attacking organization and of all unauthenticated callers together. */
const IN_FLIGHT_MAX = isFull ? 512 : 192;
const ROUNDS = isFull ? 20 : 3;
/** The gateway's limit for a head is 10 seconds. The rest is for a busy machine. */
const ENDED_WITHIN_MS = 180_000;

const rows = ATTACKS.flatMap((attack) =>
  (['no token', 'one token'] as const).map((bearer) => [attack.name, bearer, attack] as const),
);

/** Open sockets of a process, as Linux counts them; elsewhere 0. */
async function countOpenSockets(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length;
}

describe('while connections are held open', () => {
  let mongo: TestMongo;
  let server: SpawnedServer;
  let attacker: Session;
  let other: Api;
  let dashboardId: string;
  const running: { row: string; attack: RunningAttack; isEnded: boolean }[] = [];

  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await spawnServer('standalone', {
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      METRICS_PORT: '0',
      REQUEST_TIMEOUT_MS: '10000',
      MAX_IN_FLIGHT: String(IN_FLIGHT_MAX),
    });
    attacker = (await createApi(server.credentials)).admin;
    other = await createApi(await addOrganization(mongo, server.credentials));
    dashboardId = (await other.createDashboard(other.admin)).id;
    const template = { text: 'x'.repeat(200_000) };
    for (let count = 0; count < 3; count += 1)
      succeeded(await attacker.post('/dashboards', { title: `Large ${count}`, template }));
  });
  afterAll(async () => {
    for (const { attack } of running) await attack[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
  });

  /** One request of each kind that another organization sends continuously. */
  const sendOthers = async () => {
    const { admin, project } = other;
    const answers = await Promise.all([
      admin.get('/dashboards'),
      admin.get(`/dashboards/${dashboardId}`),
      admin.post('/dashboards', { title: 'Sales' }),
      other.requestToken({ ...project }),
      sendRequest(server.baseUrl, ['GET', '/readyz']),
    ]);
    return answers.map(({ status }) => status);
  };

  it.each(rows)('by %s (%s), other callers are served', async (name, bearer, attack) => {
    const authorization = bearer === 'one token' ? `Authorization: Bearer ${attacker.token}\r\n` : '';
    const port = Number(new URL(server.baseUrl).port);
    const size = { port, connections: CONNECTIONS, authorization };
    running.push({
      row: `${name} (${bearer})`,
      attack: new RunningAttack(attack, size),
      isEnded: attack.isEnded === true,
    });
    for (let round = 0; round < ROUNDS; round += 1)
      expect(await sendOthers()).toEqual([200, 200, 201, 200, 200]);
  });

  it('every connection without a request is closed', async () => {
    const open: string[] = [];
    for (const { row, attack, isEnded } of running)
      if (isEnded && !(await attack.isEnded(ENDED_WITHIN_MS))) open.push(`${row}: ${attack.open}`);
    expect(open).toEqual([]);
    await expect.poll(sendOthers).toEqual([200, 200, 201, 200, 200]);
  });

  it('every slot is free again when the attackers have disconnected', async () => {
    for (const { attack } of running) await attack[Symbol.asyncDispose]();
    // As many concurrent ones as the organization may have; none is rejected once its earlier ones have
    // completed.
    const sendMany = async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => attacker.get('/projects')));
      return new Set(answers.map(({ status }) => status));
    };
    await expect.poll(sendMany).toEqual(new Set([200]));
    await expect
      .poll(() => countOpenSockets(server.pid), { timeout: ENDED_WITHIN_MS })
      .toBeLessThan(CONNECTIONS);
  });
});

it('an attack that occupies slots is detected', async () => {
  await using mongo = await startTestMongo();
  await using server = await spawnServer('standalone', {
    MONGODB_URL: mongo.url,
    MONGODB_PREFIX: mongo.prefix,
    MAX_IN_FLIGHT: '1',
    ...HELD_PLACE_SETTINGS,
  });
  const { admin } = await createApi(server.credentials);
  await using _held = await holdPlaces(admin, 1);
  expect((await admin.get('/dashboards')).status).toBe(503);
});
