import type { CloudEvent } from '@gatehouse/contract';
import { startNats, startTestMongo } from '@gatehouse/testing';
import type { Collection } from 'mongodb';
import { expect, it } from 'vitest';
import { connectNatsBus } from '../events/nats.js';
import { createLog } from '../log.js';
import {
  createEvent,
  OUTBOX_INDEX,
  outboxOf,
  withEvents,
  type EventOrigin,
  type OutboxDocument,
} from './outbox.js';
import { startRelay } from './relay.js';

const log = createLog('test', { LOG_LEVEL: 'silent' });
const origin: EventOrigin = { service: 'test', organizationId: 'o_1', now: new Date() };
const DOCUMENTS = 8;
const WRITES = 40;

function eventOf(subject: string): CloudEvent {
  const data = { id: subject, name: 'Any' };
  return createEvent('management.organization.created.v1', subject, { origin, data });
}

it('two relays of the same outboxes keep the order and numbers of each document', async () => {
  await using mongo = await startTestMongo();
  await using nats = await startNats();
  const documents: Collection<OutboxDocument> = mongo.databases.of('test').collection('documents');
  await documents.createIndexes([OUTBOX_INDEX]);
  const open = (name: string) => connectNatsBus({ url: nats.url, name, log });
  const buses = [await open('one'), await open('other')];
  const arrived: CloudEvent[] = [];
  await buses[0]?.consume({
    name: 'order',
    types: ['management.*.*.v1'],
    handle: async (event) => void arrived.push(event),
  });
  await expect.poll(() => buses.every((bus) => bus.isUp())).toBe(true);
  const relays = buses.map((bus) => startRelay({ collections: [documents], bus, log }));

  const ids = Array.from({ length: DOCUMENTS }, (_, index) => `o_${index}`);
  await documents.insertMany(ids.map((_id) => ({ _id, ...outboxOf([eventOf(_id)]) })));
  for (let write = 1; write < WRITES; write += 1) {
    await Promise.all(
      ids.map((_id) => documents.updateOne({ _id }, withEvents<OutboxDocument>({}, [eventOf(_id)]))),
    );
    for (const relay of relays) relay.wake('documents');
  }

  const seen = () => new Set(arrived.map(({ id }) => id)).size;
  await expect.poll(seen).toBe(DOCUMENTS * WRITES);
  await Promise.all(relays.map((relay) => relay.stop(2000)));
  const numbers = new Map(ids.map((id): [string, number[]] => [id, []]));
  for (const { subject, sequence } of arrived) numbers.get(subject)?.push(Number(sequence));
  const inOrder = Array.from({ length: WRITES }, (_, index) => index + 1);
  for (const found of numbers.values()) expect(found).toEqual(inOrder);
  await Promise.all(buses.map((bus) => bus.close()));
});
