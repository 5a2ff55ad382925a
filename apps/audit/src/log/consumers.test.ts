import { setTimeout as sleep } from 'node:timers/promises';
import { audit, type AuditEvent, type CloudEvent, type Principal } from '@gatehouse/contract';
import {
  connectNatsBus,
  connectServices,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  defineService,
  generateInternalKeys,
  inProcessLink,
  newId,
  readConfig,
  startRelay,
  type Databases,
  type EventBus,
} from '@gatehouse/service';
import { startNats, startTestMongo } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { collectionsOf, eventOf, newKeys, startTestLog } from '../testing/log.js';
import { createLogConsumer } from './consumers.js';
import { createLogProcedures } from './procedures.js';
import { createEntryIndexes } from './store/entries.js';
import { createLogStores } from './store/openStores.js';

const mongo = await startTestMongo();
const nats = await startNats();
const config = readConfig({ LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' });
const silent = createLog('audit', config);
const keys = newKeys();
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const buses: Record<string, () => Promise<EventBus>> = {
  'in process': async () => createInProcessBus({ log: silent, onDeadLetter: async () => {} }),
  NATS: async () => {
    const bus = await connectNatsBus({ url: nats.url, name: 'audit-test', log: silent, ackWaitMs: 1000 });
    await expect.poll(() => bus.isUp()).toBe(true);
    return bus;
  },
};

/** The audit service with the log only. */
const eventLog = defineService(
  { name: 'audit' as const, procedures: { events: audit.procedures.events } },
  {},
  async (runtime) => {
    await createEntryIndexes(runtime.database);
    const stores = createLogStores(runtime.database);
    return {
      handlers: { events: createLogProcedures(stores) },
      outboxes: [],
      consumers: [createLogConsumer({ stores, sealer: runtime.sealer, log: runtime.log })],
      sweeps: [],
    };
  },
);

/** The service on a database and a bus. */
async function startAudit(database: ReturnType<Databases['of']>, bus: EventBus) {
  const internal = await generateInternalKeys();
  const verifier = await createInternalTokenVerifier(internal.verifyKey);
  const signer = await createInternalTokenSigner(internal.signingKey);
  const sealer = createSealer(keys);
  const runtime = { config, log: silent, database, bus, services: connectServices({}), sealer, verifier };
  const service = await eventLog.start(runtime);
  const services = connectServices({ audit: inProcessLink(() => service.router) });
  return {
    stop: () => service.stop(),
    async list(principal: Principal): Promise<AuditEvent[]> {
      const origin = { token: await signer.sign(principal), requestId: 'test' };
      return (await services.audit.events.list.query({ limit: 500 }, { context: origin })).auditEvents;
    },
  };
}

const adminOf = (organizationId: string): Principal => ({
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'jti',
  tokenExpiresAt: 4_000_000_000,
  organizationId,
  projectId: 'p_1',
  userId: 'ou_1',
  userKey: 'u:1',
  email: 'ada@example.com',
  role: 'ADMIN',
  groupIds: [],
});

const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id).toSorted();

describe.each(Object.entries(buses))('the audit log with a bus (%s)', (name, connect) => {
  const databaseName = `audit${name.replace(/\W/g, '')}`;
  const database = mongo.databases.of(databaseName);

  it('records published events once, and lists them for an ADMIN', async () => {
    const bus = await connect();
    const running = await startAudit(database, bus);
    const organizationId = newId('organization');
    const events = Array.from({ length: 40 }, (_, n) =>
      eventOf(organizationId, {
        subject: `d_${n % 3}`,
        type: `management.dashboard.${n % 2 ? 'created' : 'deleted'}.v1`,
      }),
    );
    await bus.publish(events);
    await bus.publish(events.slice(0, 10));
    await expect.poll(() => running.list(adminOf(organizationId))).toHaveLength(40);
    const listed = await running.list(adminOf(organizationId));
    expect(idsOf(listed)).toEqual(idsOf(events));
    // Events of one resource keep their order.
    const ofOne = (found: { id: string }[], ids: readonly string[]) =>
      found.map(({ id }) => id).filter((id) => ids.includes(id));
    const wanted = events.filter(({ subject }) => subject === 'd_1').map(({ id }) => id);
    const inOrder = listed.toSorted((left, right) => left.sequence - right.sequence);
    expect(ofOne(inOrder, wanted)).toEqual(wanted);
    await running.stop();
    await bus.close();
  });

  it('loses no event when one of several processes dies repeatedly', async () => {
    const organizationId = newId('organization');
    const events: CloudEvent[] = Array.from({ length: 150 }, (_, n) =>
      eventOf(organizationId, { subject: `d_${n}` }),
    );
    // Like an outbox: kept until the bus acknowledges them.
    const outbox = mongo.databases
      .of(`${databaseName}outbox`)
      .collection<{ _id: string; revision: number; outbox: CloudEvent[] }>('records');
    await outbox.insertMany(events.map((event) => ({ _id: event.id, revision: 1, outbox: [event] })));
    const { entries } = collectionsOf(database);
    const log = await startTestLog(database, keys);
    const isAllRecorded = async () => {
      const [report] = await log.verify(organizationId);
      return report?.headSequence === events.length && report.entryCount === events.length;
    };
    // The in-process bus has only one process.
    const processes = name === 'NATS' ? 2 : 1;
    for (const livesMs of [40, 70, 100, 300_000]) {
      const connected = await Promise.all(Array.from({ length: processes }, connect));
      const [bus] = connected as [EventBus];
      const lives = await Promise.all(connected.map((each) => startAudit(database, each)));
      const relay = startRelay({ collections: [outbox], bus, log: silent });
      const endsAt = Date.now() + livesMs;
      while (Date.now() < endsAt && !(await isAllRecorded())) await sleep(10);
      const ends = [relay.stop(0), ...lives.map((each) => each.stop())];
      await Promise.all([...ends, ...connected.map((each) => each.close())]);
    }
    expect(
      idsOf((await entries.find({ organizationId }).toArray()).map(({ eventId: id }) => ({ id }))),
    ).toEqual(idsOf(events));
    expect(await log.verify(organizationId)).toMatchObject([{ outcome: 'intact', entryCount: 150 }]);
  });

  it('lists only entries of the own organization', async () => {
    const bus = await connect();
    const running = await startAudit(database, bus);
    const [own, other] = [newId('organization'), newId('organization')];
    await bus.publish([eventOf(own), eventOf(other), eventOf(other)]);
    await expect.poll(() => running.list(adminOf(other))).toHaveLength(2);
    expect((await running.list(adminOf(own))).map(({ organizationId }) => organizationId)).toEqual([own]);
    expect(await running.list(adminOf(newId('organization')))).toEqual([]);
    await running.stop();
    await bus.close();
  });
});
