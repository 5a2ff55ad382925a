import type { OperationId } from '@gatehouse/client';
import { QUOTA_NAMES, quotasOf, routes, type Route } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded, unique, type Session } from './src/api.js';
import { readErrorBody } from './src/errorBodies.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { COLLECTIONS } from './src/quotas/collections.js';
import { ADDING, LENGTHENING, SEEDS } from './src/quotas/growingRequests.js';
import { createResource, DASHBOARDS } from './src/resourceKinds.js';
import { startTestStandalone, type Settings } from './src/servers.js';
import { mapSideBySide } from './src/sideBySide.js';
import { specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { makeStatusWorld, type RouteRequest, type World } from './src/statusCases/statusCase.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const operationOf = ({ operationId }: Route) => operationId as OperationId;
const growing = routes.filter(({ errors }) => errors.includes('QUOTA_EXCEEDED'));
const lengthening = growing.filter((route) => operationOf(route) in LENGTHENING);
const adding = growing.filter((route) => !(operationOf(route) in LENGTHENING));
const rowsOf = (list: readonly Route[]) => list.map((route) => [route.operationId, route] as const);

const ONE_OF_EACH: Settings = {
  QUOTA_PROJECTS: '1',
  QUOTA_TENANTS: '1',
  QUOTA_TENANT_USERS: '1',
  QUOTA_ORG_USERS: '1',
  QUOTA_GROUPS: '1',
  QUOTA_GROUP_MEMBERSHIPS: '1',
  QUOTA_DASHBOARDS: '1',
  QUOTA_VISUALS: '1',
  QUOTA_DOMAINS: '1',
  QUOTA_DATA_MODELS: '1',
  QUOTA_CONNECTIONS: '1',
  QUOTA_CATALOGS: '1',
  QUOTA_ASSISTANT_PROFILES: '1',
  QUOTA_DEFINITIONS: '1',
  QUOTA_ASSIGNMENTS: '1',
  QUOTA_POLICY_TESTS: '1',
  QUOTA_WEBHOOKS: '1',
  QUOTA_MIGRATIONS: '1',
};

describe('the table of growth', () => {
  it('has an entry for every route that creates a record', () => {
    const creating = routes.filter(({ success }) => success === 201);
    expect(creating.filter(({ procedure }) => quotasOf(procedure).length === 0)).toEqual([]);
  });

  it('and that of the collections use each quota', () => {
    const grown = routes.flatMap(({ procedure }) => quotasOf(procedure));
    expect([...new Set(grown)].toSorted()).toEqual([...QUOTA_NAMES].toSorted());
    const counted = Object.values(COLLECTIONS).flatMap((collections) =>
      Object.values(collections).flatMap((quotas) => (typeof quotas === 'string' ? [] : quotas)),
    );
    expect(counted.toSorted()).toEqual([...QUOTA_NAMES].toSorted());
  });
});

describe('an organization that has reached its quotas', () => {
  let observed: ObservedServer;
  let world: World;
  let log: AnswerLog;
  const requests = new Map<Route, RouteRequest>();

  beforeAll(async () => {
    // A busy machine needs long for so many concurrent records.
    const settings = { ...WEBHOOK_SETTINGS, REQUEST_TIMEOUT_MS: '120000' };
    observed = await startObserved(startTestStandalone, settings);
    log = new AnswerLog(() => observed.baseUrl);
    world = await makeStatusWorld(observed.api, observed.adminId);
    for (const operationId of SEEDS) await specimens[operationId](world);
    await mapSideBySide(growing, async (route) => {
      const operationId = operationOf(route);
      const prepare = LENGTHENING[operationId] ?? ADDING[operationId] ?? specimens[operationId];
      requests.set(route, await prepare(world));
    });
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  async function expectRefusal(route: Route, limit: number): Promise<void> {
    const answer = await log.send(route, requests.get(route) ?? {});
    const { code, message } = readErrorBody(route.area, answer.body);
    expect({ status: answer.status, message }).toEqual({
      status: 409,
      message: expect.stringMatching(
        new RegExp(String.raw`^[a-z ]+ must be ${limit} or fewer in an organization`),
      ) as string,
    });
    // The form of the token area has no code.
    expect(code).toBe(route.area === 'token' ? undefined : 'QUOTA_EXCEEDED');
  }

  it('has no collection without a documented bound', async () => {
    for (const [service, collections] of Object.entries(COLLECTIONS)) {
      const found = await observed.databases.of(service).listCollections({}, { nameOnly: true }).toArray();
      const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
      const unknown = names.filter((name) => !Object.hasOwn(collections, name));
      expect({ service, unknown }).toEqual({ service, unknown: [] });
    }
  });

  describe('in bytes, is denied', () => {
    beforeAll(() =>
      observed.restart({ ...WEBHOOK_SETTINGS, QUOTA_STORAGE_BYTES: '2', QUOTA_TENANT_PERCENT: '0' }),
    );

    it.each(rowsOf(lengthening))('%s, and nothing is written', async (_, route) => {
      const settled = await observed.readSettled();
      await expectRefusal(route, 2);
      expect(await observed.findChanges(settled)).toEqual([]);
    });

    it('but no read, no change without growth, and no deletion', async () => {
      const { session, path } =
        requests.get(growing.find(({ operationId }) => operationId === 'updateDashboard') as Route) ?? {};
      const dashboard = `${observed.baseUrl}/api/management/v1/dashboards/${path?.['id']}`;
      const headers = { authorization: `Bearer ${session?.token}`, 'content-type': 'application/json' };
      for (const [method, body] of [
        ['GET'],
        ['PATCH', '{"title":"Short"}'],
        ['PATCH', '{"template":null}'],
        ['DELETE'],
      ] as const) {
        const answer = await fetch(dashboard, { method, headers, ...(body && { body }) });
        expect(answer.status).toBe(200);
      }
    });
  });

  describe('in records, is denied', () => {
    beforeAll(() => observed.restart({ ...WEBHOOK_SETTINGS, ...ONE_OF_EACH, QUOTA_TENANT_PERCENT: '0' }));

    it.each(rowsOf(adding))('%s, and nothing is written', async (_, route) => {
      const settled = await observed.readSettled();
      await expectRefusal(route, 1);
      expect(await observed.findChanges(settled)).toEqual([]);
    });
  });
});

describe('a tenant user', () => {
  it('duplicated a dashboard of a megabyte 60 times in 16 seconds', async () => {
    const megabyte = 1_000_000;
    await using server = await startObserved(startTestStandalone, {
      QUOTA_STORAGE_BYTES: String(40 * megabyte),
      // A busy machine needs long for 60 megabytes.
      REQUEST_TIMEOUT_MS: '120000',
    });
    const world = await makeStatusWorld(server.api, server.adminId);
    const { session } = world.powerUser;
    const template = { text: 'x'.repeat(megabyte) };
    const { id } = await createResource(DASHBOARDS, session, { template });
    const duplicate = (by: Session) => by.post<unknown>(`/dashboards/${id}/duplicate`);
    const answers = await mapSideBySide(Array.from({ length: 60 }), () => duplicate(session));
    // A quarter of 40 megabytes, with the original. A count during concurrent writes may count a write twice
    // until the next one.
    let written = answers.filter(({ status }) => status === 201).length;
    const fillUp = async () => {
      if ((await duplicate(session)).status === 201) written++;
      return written;
    };
    await expect.poll(fillUp, { interval: 500, timeout: 60_000 }).toBe(8);
    expect((await duplicate(session)).status).toBe(409);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused[0]).toMatchObject({
      status: 409,
      body: {
        code: 'QUOTA_EXCEEDED',
        error: 'bytes of dashboards of one tenant must be 10000000 or fewer in an organization',
      },
    });
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([409]));
    // The share of one tenant is less than the whole.
    for (const other of [world.otherPowerUser, world.author])
      await createResource(DASHBOARDS, other.session, { template });
    succeeded(await session.delete(`/dashboards/${id}`));
    const create = async () =>
      (await session.post('/dashboards', { title: unique('Again'), template })).status;
    await expect.poll(create, { interval: 500, timeout: 60_000 }).toBe(201);
  });
});
