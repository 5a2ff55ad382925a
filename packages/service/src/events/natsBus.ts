import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, RequestError } from '@nats-io/transport-node';
import type {
  ConnectionOptions,
  NatsConnection,
  Subscription as NatsSubscription,
} from '@nats-io/transport-node';
import type { CloudEvent } from '@gatehouse/contract';
import pLimit from 'p-limit';
import {
  assertConsumer,
  assertTypes,
  BusUnavailableError,
  coverTypes,
  encodeEvents,
  type EncodedEvent,
  matchesTypes,
  type DurableConsumer,
  type EventBus,
  type Subscription,
} from './bus.js';
import { inSpan } from '../observability/tracing.js';
import { settleWithin } from './delivery.js';
import { NatsConsumer, type NatsConsumerOptions, type NatsSession } from './natsConsumer.js';
import { offerNatsGauges } from './natsGauges.js';
import { readServer } from './natsServer.js';
import { ensureStreams, EVENT_STREAM } from './natsStreams.js';

const REDIAL_DELAY_MS = 250;
// Their sum is below the two seconds that a publish may take while NATS is down or hangs.
const SESSION_WAIT_MS = 500;
const ACK_TIMEOUT_MS = 1_400;
const FLUSH_TIMEOUT_MS = 1_000;
const MAX_PUBLISHES_IN_FLIGHT = 256;

/** Options of {@link NatsBus}. */
export interface NatsBusOptions extends NatsConsumerOptions {
  /** `nats://[user:password@]host:port`, or `tls://` for an encrypted connection. */
  url: string;
  /** The name of the connection on the server. */
  name: string;
}

interface Watch {
  types: string[];
  handle: (event: CloudEvent) => void;
  onGap: () => void;
  subscription?: NatsSubscription;
}

/** An event bus on NATS JetStream. */
export class NatsBus implements EventBus {
  readonly #options: NatsBusOptions;
  readonly #consumers = new Map<string, NatsConsumer>();
  readonly #watches = new Set<Watch>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  /** The connection, once subscriptions can be made on it. */
  #session: NatsSession | undefined;
  /** True once the streams exist too, so that events can be published. */
  #isReady = false;
  readonly #waiting = new Set<() => void>();
  readonly #withdrawGauges: () => void;

  constructor(options: NatsBusOptions) {
    this.#options = options;
    this.#withdrawGauges = offerNatsGauges({
      isUp: () => this.isUp(),
      session: () => this.#session,
      consumers: () => [...this.#consumers.keys()],
    });
    this.#running = this.#keepConnected(readServer(options.url));
  }

  async publish(events: CloudEvent[]): Promise<void> {
    const encodedEvents = encodeEvents(events);
    const session = await this.#waitForSession();
    const publishOne = ({ event, encoded }: EncodedEvent) =>
      sendTraced(event, () =>
        session.js.publish(event.type, encoded, {
          msgID: event.id,
          timeout: ACK_TIMEOUT_MS,
          expect: { streamName: EVENT_STREAM },
        }),
      );
    const limit = pLimit(MAX_PUBLISHES_IN_FLIGHT);
    try {
      // An event is sent once the former event of its subject is stored, so that a failure leaves no gap.
      for (const wave of wavesOf(encodedEvents)) await limit.map(wave, publishOne);
    } catch (cause) {
      limit.clearQueue();
      // No stream listens on the subject, so it was deleted. A new connection creates it again.
      if (hadNoListener(cause)) void session.nc.close();
      throw new BusUnavailableError('NATS did not store every event', { cause });
    }
  }

  async consume(consumer: DurableConsumer): Promise<Subscription> {
    assertConsumer(consumer);
    if (this.#consumers.has(consumer.name)) throw new TypeError(`Already consuming: ${consumer.name}`);
    const running = new NatsConsumer(consumer, this.#options);
    this.#consumers.set(consumer.name, running);
    if (this.#isReady && this.#session) void running.serve(this.#session);
    return {
      stop: async () => {
        await running.stop();
        if (this.#consumers.get(consumer.name) === running) this.#consumers.delete(consumer.name);
      },
    };
  }

  async watch(
    types: string[],
    handle: (event: CloudEvent) => void,
    onGap?: () => void,
  ): Promise<Subscription> {
    assertTypes(types);
    const watch: Watch = { types, handle, onGap: onGap ?? (() => undefined) };
    this.#watches.add(watch);
    if (this.#session) {
      this.#subscribe(this.#session, watch);
      // If this fails, the connection is lost, and the next one calls onGap.
      await isFlushed(this.#session.nc);
    }
    return {
      stop: async () => {
        this.#watches.delete(watch);
        watch.subscription?.unsubscribe();
      },
    };
  }

  isUp(): boolean {
    return this.#isReady && !this.#closing.signal.aborted;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#withdrawGauges();
    await Promise.all([...this.#consumers.values()].map((consumer) => consumer.stop()));
    const nc = this.#session?.nc;
    // The last acknowledgements must be sent before the connection closes.
    if (nc) await isFlushed(nc);
    await nc?.close();
    await this.#running;
  }

  async #keepConnected(server: ConnectionOptions): Promise<void> {
    const { log, name } = this.#options;
    let isDownLogged = false;
    while (!this.#closing.signal.aborted) {
      try {
        // The reconnect of the client would keep state about a server that lost its own, so each connection
        // is new.
        const nc = await connect({ ...server, name, reconnect: false, noAsyncTraces: true });
        await this.#serve(nc);
        isDownLogged = false;
      } catch (err) {
        if (!isDownLogged) log.warn({ err }, 'cannot connect to NATS; retrying');
        isDownLogged = true;
      }
      await sleep(REDIAL_DELAY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  /** Sets up a new connection and resolves when the connection ends. */
  async #serve(nc: NatsConnection): Promise<void> {
    try {
      const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: ACK_TIMEOUT_MS });
      const session = { nc, jsm, js: jetstream(nc, { timeout: ACK_TIMEOUT_MS }) };
      if (this.#closing.signal.aborted) return;
      this.#session = session;
      for (const watch of this.#watches) this.#subscribe(session, watch);
      await ensureStreams(jsm);
      // A watch is complete only once the server knows its subscriptions.
      if (!(await isFlushed(nc))) throw new BusUnavailableError('NATS does not respond');
      this.#isReady = true;
      this.#options.log.info('connected to NATS');
      for (const { onGap } of this.#watches) this.#notify(onGap);
      for (const consumer of this.#consumers.values()) void consumer.serve(session);
      for (const proceed of this.#waiting) proceed();
      await nc.closed();
      if (!this.#closing.signal.aborted) this.#options.log.warn('lost the connection to NATS');
    } finally {
      this.#isReady = false;
      this.#session = undefined;
      await nc.close();
    }
  }

  async #waitForSession(): Promise<NatsSession> {
    if (this.#closing.signal.aborted) throw new BusUnavailableError('The event bus is closed');
    if (!this.#isReady) {
      let proceed = (): void => undefined;
      const ready = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      this.#waiting.add(proceed);
      await settleWithin(ready, SESSION_WAIT_MS).finally(() => this.#waiting.delete(proceed));
    }
    if (!this.isUp() || !this.#session) throw new BusUnavailableError('NATS is not available');
    return this.#session;
  }

  #subscribe({ nc }: NatsSession, watch: Watch): void {
    watch.subscription = nc.subscribe(coverTypes(watch.types), {
      callback: (err, message) => {
        if (err) return this.#options.log.error({ err }, 'subscription rejected by NATS');
        if (matchesTypes(watch.types, message.subject))
          this.#notify(() => watch.handle(message.json<CloudEvent>()));
      },
    });
  }

  #notify(call: () => void): void {
    try {
      call();
    } catch (err) {
      this.#options.log.warn({ err }, 'event watcher failed');
    }
  }
}

/** Sends an event in the trace of its origin. Without a trace, none begins. */
function sendTraced<T>({ type, traceparent: parent }: CloudEvent, send: () => Promise<T>): Promise<T> {
  if (parent === undefined) return send();
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.destination.name': type,
  } as const;
  return inSpan(`send ${type}`, { kind: 'producer', parent, attributes }, send);
}

/** Resolves to true once the server has received everything that was sent, and to false after the timeout. */
function isFlushed(nc: NatsConnection): Promise<boolean> {
  return settleWithin(nc.flush(), FLUSH_TIMEOUT_MS).catch(() => false);
}

/** The first event of each subject, then the second of each, and so on. */
function wavesOf(events: readonly EncodedEvent[]): EncodedEvent[][] {
  const waves: EncodedEvent[][] = [];
  const counts = new Map<string, number>();
  for (const encoded of events) {
    const { subject } = encoded.event;
    const place = counts.get(subject) ?? 0;
    counts.set(subject, place + 1);
    (waves[place] ??= []).push(encoded);
  }
  return waves;
}

function hadNoListener(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof RequestError && error.cause.isNoResponders();
}
