import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationId } from '@gatehouse/client';
import {
  EVENT_CATALOGUE,
  findProcedure,
  routes,
  services,
  type CloudEvent,
  type EventType,
  type MutationPath,
} from '@gatehouse/contract';
import { connectNatsBus, createLog, newKey, type EventBus } from '@gatehouse/service';
import { startNats, type NatsServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import { ASKS, COMPILED, MUTATION_EVENTS, type Published } from './src/mutationEvents.js';
import { startAccountNats } from './src/natsAccounts.js';
import { findDenied } from './src/natsDenials.js';
import { startTestStandalone, type TestServer } from './src/servers.js';
import { specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { makeStatusWorld, type Prepare } from './src/statusCases/statusCase.js';
import { versionControlSpecimens } from './src/statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const prepared: Partial<Record<OperationId, Prepare>> = {
  ...specimens,
  // A value that is already set needs no change.
  async restoreDashboardVersion(world) {
    const request = await versionControlSpecimens.restoreDashboardVersion(world);
    await request.session?.patch(`/dashboards/${request.path?.['id']}`, { title: 'Changed since' });
    return request;
  },
};

const mutations = routes.filter(({ procedure }) => findProcedure(procedure).kind === 'mutation');
const expectedOf = (published: Published) => ('none' in published ? [] : [...published]).toSorted();

/** Fields with secret values, at any depth. */
function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret && value.length >= 8 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    secretsIn(each, /secret|password|token$|credential/i.test(key)),
  );
}

describe('the events of every mutation', () => {
  let nats: NatsServer;
  let server: TestServer;
  let bus: EventBus;
  const events: CloudEvent[] = [];
  const secrets = new Set<string>();
  const requestIds = new Map<string, string>();

  beforeAll(async () => {
    nats = await startNats();
    server = await startTestStandalone({
      NATS_URL: nats.url,
      SWEEP_INTERVAL_MS: '3600000',
      AUDIT_COMPILATIONS: '1',
      ...WEBHOOK_SETTINGS,
    });
    const log = createLog('test', { LOG_LEVEL: 'silent' });
    bus = await connectNatsBus({ url: nats.url, name: 'catalogue-test', log });
    const handle = async (event: CloudEvent) => void events.push(event);
    await bus.consume({ name: 'catalogue-test', types: ['management.*.*.v1'], handle });
    const api = await createApi(server.credentials);
    const world = await makeStatusWorld(api, server.credentials.adminOrgUserId);
    const answers = new AnswerLog(() => server.baseUrl);
    for (const route of mutations) {
      const request = await prepared[route.operationId as OperationId]?.(world);
      if (request === undefined) continue;
      const requestId = `catalogue-${newKey()}`;
      requestIds.set(route.operationId, requestId);
      const headers = { ...request.headers, 'x-request-id': requestId };
      const answer = await answers.send(route, { ...request, headers });
      if (answer.status !== route.success)
        throw new Error(`${route.operationId} was not answered with success`);
      for (const secret of [...secretsIn(request.body), ...secretsIn(answer.body)]) secrets.add(secret);
    }
    // Each service publishes independently: all events have arrived once none has for a while.
    for (let seen = -1; seen < events.length; await sleep(1500)) seen = events.length;
  });
  afterAll(async () => {
    await bus.close();
    await server[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  it.each(mutations.map(({ operationId, procedure }) => [operationId, procedure as MutationPath]))(
    '%s publishes the events of the table',
    async (operationId, procedure) => {
      const requestId = requestIds.get(operationId);
      expect(requestId).toBeDefined();
      const typesOf = () =>
        [
          ...new Set(events.filter(({ requestid }) => requestid === requestId).map(({ type }) => type)),
        ].toSorted();
      await expect.poll(typesOf).toEqual(expectedOf(MUTATION_EVENTS[procedure]));
    },
  );

  it('belong to changes: a read by POST has none', () => {
    for (const { procedure } of mutations) {
      const published = MUTATION_EVENTS[procedure as MutationPath];
      const isQuestion = published === ASKS || published === COMPILED;
      expect([procedure, findProcedure(procedure).changes]).toEqual([procedure, !isQuestion]);
    }
  });

  it('conform to the catalogue, name the actor, and contain no secret', () => {
    for (const event of events) {
      const schema = EVENT_CATALOGUE[event.type as EventType];
      expect(schema.strict().parse(event.data)).toEqual(event.data);
    }
    const made = new Set(requestIds.values());
    const nameless = events.filter(
      ({ requestid, actorid }) => made.has(requestid ?? '') && actorid === undefined,
    );
    expect(nameless.map(({ type }) => type)).toEqual([]);
    expect(secrets.size).toBeGreaterThan(8);
    const text = JSON.stringify(events);
    expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('come from publishers with permission on a nats-server with the settings of the manifests', async () => {
    await using accounts = await startAccountNats();
    const sources = new Set(events.map(({ source }) => source));
    expect(sources.size).toBe(Object.keys(services).length);
    for (const source of sources) {
      const user = accounts.made.find((made) => source === `/gatehouse/${made.user}`);
      const said = new Set(events.filter((event) => event.source === source).map(({ type }) => type));
      const url = accounts.urlOf(user ?? { user: source, password: 'none' });
      expect([source, await findDenied(url, { publish: [...said] })]).toEqual([source, []]);
    }
  });

  it('include those of the first start and of the first token, which have no route of their own', () => {
    const seen = new Set(events.map(({ type }) => type));
    const first = expectedOf(MUTATION_EVENTS['directory.organizations.bootstrap']);
    const key = expectedOf(MUTATION_EVENTS['directory.tokens.rotateKey']);
    expect([...first, ...key].filter((type) => !seen.has(type))).toEqual([]);
  });
});
