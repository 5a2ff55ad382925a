import type { CloudEvent } from '@gatehouse/contract';

/**
 * A consumer whose progress survives restarts. Processes with a consumer of the same name share its events.
 */
export interface DurableConsumer {
  /** Letters, digits, `-` and `_`. Unique for each purpose, e.g. `access-tidy`. */
  name: string;
  /**
   * Event types, exact or with `*` for exactly one token: `management.*.deleted.v1`. A consumer that needs
   * further types while processes with the former types still run needs a new name, because they would skip
   * the new types.
   */
  types: string[];
  /**
   * Handles one event. If it rejects, the event is delivered again later: up to five times, or without limit
   * if the error is UNAVAILABLE.
   *
   * Must be idempotent, because delivery is at least once: an event may arrive again after a crash, a
   * timeout, a lost acknowledgement or a repeated publish, possibly after later events of its subject. Must
   * not await a publish: in process it would wait for this handler.
   */
  handle(event: CloudEvent): Promise<void>;
}

/** A running subscription. */
export interface Subscription {
  /** Accepts no more events, and waits for running handlers for a bounded time. */
  stop(): Promise<void>;
}

/** Why a consumer gave up an event: its handler rejected, timed out, or ended the process. */
export const DEAD_LETTER_REASONS = ['handler_failed', 'handler_timed_out', 'not_acknowledged'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** An event that a consumer could not handle, stored so that an operator can inspect and replay it. */
export interface DeadLetter {
  event: CloudEvent;
  /** The name of the consumer that gave up the event. */
  consumer: string;
  reason: DeadLetterReason;
  /** The number of deliveries to the consumer. */
  deliveries: number;
  /** The time at which the consumer gave up, as an RFC 3339 timestamp. */
  time: string;
}

/**
 * Carries events between services. Events inform and clean up. No access decision may depend on their
 * arrival.
 */
export interface EventBus {
  /**
   * Publishes events. Resolves when every event is durable or, in process, handled or dead-lettered by each
   * durable consumer. An event whose id was published within the last two minutes is accepted and not
   * delivered again.
   *
   * @throws BusUnavailableError if an event may not be stored. Publish all events again: repeats are
   * deduplicated.
   * @throws TypeError if an event is malformed or larger than a megabyte. Then none was published.
   */
  publish(events: CloudEvent[]): Promise<void>;
  /**
   * Starts a durable consumer. Delivery is at least once, and in order for each subject unless an event is
   * redelivered. After five failed deliveries the event becomes a dead letter. Failures because the database
   * or another service is unavailable do not count. Resolves also while the bus is down: the consumer then
   * starts once the bus is up.
   *
   * @throws if the name or a type is malformed, or the name is already in use on this bus
   */
  consume(consumer: DurableConsumer): Promise<Subscription>;
  /**
   * Receives every later event of these types, in every process that watches. Nothing is redelivered. `onGap`
   * is called when the watch resumes after a time in which events may have been missed.
   *
   * @throws if a type is malformed
   */
  watch(types: string[], handle: (event: CloudEvent) => void, onGap?: () => void): Promise<Subscription>;
  /** True while events can be published and watched. */
  isUp(): boolean;
  /** Stops every subscription as {@link Subscription.stop} does, then closes the bus. */
  close(): Promise<void>;
}

/** The bus cannot accept events now. The same call may succeed later. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';
}

// A NATS server accepts a megabyte by default. The rest is for headers and the fields of a dead letter.
const MAX_EVENT_BYTES = 1_000_000;
const EVENT_TYPE = /^management\.[a-z0-9_]+\.[a-z0-9_]+\.v[0-9]+$/;
const TYPE_PATTERN = /^management\.([a-z0-9_]+|\*)\.([a-z0-9_]+|\*)\.(v[0-9]+|\*)$/;
const CONSUMER_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** An event and its JSON text. */
export interface EncodedEvent {
  event: CloudEvent;
  encoded: string;
}

/**
 * Encodes events for every bus.
 *
 * @throws TypeError if an event has a malformed type or is too large. A repetition would fail too.
 */
export function encodeEvents(events: readonly CloudEvent[]): EncodedEvent[] {
  return events.map((event) => {
    if (!EVENT_TYPE.test(event.type)) throw new TypeError(`Malformed event type: ${event.type}`);
    const encoded = JSON.stringify(event);
    if (Buffer.byteLength(encoded) > MAX_EVENT_BYTES) throw new TypeError(`Event too large: ${event.type}`);
    return { event, encoded };
  });
}

/**
 * Checks the types of a subscription.
 *
 * @throws TypeError naming the malformed type, or if there is no type
 */
export function assertTypes(types: readonly string[]): void {
  if (types.length === 0) throw new TypeError('A subscription needs at least one event type');
  const malformed = types.find((type) => !TYPE_PATTERN.test(type));
  if (malformed !== undefined) throw new TypeError(`Malformed event type: ${malformed}`);
}

/**
 * Checks the name and types of a durable consumer.
 *
 * @throws TypeError naming the malformed part
 */
export function assertConsumer(consumer: DurableConsumer): void {
  if (!CONSUMER_NAME.test(consumer.name)) throw new TypeError(`Malformed consumer name: ${consumer.name}`);
  assertTypes(consumer.types);
}

/** Returns true if one of the types, exact or with `*` for one token, matches the event type. */
export function matchesTypes(types: readonly string[], eventType: string): boolean {
  const tokens = eventType.split('.');
  return types.some((type) => {
    const wanted = type.split('.');
    return (
      wanted.length === tokens.length && wanted.every((token, i) => token === '*' || token === tokens[i])
    );
  });
}

/** Returns the narrowest single type that covers all of them. It may match further types. */
export function coverTypes(types: readonly string[]): string {
  const [first = [], ...others] = types.map((type) => type.split('.'));
  return first.map((token, i) => (others.every((tokens) => tokens[i] === token) ? token : '*')).join('.');
}
