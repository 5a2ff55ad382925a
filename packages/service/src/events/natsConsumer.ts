import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { Msg, NatsConnection, Subscription as NatsSubscription } from '@nats-io/transport-node';
import { CloudEvent } from '@gatehouse/contract';
import { matchesTypes, type DeadLetterReason, type DurableConsumer } from './bus.js';
import { count } from '../observability/metrics.js';
import {
  attemptDelivery,
  deliver,
  DRAIN_TIMEOUT_MS,
  expectDeliveries,
  settleWithin,
  SubjectLanes,
  type DeliveryOptions,
} from './delivery.js';
import {
  DEAD_LETTER_STREAM,
  deadLetterId,
  deadLetterSubject,
  ensureConsumer,
  replayedPrefix,
  replaySubject,
} from './natsStreams.js';

const REDELIVERY_DELAYS_MS = [1_000, 5_000, 30_000, 120_000];
const ACK_WAIT_MS = 10_000;
// Limits what is delivered twice after a crash. Events that wait for a redelivery count too, so it needs
// room.
const MAX_UNACKNOWLEDGED = 512;
const RESTART_DELAY_MS = 500;

/** How a durable consumer on NATS is run. */
export interface NatsConsumerOptions extends DeliveryOptions {
  /** How long after the crash of a process its unacknowledged events are redelivered. Default 10,000. */
  ackWaitMs?: number;
}

/** One connection to NATS and its managers. */
export interface NatsSession {
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
}

/**
 * A durable pull consumer that outlives sessions. The owner of the connection calls `serve` for each new one.
 */
export class NatsConsumer {
  readonly #consumer: DurableConsumer;
  readonly #options: NatsConsumerOptions;
  // The lanes outlive sessions too, so that a subject stays in order when its events are redelivered.
  readonly #lanes = new SubjectLanes();
  readonly #unacknowledged = new Map<JsMsg, NatsConnection>();
  readonly #extending: NodeJS.Timeout;
  readonly #ackWaitMs: number;
  readonly #stopping = new AbortController();
  #messages: ConsumerMessages | undefined;
  #serving: Promise<void> = Promise.resolve();

  constructor(consumer: DurableConsumer, options: NatsConsumerOptions) {
    this.#consumer = consumer;
    this.#options = options;
    this.#ackWaitMs = options.ackWaitMs ?? ACK_WAIT_MS;
    expectDeliveries(consumer.name);
    this.#extending = setInterval(() => this.#extendAckWait(), this.#ackWaitMs / 3);
  }

  /** Consumes over this session until it ends or the consumer is stopped. Never rejects. */
  serve(session: NatsSession): Promise<void> {
    this.#serving = this.#serving.then(() => this.#serveSession(session));
    return this.#serving;
  }

  /** Accepts no more events, and waits for running deliveries for a bounded time. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const taken = Promise.all([this.#messages?.close(), this.#serving]);
    await settleWithin(
      taken.then(() => this.#lanes.drain(DRAIN_TIMEOUT_MS)),
      DRAIN_TIMEOUT_MS,
    );
    clearInterval(this.#extending);
  }

  async #serveSession(session: NatsSession): Promise<void> {
    const replays = this.#subscribeToReplays(session);
    try {
      await this.#takeUntilClosed(session);
    } finally {
      replays.unsubscribe();
    }
  }

  async #takeUntilClosed(session: NatsSession): Promise<void> {
    while (!session.nc.isClosed() && !this.#stopping.signal.aborted) {
      try {
        await this.#takeMessages(session);
      } catch (err) {
        if (!session.nc.isClosed())
          this.#options.log.warn({ err, consumer: this.#consumer.name }, 'consumer interrupted; restarting');
      }
      if (session.nc.isClosed()) return;
      await sleep(RESTART_DELAY_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /**
   * Subscribes to the replays of an operator. One of the processes of the consumer gets each, and returns its
   * outcome. Only an operator may publish here, but each process can have the server deliver a message of its
   * own to any subject. Such a message has another subject for its response, which only the server chooses.
   */
  #subscribeToReplays({ nc }: NatsSession): NatsSubscription {
    const { name } = this.#consumer;
    const handle = async (message: Msg) => {
      if (!message.reply?.startsWith(replayedPrefix(name))) throw new Error('not a replay of an operator');
      const event = message.json<CloudEvent>();
      await this.#lanes.run(event.subject, async () => {
        const delivery = { consumer: this.#consumer, event, number: 1 };
        message.respond((await attemptDelivery(delivery, this.#options)) ?? 'handled');
      });
    };
    return nc.subscribe(replaySubject(name), {
      queue: name,
      callback: (refused, message) => {
        const taken = refused === null ? handle(message) : Promise.reject(refused);
        void taken.catch((err: unknown) => this.#options.log.error({ err, consumer: name }, 'replay failed'));
      },
    });
  }

  async #takeMessages({ nc, js, jsm }: NatsSession): Promise<void> {
    const info = await ensureConsumer(jsm, {
      name: this.#consumer.name,
      types: this.#consumer.types,
      ackWaitMs: this.#ackWaitMs,
      maxUnacknowledged: MAX_UNACKNOWLEDGED,
    });
    this.#messages = await js.consumers.getConsumerFromInfo(info).consume({
      max_messages: 64,
      expires: 10_000,
      // After two missed heartbeats it checks that the consumer still exists.
      idle_heartbeat: 2_000,
      abort_on_missing_resource: true,
    });
    if (this.#stopping.signal.aborted) void this.#messages.close();
    for await (const message of this.#messages) this.#take(nc, js, message);
  }

  #take(nc: NatsConnection, js: JetStreamClient, message: JsMsg): void {
    if (!matchesTypes(this.#consumer.types, message.subject)) return message.ack();
    const event = readEvent(message);
    if (event === undefined) {
      this.#options.log.error(
        { consumer: this.#consumer.name, sequence: message.seq },
        'ignored an event that cannot be parsed',
      );
      return message.term();
    }
    this.#unacknowledged.set(message, nc);
    const answer = this.#lanes.run(event.subject, async () => {
      // Events of a lost connection are redelivered on the next one. An acknowledgement here would be lost.
      if (!nc.isClosed()) await this.#handle(js, message, event);
    });
    void answer
      .catch((err: unknown) => {
        // The next process gets what a shutdown leaves.
        if (!nc.isClosed() && !this.#stopping.signal.aborted)
          this.#options.log.error({ err, consumer: this.#consumer.name }, 'event not acknowledged');
      })
      .finally(() => this.#unacknowledged.delete(message));
  }

  async #handle(js: JetStreamClient, message: JsMsg, event: CloudEvent): Promise<void> {
    const delaysMs = this.#options.redeliveryDelaysMs ?? REDELIVERY_DELAYS_MS;
    const number = message.info.deliveryCount;
    // More deliveries than the limit without a failure mean that the handler ends the process: do not run it
    // again.
    const reason =
      number > delaysMs.length + 1
        ? 'not_acknowledged'
        : await deliver({ consumer: this.#consumer, event, number }, this.#options, this.#stopping.signal);
    if (reason === undefined) return message.ack();
    const delayMs = delaysMs[number - 1];
    if (delayMs !== undefined) return message.nak(delayMs);
    await this.#giveUp({ js, message, event }, reason);
  }

  async #giveUp(
    { js, message, event }: { js: JetStreamClient; message: JsMsg; event: CloudEvent },
    reason: DeadLetterReason,
  ): Promise<void> {
    const consumer = this.#consumer.name;
    const deliveries = message.info.deliveryCount;
    const letter = { event, consumer, reason, deliveries, time: new Date().toISOString() };
    // If this rejects, the event stays unacknowledged and is redelivered until its dead letter is stored.
    await js.publish(deadLetterSubject(consumer), JSON.stringify(letter), {
      msgID: deadLetterId(letter),
      expect: { streamName: DEAD_LETTER_STREAM },
    });
    message.term();
    count('deadLetters', { consumer, reason });
    this.#options.log.error(
      { consumer, reason, eventId: event.id, eventType: event.type },
      'event moved to the dead letters',
    );
  }

  #extendAckWait(): void {
    for (const [message, nc] of this.#unacknowledged) if (!nc.isClosed()) message.working();
  }
}

/**
 * What consumers rely on in every event. They write several events at once, so that a malformed one would
 * fail the others. A later release may have other kinds of actors, so those are not among it.
 */
const ReliedOn = CloudEvent.pick({
  id: true,
  source: true,
  type: true,
  subject: true,
  time: true,
  sequence: true,
  organizationid: true,
  data: true,
});

function readEvent(message: JsMsg): CloudEvent | undefined {
  try {
    const event = message.json();
    const { data: known } = ReliedOn.safeParse(event);
    return known?.type === message.subject ? (event as CloudEvent) : undefined;
  } catch {
    return undefined;
  }
}
