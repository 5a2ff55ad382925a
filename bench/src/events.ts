import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import {
  connectNatsBus,
  createEvent,
  createInProcessBus,
  createLog,
  newKey,
  OUTBOX_INDEX,
  outboxOf,
  startRelay,
  type EventBus,
  type OutboxDocument,
} from '@gatehouse/service';
import { startNats } from '@gatehouse/testing';
import type { CloudEvent } from '@gatehouse/contract';
import { MongoClient, type Collection } from 'mongodb';

/** The throughput of events from changed documents to a consumer. */
export interface EventSpeed {
  bus: 'in process' | 'NATS';
  events: number;
  /** Events per second from the outboxes of as many documents to one consumer that does nothing. */
  relayed: number;
  /** The limit: events a second over the bus alone, published as the relay does. */
  busAlone: number;
}

export interface EventCost {
  /**
   * Events per second that the engine stores as updates of single documents, 64 concurrently: the source of
   * the events.
   */
  writesAlone: number;
  speeds: EventSpeed[];
}

const PUBLISH_BATCH = 1000;
const WRITERS = 64;
const log = createLog('bench', { LOG_LEVEL: 'warn' });

function makeEvents(count: number): CloudEvent[] {
  const origin = { service: 'bench', organizationId: 'o_bench', projectId: 'p_bench', now: new Date() };
  return Array.from({ length: count }, (_, index) => {
    const id = `d_${String(index).padStart(8, '0')}`;
    const owner = {
      ownerId: 'ou_bench',
      ownerType: 'organization',
      ownerKey: 'u:bench',
      ownerTenantKey: null,
    } as const;
    const state = {
      id,
      projectId: 'p_bench',
      title: `Dashboard ${index}`,
      ...owner,
      tenantId: null,
      isPrivate: true,
    };
    const data = { ...state, changes: { title: { from: 'Former title', to: state.title } } };
    return createEvent('management.dashboard.updated.v1', id, { origin, data });
  });
}

/**
 * Consumes until all events have arrived; those of an earlier measurement, which NATS keeps, do not count.
 */
async function countOn(bus: EventBus, events: readonly CloudEvent[]) {
  const missing = new Set(events.map(({ id }) => id));
  let finish = (): void => undefined;
  const complete = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const subscription = await bus.consume({
    name: `bench-${newKey()}`,
    types: ['management.dashboard.*.v1'],
    async handle(event) {
      if (missing.delete(event.id) && missing.size === 0) finish();
    },
  });
  return { complete, stop: () => subscription.stop() };
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(count / ((performance.now() - startedAt) / 1000));
}

async function measureBusAlone(bus: EventBus, count: number): Promise<number> {
  const events = makeEvents(count);
  const counter = await countOn(bus, events);
  const rate = await perSecond(count, async () => {
    for (let start = 0; start < count; start += PUBLISH_BATCH) {
      await bus.publish(events.slice(start, start + PUBLISH_BATCH));
    }
    await counter.complete;
  });
  await counter.stop();
  return rate;
}

/** Fills the outboxes first, so that only the relay is measured. */
async function measureRelay(bus: EventBus, collection: Collection<OutboxDocument>, count: number) {
  await collection.deleteMany({});
  const events = makeEvents(count);
  const documents = events.map((event) => ({ _id: event.subject, ...outboxOf([event]) }));
  for (let start = 0; start < count; start += 1000) {
    await collection.insertMany(documents.slice(start, start + 1000));
  }
  const counter = await countOn(bus, events);
  let relay: ReturnType<typeof startRelay> | undefined;
  const rate = await perSecond(count, async () => {
    relay = startRelay({ collections: [collection], bus, log });
    await counter.complete;
  });
  await relay?.stop(5000);
  await counter.stop();
  return rate;
}

async function measureWrites(collection: Collection<OutboxDocument>, count: number): Promise<number> {
  const events = makeEvents(count);
  await collection.insertMany(events.map((event) => ({ _id: event.subject, ...outboxOf([]) })));
  let next = 0;
  const write = async () => {
    for (let event = events[next++]; event !== undefined; event = events[next++]) {
      await collection.updateOne({ _id: event.subject }, { $push: { outbox: event }, $inc: { revision: 1 } });
    }
  };
  return perSecond(count, () => Promise.all(Array.from({ length: WRITERS }, write)));
}

/** Measures the relay over both buses, each beside the bus alone, and the writes that create events. */
export async function measureEvents(count: number): Promise<EventCost> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-events-'));
  const engine = await startEmbeddedEngine({ dataDir });
  const client = await new MongoClient(engine.url).connect();
  await using nats = await startNats();
  const collection = client.db('bench').collection<OutboxDocument>('documents');
  await collection.createIndexes([OUTBOX_INDEX]);
  const buses = {
    'in process': createInProcessBus({ log, onDeadLetter: async () => {} }),
    NATS: await connectNatsBus({ url: nats.url, name: 'bench', log }),
  };
  const speeds: EventSpeed[] = [];
  try {
    for (const name of ['in process', 'NATS'] as const) {
      const bus = buses[name];
      while (!bus.isUp()) await new Promise((resolve) => setTimeout(resolve, 20));
      const busAlone = await measureBusAlone(bus, count);
      speeds.push({
        bus: name,
        events: count,
        busAlone,
        relayed: await measureRelay(bus, collection, count),
      });
    }
    await collection.deleteMany({});
    return { speeds, writesAlone: await measureWrites(collection, count) };
  } finally {
    for (const bus of Object.values(buses)) await bus.close();
    await client.close();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The results as a part of a page of Markdown. */
export function reportEvents({ speeds, writesAlone }: EventCost): string {
  const rows = speeds.map(
    ({ bus, events, relayed, busAlone }) =>
      `| ${bus} | ${events} | ${relayed} | ${busAlone} | ${(relayed / busAlone).toFixed(2)} |`,
  );
  return `
## Events

From the outboxes of as many documents to one consumer that does nothing, beside the bus alone.
The writes that create events, one update of one document each and ${WRITERS} concurrently: ${writesAlone} per second.
The engine, the bus and the relay share the machine.

| bus | events | events/s | bus alone | share of the limit |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
