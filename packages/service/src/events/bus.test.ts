import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { AppError, type CloudEvent } from '@gatehouse/contract';
import { startNats } from '@gatehouse/testing';
import { MongoNetworkError } from 'mongodb';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { coverTypes, matchesTypes, type DeadLetter, type EventBus } from './bus.js';
import type { DeliveryOptions } from './delivery.js';
import { createInProcessBus } from './inProcessBus.js';
import { connectNatsBus } from './nats.js';

const WAIT = { timeout: 120_000, interval: 10 };
const QUICK: DeliveryOptions = { log: pino({ level: 'silent' }), redeliveryDelaysMs: [10, 20, 30, 40] };

function buildEvent(subject: string, type = 'management.dashboard.created.v1'): CloudEvent {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: '/gatehouse/access',
    type,
    subject,
    time: '2026-01-02T03:04:05.678Z',
    datacontenttype: 'application/json',
    organizationid: 'org-1',
    data: { id: subject },
  };
}

interface OpenBus extends AsyncDisposable {
  bus: EventBus;
  readDeadLetters(): Promise<DeadLetter[]>;
}

async function openInProcessBus(options: Partial<DeliveryOptions> = {}): Promise<OpenBus> {
  const letters: DeadLetter[] = [];
  const bus = createInProcessBus({
    ...QUICK,
    ...options,
    onDeadLetter: async (letter) => void letters.push(letter),
  });
  return { bus, readDeadLetters: async () => letters, [Symbol.asyncDispose]: () => bus.close() };
}

async function openNatsBus(options: Partial<DeliveryOptions> = {}): Promise<OpenBus> {
  const nats = await startNats();
  const bus = await connectNatsBus({ ...QUICK, ...options, url: nats.url, name: 'test' });
  await vi.waitFor(() => expect(bus.isUp()).toBe(true), WAIT);
  return {
    bus,
    readDeadLetters: async () => {
      const nc = await connect({ servers: nats.url });
      const jsm = await jetstreamManager(nc);
      const { state } = await jsm.streams.info('DEADLETTERS');
      const letters: DeadLetter[] = [];
      for (let seq = 1; seq <= state.last_seq; seq += 1) {
        const message = await jsm.streams.getMessage('DEADLETTERS', { seq });
        if (message) letters.push(message.json<DeadLetter>());
      }
      await nc.close();
      return letters;
    },
    [Symbol.asyncDispose]: async () => {
      await bus.close();
      await nats[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ['in process', openInProcessBus],
  ['on NATS', openNatsBus],
])('the event bus %s', (_name, open) => {
  it('delivers each event unchanged to every consumer of its type, and to no other', async () => {
    await using opened = await open();
    const { bus } = opened;
    const exact: CloudEvent[] = [];
    const wildcard: CloudEvent[] = [];
    await bus.consume({
      name: 'exact',
      types: ['management.dashboard.created.v1'],
      handle: async (event) => void exact.push(event),
    });
    await bus.consume({
      name: 'wildcard',
      types: ['management.*.deleted.v1', 'management.group.updated.v1'],
      handle: async (event) => void wildcard.push(event),
    });
    const created = {
      ...buildEvent('d1'),
      data: { title: 'Zażółć \u{1F600}', nested: [1, null, { a: true }] },
    };
    const deleted = buildEvent('d2', 'management.dashboard.deleted.v1');
    const updated = buildEvent('g1', 'management.group.updated.v1');
    await bus.publish([created, deleted, updated, buildEvent('g1', 'management.group.created.v1')]);
    await vi.waitFor(() => expect(wildcard).toHaveLength(2), WAIT);
    await vi.waitFor(() => expect(exact).toEqual([created]), WAIT);
    expect(new Set(wildcard)).toEqual(new Set([deleted, updated]));
  });

  it('handles the events of one subject in order, and those of other subjects meanwhile', async () => {
    await using opened = await open();
    const order = new Map<string, number[]>();
    let running = 0;
    let mostRunning = 0;
    await opened.bus.consume({
      name: 'order',
      types: ['management.*.*.v1'],
      handle: async (event) => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        running -= 1;
        order.set(event.subject, [...(order.get(event.subject) ?? []), Number(event.data['n'])]);
      },
    });
    const types = ['created', 'updated', 'deleted'].map((verb) => `management.dashboard.${verb}.v1`);
    const events = Array.from({ length: 200 }, (_, n) => ({
      ...buildEvent(`d${n % 5}`, types[n % 3]),
      data: { n },
    }));
    await opened.bus.publish(events);
    await vi.waitFor(() => expect([...order.values()].flat()).toHaveLength(200), WAIT);
    for (const seen of order.values()) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(mostRunning).toBeGreaterThan(1);
  });

  it('delivers an event once when its publish is repeated', async () => {
    await using opened = await open();
    const seen: string[] = [];
    await opened.bus.consume({
      name: 'repeats',
      types: ['management.*.*.v1'],
      handle: async (event) => void seen.push(event.id),
    });
    const [first, last] = [buildEvent('d1'), buildEvent('d1')];
    await opened.bus.publish([first, first]);
    await opened.bus.publish([first]);
    await opened.bus.publish([last]);
    await vi.waitFor(() => expect(seen).toContain(last.id), WAIT);
    expect(seen).toEqual([first.id, last.id]);
  });

  it('redelivers a failed event until it is handled', async () => {
    await using opened = await open();
    const handled: number[] = [];
    let deliveries = 0;
    await opened.bus.consume({
      name: 'recovers',
      types: ['management.*.*.v1'],
      handle: async () => {
        deliveries += 1;
        if (deliveries < 5) throw new Error('the database is away');
        handled.push(deliveries);
      },
    });
    await opened.bus.publish([buildEvent('d1')]);
    await vi.waitFor(() => expect(handled).toEqual([5]), WAIT);
    expect(await opened.readDeadLetters()).toEqual([]);
  });

  it('gave up an event whose consumer was without its database for five deliveries', async () => {
    await using opened = await open();
    const event = buildEvent('d1');
    const seen: string[] = [];
    let failures = 0;
    await opened.bus.consume({
      name: 'unavailable',
      types: ['management.*.*.v1'],
      handle: async ({ id }) => {
        failures += 1;
        if (failures < 4) throw new MongoNetworkError('connection 1 closed');
        if (failures < 8) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
        seen.push(id);
      },
    });
    await opened.bus.publish([event]);
    await vi.waitFor(() => expect(seen).toEqual([event.id]), WAIT);
    expect(await opened.readDeadLetters()).toEqual([]);
  });

  it('creates a dead letter after five failures, and delivers other events meanwhile', async () => {
    await using opened = await open();
    const poison = buildEvent('d1');
    const later = [buildEvent('d1'), buildEvent('d2')];
    let failures = 0;
    const seen: string[] = [];
    const seenByOther: string[] = [];
    await opened.bus.consume({
      name: 'poisoned',
      types: ['management.*.*.v1'],
      handle: async (event) => {
        if (event.id !== poison.id) return void seen.push(event.id);
        failures += 1;
        throw new Error('secret detail');
      },
    });
    await opened.bus.consume({
      name: 'healthy',
      types: ['management.*.*.v1'],
      handle: async (event) => void seenByOther.push(event.id),
    });
    await opened.bus.publish([poison, ...later]);
    await vi.waitFor(() => expect(new Set(seen)).toEqual(new Set(later.map(({ id }) => id))), WAIT);
    await vi.waitFor(async () => expect(await opened.readDeadLetters()).toHaveLength(1), WAIT);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const letters = await opened.readDeadLetters();
    expect(letters).toEqual([
      {
        event: poison,
        consumer: 'poisoned',
        reason: 'handler_failed',
        deliveries: 5,
        time: expect.any(String),
      },
    ]);
    expect(JSON.stringify(letters)).not.toContain('secret detail');
    expect(failures).toBe(5);
    expect(new Set(seenByOther)).toEqual(new Set([poison.id, ...later.map(({ id }) => id)]));
  });

  it('gives up a handler that never settles and continues with its subject', async () => {
    await using opened = await open({ handlerTimeoutMs: 30, redeliveryDelaysMs: [10] });
    const [hanging, later] = [buildEvent('d1'), buildEvent('d1')];
    const seen: string[] = [];
    await opened.bus.consume({
      name: 'hangs',
      types: ['management.*.*.v1'],
      handle: (event) =>
        event.id === hanging.id ? new Promise(() => undefined) : Promise.resolve(void seen.push(event.id)),
    });
    await opened.bus.publish([hanging, later]);
    await vi.waitFor(() => expect(seen).toEqual([later.id]), WAIT);
    await vi.waitFor(async () => {
      const [letter] = await opened.readDeadLetters();
      expect(letter).toMatchObject({ event: hanging, reason: 'handler_timed_out', deliveries: 2 });
    }, WAIT);
  });

  it('delivers nothing to a stopped consumer and waits for its running handler', async () => {
    await using opened = await open();
    const seen: string[] = [];
    let isRunning = false;
    const subscription = await opened.bus.consume({
      name: 'stops',
      types: ['management.*.*.v1'],
      handle: async (event) => {
        isRunning = true;
        await new Promise((resolve) => setTimeout(resolve, 200));
        seen.push(event.id);
      },
    });
    const first = buildEvent('d1');
    const published = opened.bus.publish([first]);
    await vi.waitFor(() => expect(isRunning).toBe(true), WAIT);
    await subscription.stop();
    expect(seen).toEqual([first.id]);
    await published;
    await opened.bus.publish([buildEvent('d1')]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen).toEqual([first.id]);
  });

  it('delivers every event of its types to each watcher, also when another watcher fails', async () => {
    await using opened = await open();
    const seen: string[] = [];
    await opened.bus.watch(['management.*.*.v1'], () => {
      throw new Error('a careless watcher');
    });
    const watching = await opened.bus.watch(
      ['management.tenant_user.*.v1', 'management.*.deleted.v1'],
      (event) => void seen.push(event.id),
    );
    const events = ['tenant_user.updated', 'tenant_user.deleted', 'group.updated', 'group.deleted'].map(
      (name) => buildEvent('x', `management.${name}.v1`),
    );
    await opened.bus.publish(events);
    const expected = [events[0]?.id, events[1]?.id, events[3]?.id];
    await vi.waitFor(() => expect(seen).toEqual(expected), WAIT);
    await watching.stop();
    await opened.bus.publish([buildEvent('y', 'management.group.deleted.v1')]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toEqual(expected);
  });

  it('rejects malformed types and names, and a name in use', async () => {
    await using opened = await open();
    const { bus } = opened;
    const handle = async (): Promise<void> => undefined;
    for (const type of [
      '',
      'management',
      'other.x.v1',
      'management.>',
      'management.a b.v1',
      'management..v1',
    ]) {
      await expect(bus.publish([buildEvent('d1', type)])).rejects.toThrow(TypeError);
      await expect(bus.consume({ name: 'n', types: [type], handle })).rejects.toThrow(TypeError);
      await expect(bus.watch([type], () => undefined)).rejects.toThrow(TypeError);
    }
    await expect(bus.publish([buildEvent('d1', 'management.*.created.v1')])).rejects.toThrow(TypeError);
    const large = { ...buildEvent('d1'), data: { text: 'ü'.repeat(500_000) } };
    await expect(bus.publish([buildEvent('d1'), large])).rejects.toThrow(TypeError);
    await expect(bus.consume({ name: 'n', types: [], handle })).rejects.toThrow(TypeError);
    for (const name of ['', 'a.b', 'a b', '*', '>', 'n'.repeat(65)]) {
      await expect(bus.consume({ name, types: ['management.a.b.v1'], handle })).rejects.toThrow(TypeError);
    }
    const subscription = await bus.consume({ name: 'n', types: ['management.a.b.v1'], handle });
    await expect(bus.consume({ name: 'n', types: ['management.a.b.v1'], handle })).rejects.toThrow(
      'Already consuming',
    );
    await subscription.stop();
    await bus.consume({ name: 'n', types: ['management.a.b.v1'], handle });
  });

  it('is down and rejects events once it is closed', async () => {
    await using opened = await open();
    expect(opened.bus.isUp()).toBe(true);
    await opened.bus.close();
    expect(opened.bus.isUp()).toBe(false);
    await expect(opened.bus.publish([buildEvent('d1')])).rejects.toThrow('event bus is closed');
  });
});

describe('the in-process event bus', () => {
  it('resolves a publish only when each consumer has handled the event', async () => {
    await using opened = await openInProcessBus();
    const handled: string[] = [];
    for (const name of ['one', 'two']) {
      await opened.bus.consume({
        name,
        types: ['management.*.*.v1'],
        handle: async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          handled.push(name);
        },
      });
    }
    await opened.bus.publish([buildEvent('d1')]);
    expect(handled).toEqual(['one', 'two']);
  });

  it('rejects the publish when the dead letter cannot be stored, and delivers the repetition', async () => {
    let isKept = false;
    let deliveries = 0;
    const bus = createInProcessBus({
      ...QUICK,
      onDeadLetter: async () => {
        if (!isKept) throw new Error('the database is away');
      },
    });
    await bus.consume({
      name: 'fails',
      types: ['management.*.*.v1'],
      handle: async () => {
        deliveries += 1;
        throw new Error('always');
      },
    });
    const event = buildEvent('d1');
    await expect(bus.publish([event])).rejects.toThrow('the database is away');
    isKept = true;
    await bus.publish([event]);
    expect(deliveries).toBe(10);
    await bus.close();
  });

  it('rejects a publish that waits for a redelivery when it closes; the event stays unsent', async () => {
    const opened = await openInProcessBus({ redeliveryDelaysMs: [60_000] });
    let deliveries = 0;
    await opened.bus.consume({
      name: 'fails',
      types: ['management.*.*.v1'],
      handle: async () => {
        deliveries += 1;
        throw new Error('always');
      },
    });
    const outcome = opened.bus.publish([buildEvent('d1')]).catch((error: unknown) => error);
    await vi.waitFor(() => expect(deliveries).toBe(1), WAIT);
    await opened.bus.close();
    expect(await outcome).toMatchObject({ name: 'BusUnavailableError' });
    expect(await opened.readDeadLetters()).toEqual([]);
  });

  it('prevents a receiver from changing the event of another', async () => {
    await using opened = await openInProcessBus();
    const seen: unknown[] = [];
    for (const name of ['one', 'two']) {
      await opened.bus.consume({
        name,
        types: ['management.*.*.v1'],
        handle: async (event) => {
          seen.push({ ...event.data });
          event.data['changedBy'] = name;
        },
      });
    }
    await opened.bus.publish([buildEvent('d1')]);
    expect(seen).toEqual([{ id: 'd1' }, { id: 'd1' }]);
  });
});

describe('event types', () => {
  it('match exactly, or with * for one token', () => {
    expect(matchesTypes(['management.group.deleted.v1'], 'management.group.deleted.v1')).toBe(true);
    expect(matchesTypes(['management.*.deleted.v1'], 'management.group.deleted.v1')).toBe(true);
    expect(matchesTypes(['management.*.deleted.v1'], 'management.group.updated.v1')).toBe(false);
    expect(matchesTypes(['management.*.v1'], 'management.group.updated.v1')).toBe(false);
    expect(matchesTypes(['management.group.deleted.v1'], 'management.group.deleted.v10')).toBe(false);
  });

  it('are covered by the narrowest single filter', () => {
    expect(coverTypes(['management.a.b.v1'])).toBe('management.a.b.v1');
    expect(coverTypes(['management.a.b.v1', 'management.c.b.v1'])).toBe('management.*.b.v1');
    expect(coverTypes(['management.*.b.v1', 'management.c.b.v1'])).toBe('management.*.b.v1');
    expect(coverTypes(['management.a.b.v1', 'management.c.d.v2'])).toBe('management.*.*.*');
  });
});
