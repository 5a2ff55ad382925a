import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationId } from '@gatehouse/client';
import { routes } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { DEFINITIONS } from '@gatehouse/standalone/services';
import { watchCommands, type SentCommand } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { createShared, createTenantUsers, targetOf } from './src/manyUsers.js';
import { addTenantUser } from './src/people.js';
import { kinds, pathOf } from './src/resourceKinds.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { signIn } from './src/sessions/consoleBrowser.js';
import { EXCEPTIONS } from './src/shardKeys/exceptions.js';
import { ShardKeyCheck, type Exception } from './src/shardKeys/faults.js';
import { commandsOf, readScalingPage, unshardedOf } from './src/shardKeys/scalingPage.js';
import { commandsIn, statementsOf, uniqueKeysOf } from './src/shardKeys/statements.js';
import { mapSideBySide } from './src/sideBySide.js';
import { specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { makeStatusWorld } from './src/statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const SWEEP_INTERVAL_MS = 200;
/** Sweeps and relays run at fixed times. After this pause, each of them has run several times. */
const SETTLE_MS = 5000;
const KEYS = Object.fromEntries(
  Object.values(DEFINITIONS).map(({ database, shardKeys }) => [database, shardKeys]),
);

/** Checks the commands of the platform. The last part of the name of a database is that of its service. */
function checkCommand(check: ShardKeyCheck, sent: SentCommand): void {
  const service = sent.database.slice(sent.database.lastIndexOf('_') + 1);
  if (!(service in KEYS)) return;
  for (const statement of statementsOf(sent)) check.check(service, statement);
  for (const { collection, fields } of uniqueKeysOf(sent)) check.checkUnique(service, collection, fields);
}

/** More than the document of a resource holds: the others are in parts. */
const SHARES = 201;

/** Deletes a person who has a share of a dashboard and of a visual with very many. */
async function usePartedShares(api: Api, tenantId: string): Promise<void> {
  const userIds = await createTenantUsers(api, tenantId, SHARES);
  for (const kind of kinds) {
    const { id } = await createShared(kind, api.admin, userIds);
    const shares = [targetOf(userIds[1] ?? '')];
    succeeded(await api.admin.delete(pathOf(kind, id, '/share'), { shares }));
  }
  succeeded(await api.admin.delete(`/tenant-users/${userIds[0]}`));
}

/** Sends a request of every operation, signs a person in, and deletes one that has rights. */
async function useEverything(api: Api, server: TestServer): Promise<string[]> {
  const log = new AnswerLog(() => server.baseUrl);
  const world = await makeStatusWorld(api, server.credentials.adminOrgUserId);
  await mapSideBySide(routes, async (route) => {
    const prepare = specimens[route.operationId as OperationId];
    await log.send(route, await prepare(world));
  });
  // Responses with a key count for a quota, and so do the dashboards of a tenant user.
  for (const { session } of [world.powerUser, { session: api.admin }]) {
    const headers = { 'idempotency-key': newKey() };
    succeeded(await session.send('POST', '/dashboards', { body: { title: 'Keyed' }, headers }));
  }
  const person = await addTenantUser(api, world.tenantId, 'VIEWER');
  const browser = await signIn(api, { endUserId: person.id });
  await browser.session();
  succeeded(await api.admin.delete(`/tenant-users/${person.id}`));
  await usePartedShares(api, world.tenantId);
  return log.answered();
}

describe('the commands of the running platform', () => {
  const check = new ShardKeyCheck(KEYS, EXCEPTIONS);
  let server: TestServer;
  let answered: string[];
  let stopWatching: () => void;

  beforeAll(async () => {
    stopWatching = watchCommands((sent) => {
      for (const each of commandsIn(sent)) checkCommand(check, each);
    });
    server = await startTestStandalone({
      ...WEBHOOK_SETTINGS,
      ...VERSION_CONTROL_SETTINGS,
      // As on a router, which sends a query without the shard key to every shard.
      MONGODB_SHARDED: '1',
      SWEEP_INTERVAL_MS: String(SWEEP_INTERVAL_MS),
      METRICS_PORT: '0',
    });
    answered = await useEverything(await createApi(server.credentials), server);
    for (const url of server.metricsUrls) await fetch(url);
    await sleep(SETTLE_MS);
  });
  afterAll(async () => {
    stopWatching();
    await server[Symbol.asyncDispose]();
  });

  it('come from a successful request of every operation', () => {
    const successes = routes.map(({ operationId, success }) => `${operationId} ${success}`);
    expect(successes.filter((success) => !answered.includes(success))).toEqual([]);
  });

  it('contain the shard key of their collection, except for the listed ones', () => {
    expect([...check.faults].toSorted()).toEqual([]);
  });

  it('reach every collection that has a shard key', () => {
    const places = Object.entries(KEYS).flatMap(([service, keys]) =>
      Object.keys(keys).map((collection) => `${service}.${collection}`),
    );
    expect(places.filter((place) => !check.seen.has(place))).toEqual([]);
  });

  it('need every listed exception', () => {
    expect(EXCEPTIONS.filter((exception) => !exception.isRare && !check.needed.has(exception))).toEqual([]);
  });
});

describe('docs/scaling.md', () => {
  it('has the command of every shard key, and no other', async () => {
    const commands = (await readScalingPage()).match(/sh\.shardCollection\(.*/g);
    expect(commands).toEqual(commandsOf(KEYS));
  });

  it('names the collections that stay on one shard', async () => {
    const page = await readScalingPage();
    expect(unshardedOf(KEYS).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('has the reason of every exception, and no other', async () => {
    const section = (await readScalingPage()).split('## Queries on every shard')[1] ?? '';
    const reasons = [...section.matchAll(/^- (.+)\.$/gm)].map(([, reason]) => reason);
    expect(reasons).toEqual([...new Set(EXCEPTIONS.map(({ reason }) => reason))]);
  });
});

describe('the check', () => {
  const keysOf = { access: { dashboards: { projectId: 1, _id: 1 } } } as const;
  const exception: Exception = { command: 'find', by: ['nextExpiryAt'], reason: 'a sweep' };
  const faultsOf = (name: string, command: Record<string, unknown>) => {
    const check = new ShardKeyCheck(keysOf, [exception]);
    for (const statement of statementsOf({
      name,
      database: 'any',
      command: { [name]: 'dashboards', ...command },
    }))
      check.check('access', statement);
    return check.faults.size;
  };
  const one = { projectId: 'p_1', _id: 'd_1' };
  const write = (q: object, u: object, multi = false) => ({
    updates: [
      { q: one, u: { $set: { title: '' } } },
      { q, u, multi },
    ],
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a query by id', 'find', { filter: { _id: 'd_1' } }],
    ['a query of all documents', 'find', {}],
    ['a query by a part of the project ids', 'find', { filter: { projectId: { $gt: 'p_1' } } }],
    ['one alternative', 'find', { filter: { $or: [{ projectId: 'p_1' }, { readers: 'u:1' }] } }],
    ['a count', 'aggregate', { pipeline: [{ $match: { readers: 'u:1' } }] }],
    [
      'an aggregation that filters later',
      'aggregate',
      { pipeline: [{ $sort: { _id: 1 } }, { $match: one }] },
    ],
    [
      'a join by id',
      'aggregate',
      {
        pipeline: [
          { $match: one },
          { $lookup: { from: 'dashboards', localField: 'a', foreignField: '_id' } },
        ],
      },
    ],
    ['distinct values', 'distinct', { query: { readers: 'u:1' } }],
    ['the second update of a bulk', 'update', write({ _id: 'd_1' }, { $set: { title: '' } })],
    [
      'an update of one document by its project',
      'update',
      write({ projectId: 'p_1' }, { $set: { title: '' } }),
    ],
    ['a deletion', 'delete', { deletes: [{ q: { readers: 'u:1' }, limit: 0 }] }],
    [
      'a change by a partial key',
      'findAndModify',
      { query: { projectId: 'p_1' }, update: { $inc: { revision: 1 } } },
    ],
    ['an update that moves a document', 'update', write(one, { $set: { projectId: 'p_2' } })],
    ['a tombstone without its project', 'update', write(one, [{ $replaceWith: { _id: '$_id' } }] as object)],
    ['a replacement without its project', 'update', write(one, { _id: 'd_1', title: '' })],
    ['an insertion without its project', 'insert', { documents: [one, { _id: 'd_2' }] }],
    ['an exception as another command', 'distinct', { query: { nextExpiryAt: 1 } }],
  ])('finds %s', (_, name, command) => {
    expect(faultsOf(name, command)).toBe(1);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['both fields', 'find', { filter: one }],
    [
      'some projects',
      'find',
      { filter: { $and: [{ projectId: { $in: ['p_1', 'p_2'] } }, { readers: 'u:1' }] } },
    ],
    [
      'a write of many documents of a project',
      'update',
      write({ projectId: 'p_1' }, { $set: { title: '' } }, true),
    ],
    [
      'a tombstone with its project',
      'update',
      write(one, [{ $replaceWith: { _id: '$_id', projectId: '$projectId' } }] as object),
    ],
    ['a listed exception', 'find', { filter: { nextExpiryAt: { $lte: 1 } } }],
  ])('accepts %s', (_, name, command) => {
    expect(faultsOf(name, command)).toBe(0);
  });

  it.each([
    [['projectId', '_id', 'name'], 0],
    [['projectId', 'name'], 1],
    [['organizationId'], 1],
  ])('rejects a unique index on %j unless it begins with the shard key', (fields, faults) => {
    const check = new ShardKeyCheck(keysOf, []);
    const command = {
      createIndexes: 'dashboards',
      indexes: [
        { key: Object.fromEntries(fields.map((name) => [name, 1])), unique: true },
        { key: { name: 1 } },
      ],
    };
    for (const unique of uniqueKeysOf({ name: 'createIndexes', database: 'any', command }))
      check.checkUnique('access', unique.collection, unique.fields);
    expect(check.faults.size).toBe(faults);
  });

  it('finds a collection without a shard key, and rejects an unknown command', () => {
    const check = new ShardKeyCheck(keysOf, []);
    check.check('access', { command: 'find', collection: 'visuals', filter: one });
    expect(check.faults.size).toBe(1);
    expect(() => statementsOf({ name: 'mapReduce', database: 'any', command: {} })).toThrow('mapReduce');
  });
});
