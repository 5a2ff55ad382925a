import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent } from '@gatehouse/contract';
import {
  assertConsumer,
  assertTypes,
  BusUnavailableError,
  encodeEvents,
  matchesTypes,
  type DeadLetter,
  type DeadLetterReason,
  type DurableConsumer,
  type EventBus,
  type Subscription,
} from './bus.js';
import { count, offerGauge } from '../observability/metrics.js';
import {
  attemptDelivery,
  deliver,
  DRAIN_TIMEOUT_MS,
  DUPLICATE_WINDOW_MS,
  expectDeliveries,
  SubjectLanes,
  type DeliveryOptions,
} from './delivery.js';

// Shorter than on NATS, because the publisher waits. In one process a failure is either brief or permanent.
const REDELIVERY_DELAYS_MS = [100, 500, 2_000, 10_000];
// Repeats arrive within seconds. The bound keeps two minutes of heavy writing out of memory.
const MAX_REMEMBERED_IDS = 10_000;
// Handlers write to a database, and their timeout includes the wait for it.
const MAX_PUBLISHED_AT_ONCE = 256;

/** Options of {@link createInProcessBus}. */
export interface InProcessBusOptions extends DeliveryOptions {
  /** Stores a dead letter. If it rejects, so does the publish, and the event stays with its publisher. */
  onDeadLetter(letter: DeadLetter): Promise<void>;
}

interface RunningConsumer {
  consumer: DurableConsumer;
  lanes: SubjectLanes;
  stopping: AbortController;
}

interface Watch {
  types: string[];
  handle: (event: CloudEvent) => void;
}

/**
 * Creates an event bus for services that share a process. It stores nothing: the publisher keeps an event
 * until `publish` resolves. Consumers must be started before the events that they need are published.
 */
export function createInProcessBus(options: InProcessBusOptions): InProcessBus {
  return new SharedProcessBus(options);
}

type RedeliveryOutcome = 'handled' | 'not_consuming' | 'unavailable' | DeadLetterReason;

/** An event bus that can redeliver an event to a single consumer. */
export interface InProcessBus extends EventBus {
  /** Redelivers an event to one consumer, after the waiting events of its subject. Never rejects. */
  redeliver(consumer: string, event: CloudEvent): Promise<RedeliveryOutcome>;
}

class SharedProcessBus implements InProcessBus {
  readonly #options: InProcessBusOptions;
  readonly #consumers = new Map<string, RunningConsumer>();
  readonly #watches = new Set<Watch>();
  readonly #published = new Map<string, { atMs: number; settled: Promise<void> }>();
  readonly #withdrawals: (() => void)[];
  #isOpen = true;

  constructor(options: InProcessBusOptions) {
    this.#options = options;
    this.#withdrawals = [
      offerGauge('busUp', async () => [{ labels: {}, value: 1 }]),
      offerGauge('consumerPending', async () => this.#readPending()),
    ];
  }

  async publish(events: CloudEvent[]): Promise<void> {
    if (!this.#isOpen) throw new BusUnavailableError('The event bus is closed');
    const encodedEvents = encodeEvents(events);
    this.#forgetOldIds();
    for (let start = 0; start < encodedEvents.length; start += MAX_PUBLISHED_AT_ONCE) {
      const some = encodedEvents.slice(start, start + MAX_PUBLISHED_AT_ONCE);
      await Promise.all(some.map(({ event, encoded }) => this.#publishOnce(event, encoded)));
    }
  }

  async consume(consumer: DurableConsumer): Promise<Subscription> {
    assertConsumer(consumer);
    if (this.#consumers.has(consumer.name)) throw new TypeError(`Already consuming: ${consumer.name}`);
    const running = {
      consumer,
      lanes: new SubjectLanes(),
      stopping: new AbortController(),
    };
    this.#consumers.set(consumer.name, running);
    expectDeliveries(consumer.name);
    return {
      stop: async () => {
        if (this.#consumers.get(consumer.name) === running) this.#consumers.delete(consumer.name);
        running.stopping.abort();
        await running.lanes.drain(DRAIN_TIMEOUT_MS);
      },
    };
  }

  async watch(types: string[], handle: (event: CloudEvent) => void): Promise<Subscription> {
    assertTypes(types);
    const watch = { types, handle };
    this.#watches.add(watch);
    return { stop: async () => void this.#watches.delete(watch) };
  }

  async redeliver(name: string, event: CloudEvent): Promise<RedeliveryOutcome> {
    const running = this.#consumers.get(name);
    if (running === undefined) return 'not_consuming';
    let outcome: RedeliveryOutcome = 'handled';
    await running.lanes.run(event.subject, async () => {
      const delivery = { consumer: running.consumer, event, number: 1 };
      outcome = (await attemptDelivery(delivery, this.#options)) ?? 'handled';
    });
    return outcome;
  }

  isUp(): boolean {
    return this.#isOpen;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const withdraw of this.#withdrawals) withdraw();
    this.#watches.clear();
    const running = [...this.#consumers.values()];
    this.#consumers.clear();
    for (const { stopping } of running) stopping.abort();
    await Promise.all(running.map(({ lanes }) => lanes.drain(DRAIN_TIMEOUT_MS)));
  }

  #readPending() {
    const running = [...this.#consumers.values()];
    return running.map(({ consumer, lanes }) => ({
      labels: { consumer: consumer.name },
      value: lanes.unsettled,
    }));
  }

  #publishOnce(event: CloudEvent, encoded: string): Promise<void> {
    const earlier = this.#published.get(event.id);
    if (earlier) return earlier.settled;
    const settled = this.#deliverToAll(event, encoded);
    this.#published.set(event.id, { atMs: performance.now(), settled });
    settled.catch(() => this.#published.delete(event.id));
    return settled;
  }

  async #deliverToAll(event: CloudEvent, encoded: string): Promise<void> {
    // Receivers get a parsed copy, as over a network, so that code which works here also works across
    // processes, and no receiver can change the event of another.
    for (const watch of this.#watches) this.#show(watch, event.type, encoded);
    const wanting = [...this.#consumers.values()].filter(({ consumer }) =>
      matchesTypes(consumer.types, event.type),
    );
    await Promise.all(
      wanting.map((running) =>
        running.lanes.run(event.subject, () => this.#deliver(running, JSON.parse(encoded) as CloudEvent)),
      ),
    );
  }

  #show(watch: Watch, eventType: string, encoded: string): void {
    if (!matchesTypes(watch.types, eventType)) return;
    try {
      watch.handle(JSON.parse(encoded) as CloudEvent);
    } catch (err) {
      this.#options.log.warn({ err, eventType }, 'event watcher failed');
    }
  }

  async #deliver({ consumer, stopping }: RunningConsumer, event: CloudEvent): Promise<void> {
    const delaysMs = this.#options.redeliveryDelaysMs ?? REDELIVERY_DELAYS_MS;
    for (let number = 1; ; number += 1) {
      if (stopping.signal.aborted) throw new BusUnavailableError('The consumer was stopped');
      const reason = await deliver({ consumer, event, number }, this.#options, stopping.signal);
      if (reason === undefined) return;
      const delayMs = delaysMs[number - 1];
      if (delayMs === undefined) {
        const time = new Date().toISOString();
        await this.#options.onDeadLetter({
          event,
          consumer: consumer.name,
          reason,
          deliveries: number,
          time,
        });
        count('deadLetters', { consumer: consumer.name, reason });
        return;
      }
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  #forgetOldIds(): void {
    const oldestMs = performance.now() - DUPLICATE_WINDOW_MS;
    for (const [id, { atMs }] of this.#published) {
      if (atMs > oldestMs && this.#published.size <= MAX_REMEMBERED_IDS) return;
      this.#published.delete(id);
    }
  }
}
