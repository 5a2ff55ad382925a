import { startTestMongo } from '@gatehouse/testing';
import { expect, it, vi } from 'vitest';
import { readConfig } from './config.js';
import { createInProcessBus } from './events/inProcessBus.js';
import { createInternalTokenVerifier, generateInternalKeys } from './internalToken.js';
import { createLog } from './log.js';
import { createEvent, outboxOf } from './mongo/outbox.js';
import { connectServices } from './rpc/connect.js';
import { createSealer } from './sealing.js';
import { defineService, type ServiceConsumer } from './serviceDefinition.js';

const config = readConfig({ LOG_LEVEL: 'silent' });
const log = createLog('test', config);

const CREATED = 'management.organization.created.v1';
const eventAbout = (subject: string) =>
  createEvent(CREATED, subject, {
    origin: { service: 'test', organizationId: subject, now: new Date() },
    data: { id: subject, name: 'One' },
  });

/** Less than a relay that nobody wakes lets pass between two rounds. */
const SOON_MS = 2000;

it('publishes at once what a consumer of a service leaves in its outboxes', async () => {
  await using mongo = await startTestMongo();
  const database = mongo.databases.of('test');
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const heard: string[] = [];
  await bus.watch([CREATED], ({ subject }) => heard.push(subject));
  const tidy: ServiceConsumer = {
    name: 'test-tidy',
    emits: true,
    types: [CREATED],
    async handle({ subject }) {
      if (subject.endsWith('-after')) return;
      const left = outboxOf([eventAbout(`${subject}-after`)]);
      await database.collection('notes').insertOne({ organizationId: subject, ...left });
    },
  };
  const definition = defineService({ name: 'directory', procedures: {} }, { calls: [] }, async () => ({
    handlers: {},
    outboxes: ['notes'],
    consumers: [tidy],
    sweeps: [],
  }));
  const verifier = await createInternalTokenVerifier((await generateInternalKeys()).verifyKey);
  const sealer = createSealer(Buffer.alloc(32).toString('base64'));
  const services = connectServices({});
  const service = await definition.start({ config, log, database, bus, services, sealer, verifier });
  // Twice: what was found by chance in a round without a wake is followed by a pause that is longer.
  for (const subject of ['one', 'another']) {
    await bus.publish([eventAbout(subject)]);
    await vi.waitUntil(() => heard.includes(`${subject}-after`), { timeout: SOON_MS, interval: 10 });
  }
  expect(heard).toEqual(['one', 'one-after', 'another', 'another-after']);
  await service.stop();
  await bus.close();
});
