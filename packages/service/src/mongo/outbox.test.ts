import type { CloudEvent } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { MongoClient, type Collection, type Filter } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventBus } from '../events/bus.js';
import { createInProcessBus } from '../events/inProcessBus.js';
import { createLog } from '../log.js';
import { duplicateKeysOf } from './databaseErrors.js';
import {
  createEvent,
  OUTBOX_INDEX,
  outboxOf,
  tombstone,
  withEvents,
  type OutboxDocument,
  type EventOrigin,
  type Outboxed,
} from './outbox.js';
import { startRelay } from './relay.js';

interface Note extends Outboxed {
  _id: string;
  organizationId: string;
  name: string;
}

const now = new Date('2026-01-01T00:00:00Z');
const origin: EventOrigin = { service: 'test', organizationId: 'o_1', now };
const log = createLog('test', { LOG_LEVEL: 'silent' });
const event = (name: string): CloudEvent =>
  createEvent('management.organization.created.v1', 'n1', { origin, data: { id: 'o_1', name } });
const namesOf = (events: CloudEvent[]) => events.map((each) => each.data['name']);

let mongo: TestMongo;
let notes: Collection<Note>;

beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  notes = mongo.databases.of('test').collection<Note>('notes');
  await notes.deleteMany({});
  await notes.createIndexes([OUTBOX_INDEX]);
  await notes.insertOne({ _id: 'n1', organizationId: 'o_1', name: 'a', ...outboxOf([event('made')]) });
});

/** A bus that publishes to a list, or fails while `isDown`. */
function listeningBus() {
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const published: CloudEvent[] = [];
  const state = { isDown: false, beforeAnswer: async () => {} };
  const listening: EventBus = {
    ...bus,
    isUp: () => !state.isDown,
    async publish(events) {
      if (state.isDown) throw new Error('down');
      published.push(...events);
      await state.beforeAnswer();
    },
  };
  return { bus: listening, published, state };
}

function relayOver(bus: EventBus) {
  return startRelay({ collections: [notes as unknown as Collection<OutboxDocument>], bus, log });
}

/** A relay over two collections, and how often it has read each. */
async function watchedRelay(bus: EventBus) {
  const looks: Record<string, number> = { notes: 0, others: 0 };
  const client = await new MongoClient(mongo.url, { monitorCommands: true }).connect();
  client.on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'find') looks[String(command['find'])] = (looks[String(command['find'])] ?? 0) + 1;
  });
  const { dbName } = notes;
  const collections = ['notes', 'others'].map((name) => client.db(dbName).collection<OutboxDocument>(name));
  const relay = startRelay({ collections, bus, log });
  return {
    relay,
    looks,
    async [Symbol.asyncDispose]() {
      await relay.stop(1000);
      await client.close();
    },
  };
}

async function rename(name: string): Promise<void> {
  await notes.updateOne({ _id: 'n1' }, withEvents<Note>({ $set: { name } }, [event(name)]));
}

async function remove(): Promise<void> {
  await notes.updateOne({ _id: 'n1' }, tombstone([event('gone')], now, ['organizationId']));
}

describe('the outbox of a document', () => {
  it('stores a change and its event in one write and counts the write', async () => {
    await rename('b');
    const note = await notes.findOne({ _id: 'n1' });
    expect(note).toMatchObject({ name: 'b', revision: 2 });
    expect(namesOf(note?.outbox ?? [])).toEqual(['made', 'b']);
  });

  it('only increments the count for a change without events', async () => {
    await notes.updateOne({ _id: 'n1' }, withEvents<Note>({ $set: { name: 'c' } }, []));
    expect(await notes.findOne({ _id: 'n1' })).toMatchObject({
      name: 'c',
      revision: 2,
      outbox: [{ data: { name: 'made' } }],
    });
  });

  it('converts a deleted document into a tombstone with its unsent events', async () => {
    await remove();
    const left = (await notes.findOne({ _id: 'n1' })) as Outboxed | null;
    expect(left).not.toHaveProperty('name');
    expect(left).toMatchObject({ organizationId: 'o_1', revision: 2 });
    expect(namesOf(left?.outbox ?? [])).toEqual(['made', 'gone']);
  });

  it('rejects event data that does not match the catalogue', () => {
    const data = { id: 'o_1' } as { id: string; name: string };
    expect(() => createEvent('management.organization.created.v1', 'o_1', { origin, data })).toThrow('name');
  });
});

describe('the relay', () => {
  it('publishes pending events in order, clears them, and deletes tombstones', async () => {
    const { bus, published } = listeningBus();
    await rename('b');
    const relay = relayOver(bus);
    await expect.poll(() => namesOf(published)).toEqual(['made', 'b']);
    await expect.poll(() => relay.ageMs()).toBe(0);
    expect(await notes.findOne({ _id: 'n1' })).toMatchObject({ outbox: [] });
    await remove();
    relay.wake('notes');
    await expect.poll(() => notes.countDocuments()).toBe(0);
    expect(namesOf(published)).toEqual(['made', 'b', 'gone']);
    await relay.stop(1000);
  });

  it('keeps an event that is written while an earlier one is published', async () => {
    const { bus, published, state } = listeningBus();
    state.beforeAnswer = async () => {
      state.beforeAnswer = async () => {};
      await rename('during');
      relay.wake('notes');
    };
    const relay = relayOver(bus);
    await expect.poll(() => namesOf(published)).toEqual(['made', 'during']);
    await expect.poll(() => relay.ageMs()).toBe(0);
    await relay.stop(1000);
  });

  it('reads only the collections that were written to', async () => {
    await using watched = await watchedRelay(listeningBus().bus);
    const { relay, looks } = watched;
    await expect.poll(() => looks['others']).toBe(1);
    for (let written = 1; written < 5; written += 1) {
      const before = looks['notes'] ?? 0;
      relay.wake('notes');
      relay.wake('somewhere else');
      await expect.poll(() => looks['notes'], { interval: 5 }).toBe(before + 1);
    }
    expect(looks['others']).toBe(1);
  });

  it('finds the events of another process while this one writes constantly', async () => {
    const { bus, published } = listeningBus();
    await using watched = await watchedRelay(bus);
    const { relay, looks } = watched;
    await expect.poll(() => looks['others']).toBe(1);
    const others = notes.db.collection<OutboxDocument>('others');
    await others.insertOne({ _id: 'left', ...outboxOf([event('left')]) });
    const isFound = () => {
      relay.wake('notes');
      return namesOf(published).includes('left');
    };
    await expect.poll(isFound, { interval: 20 }).toBe(true);
    await others.drop();
  });

  it('keeps events while the bus is down, and publishes all of them afterwards', async () => {
    const { bus, published, state } = listeningBus();
    state.isDown = true;
    const relay = relayOver(bus);
    await rename('b');
    relay.wake('notes');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(published).toEqual([]);
    expect(await relay.ageMs()).toBeGreaterThan(0);
    state.isDown = false;
    await expect.poll(() => namesOf(published)).toEqual(['made', 'b']);
    await relay.stop(1000);
  });

  it('publishes other events beside one that can never be published', async () => {
    const { bus, published } = listeningBus();
    const picky: EventBus = {
      ...bus,
      async publish(events) {
        if (events.some((each) => each.subject === 'poison')) throw new TypeError('too large');
        await bus.publish(events);
      },
    };
    const poison = { ...event('never'), subject: 'poison' };
    await notes.insertOne({
      _id: 'n0',
      organizationId: 'o_1',
      name: 'p',
      ...outboxOf([poison]),
    });
    const relay = relayOver(picky);
    await expect.poll(() => namesOf(published)).toEqual(['made']);
    await relay.stop(1000);
    expect(await notes.findOne({ _id: 'n0' })).toMatchObject({ outbox: [{ subject: 'poison' }] });
  });

  it('publishes other events behind more documents than a round has that cannot be published', async () => {
    await notes.deleteMany({});
    const poison = { ...event('never'), subject: 'poison' };
    const ids = Array.from({ length: 1001 }, (_, index) => `n${index}`);
    const fields = { organizationId: 'o_1', name: 'p' };
    await notes.insertMany(ids.map((_id) => ({ _id, ...fields, ...outboxOf([poison]) })));
    const later = { ...event('later'), time: new Date(Date.now() + 1000).toISOString() };
    await notes.insertOne({ _id: 'last', ...fields, ...outboxOf([later]) });
    const { bus, published } = listeningBus();
    let rejected = 0;
    const relay = relayOver({
      ...bus,
      async publish(events) {
        if (events.some((each) => each.subject === 'poison')) {
          rejected += 1;
          throw new TypeError('too large');
        }
        await bus.publish(events);
      },
    });
    await expect.poll(() => namesOf(published)).toEqual(['later']);
    await relay.stop(1000);
    // Once each, and once for each round that had some of them.
    expect(rejected).toBeLessThanOrEqual(1001 + 3);
  });

  it('publishes the remaining events before it stops', async () => {
    const { bus, published } = listeningBus();
    const relay = relayOver(bus);
    await expect.poll(() => published.length).toBe(1);
    await rename('last');
    await relay.stop(1000);
    expect(namesOf(published)).toEqual(['made', 'last']);
  });

  it('does not wait for a pause when it is stopped during a round', async () => {
    await notes.deleteMany({});
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      // Its first round has begun. A pause would never end.
      await expect(relayOver(listeningBus().bus).stop(0)).resolves.toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it('numbers the events of a document without a gap, up to its deletion', async () => {
    const { bus, published } = listeningBus();
    const relay = relayOver(bus);
    await rename('b');
    await rename('c');
    relay.wake('notes');
    await expect.poll(() => relay.ageMs()).toBe(0);
    await notes.updateOne({ _id: 'n1' }, withEvents<Note>({ $set: { name: 'd' } }, [event('d'), event('e')]));
    await notes.updateOne({ _id: 'n1' }, withEvents<Note>({ $set: { name: 'silent' } }, []));
    await remove();
    relay.wake('notes');
    await expect.poll(() => notes.countDocuments()).toBe(0);
    await relay.stop(1000);
    const numbered = published.map((each) => [each.sequence, each.data['name']]);
    expect(numbered).toEqual(
      ['made', 'b', 'c', 'd', 'e', 'gone'].map((name, index) => [`00000000000${index + 1}`, name]),
    );
  });

  it('continues immediately while a round is full', async () => {
    const { bus, published } = listeningBus();
    const many = Array.from({ length: 2500 }, (_, index) => ({
      _id: `many-${index}`,
      organizationId: 'o_1',
      name: 'many',
      ...outboxOf([event('many')]),
    }));
    await notes.insertMany(many);
    const relay = relayOver(bus);
    await expect.poll(() => relay.ageMs()).toBe(0);
    await relay.stop(1000);
    expect(new Set(published.map(({ id }) => id)).size).toBe(2501);
  });

  it('publishes at most 8 MiB and one document in one round', async () => {
    const { bus, published } = listeningBus();
    const rounds: number[] = [];
    const many = Array.from({ length: 30 }, (_, index) => ({
      _id: `large-${index}`,
      organizationId: 'o_1',
      name: 'large',
      ...outboxOf([event('x'.repeat(900_000))]),
    }));
    await notes.insertMany(many);
    const relay = relayOver({
      ...bus,
      async publish(events) {
        rounds.push(JSON.stringify(events).length);
        await bus.publish(events);
      },
    });
    await expect.poll(() => relay.ageMs()).toBe(0);
    await relay.stop(1000);
    expect(new Set(published.map(({ id }) => id)).size).toBe(31);
    expect(Math.max(...rounds)).toBeLessThanOrEqual(8 * 1024 * 1024 + 1_000_000);
  });

  it('finds pending events by the index alone', async () => {
    const filter: Filter<Note> = { 'outbox.time': { $gt: '' } };
    const plan = await notes.find(filter).explain('queryPlanner');
    expect(JSON.stringify(plan)).toContain('"indexName":"outbox"');
  });
});

describe('a unique index', () => {
  it('names the fields of a rejected document', async () => {
    const error: unknown = await notes
      .insertOne({ _id: 'n1', organizationId: 'o_1', name: 'again', ...outboxOf([]) })
      .catch((caught: unknown) => caught);
    expect(duplicateKeysOf(error)).toEqual(['_id']);
    expect(duplicateKeysOf(new Error('other'))).toBeNull();
  });
});
