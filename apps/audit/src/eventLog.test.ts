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
  joinAreas,
  newId,
  readConfig,
  startRelay,
  type Databases,
  type EventBus,
} from '@gatehouse/service';
import { startNats, startTestMongo } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { startEventLog } from './eventLog.js';
import { collectionsOf, eventOf, newKeys, startTestLog } from './testing/auditEventsLog.js';

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
  NATS: () => connectNatsBus({ url: nats.url, name: 'audit-test', log: silent, ackWaitMs: 1000 }),
};

/** The audit service with this one area of it. */
const eventLog = defineService(
  { name: 'audit', procedures: { events: audit.procedures.events } },
  { calls: [] },
  async (runtime) => {
    const area = await startEventLog(runtime);
    return { handlers: { events: area.handlers }, ...joinAreas([area]) };
  },
);

/** The service as it runs, on a database and a bus. */
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
      return (await services.audit.events.list(origin, { limit: 500 })).auditEvents;
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

describe.each(Object.entries(buses))('the event log, fed by a bus %s', (name, connect) => {
  const databaseName = `audit${name.replace(/\W/g, '')}`;
  const database = mongo.databases.of(databaseName);

  it('records what is published, once, and answers it to an ADMIN', async () => {
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
    await expect.poll(() => running.list(adminOf(organizationId)), { timeout: 10_000 }).toHaveLength(40);
    const listed = await running.list(adminOf(organizationId));
    expect(idsOf(listed)).toEqual(idsOf(events));
    // Of one resource in the order in which it happened.
    const ofOne = (found: { id: string }[], ids: readonly string[]) =>
      found.map(({ id }) => id).filter((id) => ids.includes(id));
    const wanted = events.filter(({ subject }) => subject === 'd_1').map(({ id }) => id);
    const inOrder = listed.toSorted((left, right) => left.sequence - right.sequence);
    expect(ofOne(inOrder, wanted)).toEqual(wanted);
    await running.stop();
    await bus.close();
  });

  it('loses nothing when its process dies again and again while several run', async () => {
    const organizationId = newId('organization');
    const events: CloudEvent[] = Array.from({ length: 150 }, (_, n) =>
      eventOf(organizationId, { subject: `d_${n}` }),
    );
    // As services keep them: until the bus says that they are safe.
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
    // A bus in process has but one process.
    const processes = name === 'NATS' ? 2 : 1;
    for (const livesMs of [40, 70, 100, 20_000]) {
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

  it('gives an organization its own log and nothing of another', async () => {
    const bus = await connect();
    const running = await startAudit(database, bus);
    const [own, other] = [newId('organization'), newId('organization')];
    await bus.publish([eventOf(own), eventOf(other), eventOf(other)]);
    await expect.poll(() => running.list(adminOf(other)), { timeout: 10_000 }).toHaveLength(2);
    expect((await running.list(adminOf(own))).map(({ organizationId }) => organizationId)).toEqual([own]);
    expect(await running.list(adminOf(newId('organization')))).toEqual([]);
    await running.stop();
    await bus.close();
  });
});
