import { startTestMongo } from '@gatehouse/testing';
import { expect, it, vi } from 'vitest';
import { readConfig } from './config.js';
import type { DurableConsumer } from './events/bus.js';
import { createInProcessBus } from './events/inProcessBus.js';
import { createInternalTokenVerifier, generateInternalKeys } from './internalToken.js';
import { createLog } from './log.js';
import { createEvent, outboxOf } from './mongo/outbox.js';
import { connectServices } from './rpc/client.js';
import { createSealer } from './sealing.js';
import { defineService } from './serviceDefinition.js';

const config = readConfig({ LOG_LEVEL: 'silent' });
const log = createLog('test', config);

const CREATED = 'management.organization.created.v1';
const eventAbout = (subject: string) =>
  createEvent(CREATED, subject, {
    origin: { service: 'test', organizationId: subject, now: new Date() },
    data: { id: subject, name: 'One' },
  });

/** Shorter than the interval of full rounds. */
const SOON_MS = 2000;

it('publishes the events of a service immediately after each write', async () => {
  await using mongo = await startTestMongo();
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const heard: string[] = [];
  await bus.watch([CREATED], ({ subject }) => heard.push(subject));
  let leave: (subject: string) => Promise<unknown> = async () => {};
  const tidy: DurableConsumer = {
    name: 'test-tidy',
    types: [CREATED],
    handle: async ({ subject }) => void (subject.endsWith('-after') || (await leave(`${subject}-after`))),
  };
  const definition = defineService({ name: 'test', procedures: {} }, {}, async ({ database }) => {
    leave = (subject) =>
      database.collection('notes').insertOne({ organizationId: subject, ...outboxOf([eventAbout(subject)]) });
    return { handlers: {}, outboxes: ['notes'], consumers: [tidy], sweeps: [] };
  });
  const verifier = await createInternalTokenVerifier((await generateInternalKeys()).verifyKey);
  const sealer = createSealer(Buffer.alloc(32).toString('base64'));
  const services = connectServices({});
  const database = mongo.databases.of('test');
  const service = await definition.start({ config, log, database, bus, services, sealer, verifier });
  const isHeard = (subject: string) =>
    vi.waitUntil(() => heard.includes(subject), { timeout: SOON_MS, interval: 10 });
  // Twice, because a full round may have found the first event. The pause after such a round is longer.
  for (const subject of ['one', 'another']) {
    await bus.publish([eventAbout(subject)]);
    await isHeard(`${subject}-after`);
    await leave(`${subject}-itself`);
    await isHeard(`${subject}-itself-after`);
  }
  expect(heard).toEqual(
    ['one', 'another'].flatMap((subject) => [
      subject,
      `${subject}-after`,
      `${subject}-itself`,
      `${subject}-itself-after`,
    ]),
  );
  await service.stop();
  await bus.close();
});
