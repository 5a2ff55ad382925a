import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { jetstreamManager, type ConsumerInfo, type JetStreamManager } from '@nats-io/jetstream';
import { connect, millis } from '@nats-io/transport-node';
import type { CloudEvent } from '@gatehouse/contract';
import { startNats, type NatsServer } from '@gatehouse/testing';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventBus } from './bus.js';
import { connectNatsBus } from './nats.js';
import type { NatsBusOptions } from './natsBus.js';

const WAIT = { timeout: 120_000, interval: 20 };
/** Several times what the bus takes. The alternative is to wait until NATS is back, which is forever. */
const BOUND_MS = 10_000;
const ALL = ['management.*.*.v1'];

const cleanups: (() => PromiseLike<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function openNats(options?: { port: number; storeDir: string }): Promise<NatsServer> {
  const nats = await startNats(options);
  cleanups.push(() => nats[Symbol.asyncDispose]());
  return nats;
}

/** Opens a bus and, unless the server is down, waits until it is up. */
async function openBus(
  nats: Pick<NatsServer, 'url'>,
  options: Partial<NatsBusOptions> & { isServerDown?: boolean } = {},
): Promise<EventBus> {
  const log = pino({ level: 'silent' });
  const bus = await connectNatsBus({ log, url: nats.url, name: 'test', ackWaitMs: 1_000, ...options });
  cleanups.push(() => bus.close());
  if (!options.isServerDown) await untilUp(bus);
  return bus;
}

async function untilUp(bus: EventBus, isUp = true): Promise<void> {
  await vi.waitFor(() => expect(bus.isUp()).toBe(isUp), WAIT);
}

function buildEvents(count: number): CloudEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    specversion: '1.0',
    id: randomUUID(),
    source: '/gatehouse/access',
    type: 'management.dashboard.created.v1',
    subject: `d${n}`,
    time: '2026-01-02T03:04:05.678Z',
    datacontenttype: 'application/json',
    organizationid: 'org-1',
    data: { id: `d${n}`, title: 'Sales by region', ownerId: 'u1', isPrivate: true },
  }));
}

function idsOf(events: CloudEvent[]): Set<string> {
  return new Set(events.map(({ id }) => id));
}

/** Consumes all events into the returned list. */
async function collect(bus: EventBus, name: string): Promise<string[]> {
  const seen: string[] = [];
  await bus.consume({ name, types: ALL, handle: async (event) => void seen.push(event.id) });
  return seen;
}

async function untilSeen(seen: string[], events: CloudEvent[]): Promise<void> {
  await vi.waitFor(() => expect(new Set(seen)).toEqual(idsOf(events)), WAIT);
}

async function withJetStream<T>(nats: NatsServer, ask: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
  const nc = await connect({ servers: nats.url });
  try {
    return await ask(await jetstreamManager(nc));
  } finally {
    await nc.close();
  }
}

function readConsumer(nats: NatsServer, name: string): Promise<ConsumerInfo> {
  return withJetStream(nats, (jsm) => jsm.consumers.info('MANAGEMENT', name));
}

/** Lets another process receive one event for the consumer and exit. Returns the id of the event. */
async function takeAndCrash(nats: NatsServer, consumer: string): Promise<string> {
  const program = `
    import { connect } from '@nats-io/transport-node';
    import { jetstream } from '@nats-io/jetstream';
    const { consumers } = jetstream(await connect({ servers: '${nats.url}' }));
    const message = await (await consumers.get('MANAGEMENT', '${consumer}')).next();
    process.stdout.write(message.json().id, () => process.kill(process.pid, 'SIGKILL'));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [taken] = (await once(child.stdout, 'data')) as [Buffer];
  await once(child, 'exit');
  return taken.toString();
}

/** Returns how long the call took to reject, in milliseconds. Fails if it does not reject. */
async function timeRejection(call: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await expect(call()).rejects.toMatchObject({ name: 'BusUnavailableError' });
  return performance.now() - startMs;
}

describe('a bus that loses NATS', () => {
  it.each(['stop', 'kill'] as const)('rejects in bounded time and works again after a %s', async (end) => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const seen = await collect(bus, 'survivor');
    const [before, during, after] = [buildEvents(3), buildEvents(1), buildEvents(3)];
    await bus.publish(before);
    await untilSeen(seen, before);
    await nats[end]();
    await untilUp(bus, false);
    expect(await timeRejection(() => bus.publish(during))).toBeLessThan(BOUND_MS);
    await openNats(nats);
    await untilUp(bus);
    await bus.publish(after);
    await untilSeen(seen, [...before, ...after]);
  });

  it('loses no event that is published until it is stored, while NATS is killed under load', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const other = await openBus(nats);
    const seen = await collect(other, 'survivor');
    const events = buildEvents(2_000);
    let refusals = 0;
    const publishing = (async () => {
      for (let start = 0; start < events.length; start += 20) {
        const batch = events.slice(start, start + 20);
        const tryPublish = (): Promise<boolean> =>
          bus.publish(batch).then(
            () => true,
            () => false,
          );
        while (!(await tryPublish())) refusals += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    let running = nats;
    for (let round = 0; round < 3; round += 1) {
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(round * 400 + 100), WAIT);
      await running.kill();
      running = await openNats(nats);
    }
    await publishing;
    await untilSeen(seen, events);
  });

  it('rejects in bounded time while NATS hangs, and recovers when it responds', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const seen = await collect(bus, 'survivor');
    const [hung, after] = [buildEvents(300), buildEvents(3)];
    process.kill(nats.pid, 'SIGSTOP');
    expect(await timeRejection(() => bus.publish(hung))).toBeLessThan(BOUND_MS);
    await vi.waitFor(() => expect(bus.isUp()).toBe(false), WAIT);
    expect(await timeRejection(() => bus.publish(hung))).toBeLessThan(BOUND_MS);
    process.kill(nats.pid, 'SIGCONT');
    await untilUp(bus);
    await bus.publish([...hung, ...after]);
    await untilSeen(seen, [...hung, ...after]);
    expect(seen).toHaveLength(303);
  });

  it('closes in bounded time while NATS hangs', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    await collect(bus, 'survivor');
    process.kill(nats.pid, 'SIGSTOP');
    const startMs = performance.now();
    await bus.close();
    expect(performance.now() - startMs).toBeLessThan(BOUND_MS);
  });

  it('recreates streams and consumers when NATS returns with an empty store', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const seen = await collect(bus, 'survivor');
    const [before, after] = [buildEvents(2), buildEvents(2)];
    await bus.publish(before);
    await untilSeen(seen, before);
    await nats.kill();
    await rm(nats.storeDir, { recursive: true });
    await untilUp(bus, false);
    await openNats(nats);
    await untilUp(bus);
    await bus.publish(after);
    await untilSeen(seen, [...before, ...after]);
    const { state } = await withJetStream(nats, (jsm) => jsm.streams.info('MANAGEMENT'));
    expect(state.messages).toBe(2);
  });

  it('recreates streams and consumers when they are deleted', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const seen = await collect(bus, 'survivor');
    const [first, second] = [buildEvents(2), buildEvents(2)];
    await withJetStream(nats, (jsm) => jsm.streams.delete('MANAGEMENT'));
    await vi.waitFor(() => bus.publish(first), WAIT);
    await untilSeen(seen, first);
    await withJetStream(nats, (jsm) => jsm.consumers.delete('MANAGEMENT', 'survivor'));
    await bus.publish(second);
    await untilSeen(seen, [...first, ...second]);
    expect(bus.isUp()).toBe(true);
  });
});

describe('a bus whose NATS is down at the start', () => {
  it('returns immediately, rejects, and works with its consumers and watchers once NATS starts', async () => {
    const nats = await openNats();
    await nats.stop();
    const bus = await openBus(nats, { isServerDown: true });
    const seen = await collect(bus, 'early');
    const watched: string[] = [];
    const onGap = vi.fn<() => void>();
    await bus.watch(ALL, (event) => void watched.push(event.id), onGap);
    expect(bus.isUp()).toBe(false);
    expect(await timeRejection(() => bus.publish(buildEvents(1)))).toBeLessThan(BOUND_MS);
    await openNats(nats);
    await untilUp(bus);
    expect(onGap).toHaveBeenCalledTimes(1);
    const events = buildEvents(2);
    await bus.publish(events);
    await untilSeen(seen, events);
    await untilSeen(watched, events);
  });

  it('signs in with the user and password of the URL', async () => {
    const nats = await startNats({ credentials: { user: 'gate/house', password: 'p@ss:word' } });
    cleanups.push(() => nats[Symbol.asyncDispose]());
    const bus = await openBus({ url: nats.url.replace('nats://', 'nats://gate%2Fhouse:p%40ss%3Aword@') });
    await bus.publish(buildEvents(1));
    const stranger = await openBus(nats, { isServerDown: true });
    expect(await timeRejection(() => stranger.publish(buildEvents(1)))).toBeLessThan(BOUND_MS);
  });

  it('rejects a malformed URL', async () => {
    await expect(openBus({ url: 'http://127.0.0.1:4222' })).rejects.toThrow(TypeError);
  });
});

describe('durable consumers on NATS', () => {
  it('get the events from before their creation and from while they were stopped', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const [early, missed] = [buildEvents(2), buildEvents(2)];
    await bus.publish(early);
    const seen: string[] = [];
    const consumer = {
      name: 'returns',
      types: ALL,
      handle: async (event: CloudEvent) => void seen.push(event.id),
    };
    const subscription = await bus.consume(consumer);
    await untilSeen(seen, early);
    await subscription.stop();
    await bus.publish(missed);
    await bus.consume(consumer);
    await untilSeen(seen, [...early, ...missed]);
    expect(seen).toHaveLength(4);
  });

  it('share events between the processes with one name', async () => {
    const nats = await openNats();
    const buses = [await openBus(nats), await openBus(nats)];
    const seen = await Promise.all(buses.map((bus) => collect(bus, 'shared')));
    const events = buildEvents(300);
    await buses[0]?.publish(events);
    await vi.waitFor(() => expect(seen.flat()).toHaveLength(300), WAIT);
    expect(new Set(seen.flat())).toEqual(idsOf(events));
    for (const share of seen) expect(share.length).toBeGreaterThan(0);
  });

  it('get the unacknowledged events of a crashed process again', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const first = await bus.consume({ name: 'crash', types: ALL, handle: async () => undefined });
    await vi.waitFor(() => readConsumer(nats, 'crash'), WAIT);
    await first.stop();
    const events = buildEvents(1);
    await bus.publish(events);
    expect(await takeAndCrash(nats, 'crash')).toBe(events[0]?.id);
    await untilSeen(await collect(bus, 'crash'), events);
  });

  it('give up an event that has ended its process each time, without another attempt', async () => {
    const nats = await openNats();
    const bus = await openBus(nats, { redeliveryDelaysMs: [] });
    const first = await bus.consume({ name: 'crash', types: ALL, handle: async () => undefined });
    await vi.waitFor(() => readConsumer(nats, 'crash'), WAIT);
    await first.stop();
    const [poison, ...later] = buildEvents(3);
    if (poison) await bus.publish([poison]);
    await takeAndCrash(nats, 'crash');
    const seen = await collect(bus, 'crash');
    await bus.publish(later);
    await untilSeen(seen, later);
    await vi.waitFor(async () => expect((await readConsumer(nats, 'crash')).num_ack_pending).toBe(0), WAIT);
    expect(new Set(seen)).toEqual(idsOf(later));
    const letter = await withJetStream(nats, (jsm) => jsm.streams.getMessage('DEADLETTERS', { seq: 1 }));
    expect(letter?.subject).toBe('deadletter.crash');
    expect(letter?.json()).toMatchObject({ event: poison, reason: 'not_acknowledged', deliveries: 2 });
  });

  it('are not disturbed by a handler that works longer than the acknowledgement timeout', async () => {
    const nats = await openNats();
    const bus = await openBus(nats, { ackWaitMs: 300 });
    let deliveries = 0;
    let isDone = false;
    await bus.consume({
      name: 'slow',
      types: ALL,
      handle: async () => {
        deliveries += 1;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        isDone = true;
      },
    });
    await bus.publish(buildEvents(1));
    await vi.waitFor(() => expect(isDone).toBe(true), WAIT);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(deliveries).toBe(1);
  });

  it('continue at their position when a new version of the service adds types', async () => {
    const nats = await openNats();
    const [oldBus, newBus] = [await openBus(nats), await openBus(nats)];
    const [group, tenant] = ['management.group.deleted.v1', 'management.tenant.deleted.v1'];
    const publishDeleted = (): Promise<void> =>
      oldBus.publish(buildEvents(2).map((event, n) => ({ ...event, type: n === 0 ? group : tenant })));
    const seen: string[] = [];
    const handle = async (event: CloudEvent): Promise<void> => void seen.push(event.type);
    const narrow = await oldBus.consume({ name: 'tidy', types: [group], handle });
    await publishDeleted();
    await vi.waitFor(() => expect(seen).toEqual([group]), WAIT);
    await vi.waitFor(async () => expect((await readConsumer(nats, 'tidy')).num_ack_pending).toBe(0), WAIT);
    await narrow.stop();
    await oldBus.publish(buildEvents(1).map((event) => ({ ...event, type: group })));
    await newBus.consume({ name: 'tidy', types: [group, tenant], handle });
    await vi.waitFor(() => expect(seen).toEqual([group, group]), WAIT);
    // An old process that returns does not narrow the filter.
    const again = await oldBus.consume({ name: 'tidy', types: [group], handle });
    await vi.waitFor(async () => expect((await readConsumer(nats, 'tidy')).num_waiting).toBe(2), WAIT);
    await again.stop();
    await publishDeleted();
    await vi.waitFor(() => expect(seen).toHaveLength(4), WAIT);
    expect(new Set(seen.slice(2))).toEqual(new Set([group, tenant]));
  });

  it('skip messages that are not events', async () => {
    const nats = await openNats();
    const bus = await openBus(nats);
    const seen = await collect(bus, 'strict');
    const nc = await connect({ servers: nats.url });
    const [event] = buildEvents(1);
    const malformed = [
      { type: 'management.other.x.v1' },
      { organizationid: { 'a\0b': 1 } },
      { organizationid: undefined },
      { sequence: { $gt: '' } },
      { time: 'soon' },
      { data: null },
    ];
    for (const text of [
      '',
      '{',
      'null',
      '{"id":1}',
      ...malformed.map((fields) => JSON.stringify({ ...event, ...fields })),
    ]) {
      nc.publish('management.dashboard.created.v1', text);
    }
    await nc.flush();
    await nc.close();
    const events = buildEvents(1);
    await bus.publish(events);
    await untilSeen(seen, events);
    await vi.waitFor(
      async () => expect(await readConsumer(nats, 'strict')).toMatchObject({ num_ack_pending: 0 }),
      WAIT,
    );
  });
});

describe('watchers on NATS', () => {
  it('get every event in each process, and a notice of the gap after a reconnect', async () => {
    const nats = await openNats();
    const buses = [await openBus(nats), await openBus(nats)];
    const watchers = await Promise.all(
      buses.map(async (bus) => {
        const seen: string[] = [];
        const onGap = vi.fn<() => void>();
        await bus.watch(ALL, (event) => void seen.push(event.id), onGap);
        return { seen, onGap };
      }),
    );
    const [before, after] = [buildEvents(50), buildEvents(50)];
    await buses[0]?.publish(before);
    for (const { seen } of watchers) await untilSeen(seen, before);
    for (const { onGap } of watchers) expect(onGap).not.toHaveBeenCalled();
    await nats.kill();
    await Promise.all(buses.map((bus) => untilUp(bus, false)));
    await openNats(nats);
    for (const { onGap } of watchers) await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1), WAIT);
    await buses[1]?.publish(after);
    for (const { seen } of watchers) await untilSeen(seen, [...before, ...after]);
  });
});

describe('the streams', () => {
  it('are stored in bounded files, and keep the settings of an operator', async () => {
    const nats = await openNats();
    await withJetStream(nats, (jsm) =>
      jsm.streams.add({ name: 'DEADLETTERS', subjects: ['deadletter.>'], max_bytes: 1_000_000 }),
    );
    await openBus(nats);
    const { config } = await withJetStream(nats, (jsm) => jsm.streams.info('MANAGEMENT'));
    const deadLetters = await withJetStream(nats, (jsm) => jsm.streams.info('DEADLETTERS'));
    expect(config).toMatchObject({
      subjects: ['management.>'],
      storage: 'file',
      retention: 'limits',
      discard: 'old',
      max_bytes: 1_024 ** 3,
    });
    expect(millis(config.max_age)).toBe(7 * 24 * 60 * 60 * 1_000);
    expect(millis(config.duplicate_window)).toBe(120_000);
    expect(deadLetters.config.max_bytes).toBe(1_000_000);
  });
});
