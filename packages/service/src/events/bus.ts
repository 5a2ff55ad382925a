import type { CloudEvent } from '@gatehouse/contract';

/** A consumer whose progress survives restarts. Processes that use the same name share its events. */
export interface DurableConsumer {
  /** Letters, digits, `-` and `_`; unique for what the consumer does, e.g. `access-tidy`. */
  name: string;
  /**
   * Event types, exact or with `*` standing for exactly one token: `management.*.deleted.v1`. A consumer that is to get
   * further types while processes with the former types still run needs a new name: they would pass over the new ones.
   */
  types: string[];
  /**
   * Handles one event; a rejection means "deliver again later", and one that says UNAVAILABLE "as often as it takes".
   *
   * Must be idempotent: delivery is at least once, so the same event may arrive again after a crash, a timeout, a
   * lost acknowledgement or a publish that was repeated, and possibly after later events of its subject. Must not wait
   * for a publish: in process that would wait for this very handler.
   */
  handle(event: CloudEvent): Promise<void>;
}

/** Something that receives events until it is stopped. */
export interface Subscription {
  /** Takes no more events and waits, for a bounded time, for the handlers that are running. */
  stop(): Promise<void>;
}

/** Why an event was given up: its handler rejected, took too long, or never lived to answer. */
export const DEAD_LETTER_REASONS = ['handler_failed', 'handler_timed_out', 'not_acknowledged'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** An event that a consumer could not handle, kept so that an operator can look at it and replay it. */
export interface DeadLetter {
  event: CloudEvent;
  /** Name of the consumer that gave up. */
  consumer: string;
  reason: DeadLetterReason;
  /** How many times the event was delivered to the consumer. */
  deliveries: number;
  /** RFC 3339 timestamp of giving up. */
  time: string;
}

/** Carries events between services. Events inform and clean up; nothing may rely on one arriving to refuse access. */
export interface EventBus {
  /**
   * Publishes events; resolves only when every one of them is durable, or, in process, handled or dead-lettered by
   * each durable consumer. An event id that was published within the last two minutes is accepted and not delivered
   * again.
   *
   * @throws BusUnavailableError when an event is not known to be safe. Publish all of them again: repeats are recognised.
   * @throws TypeError when an event is malformed or larger than a megabyte; then none was published.
   */
  publish(events: CloudEvent[]): Promise<void>;
  /**
   * Starts a durable consumer: at least once, in order for each subject unless an event has to be delivered again.
   * After five failed deliveries the event becomes a dead letter; those that failed because the database or another service was
   * away do not count. Resolves also while the bus is down; the
   * consumer then starts by itself once the bus is up.
   *
   * @throws when the name or a type is malformed or the name is already consuming on this bus.
   */
  consume(consumer: DurableConsumer): Promise<Subscription>;
  /**
   * Receives, from now on, every event of the types in every process that watches. Nothing is delivered again; `onGap`
   * is called once the watch is back after a time in which events may have been missed.
   *
   * @throws when a type is malformed.
   */
  watch(types: string[], handle: (event: CloudEvent) => void, onGap?: () => void): Promise<Subscription>;
  /** True while events can be published and watched. */
  isUp(): boolean;
  /** Stops every subscription as {@link Subscription.stop} does, then lets go of the bus. */
  close(): Promise<void>;
}

/** The bus cannot take events now; the same call may succeed later. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';
}

// A NATS server takes a megabyte unless configured; the rest is for headers and a dead letter's own fields.
const MAX_EVENT_BYTES = 1_000_000;
const EVENT_TYPE = /^management\.[a-z0-9_]+\.[a-z0-9_]+\.v[0-9]+$/;
const TYPE_PATTERN = /^management\.([a-z0-9_]+|\*)\.([a-z0-9_]+|\*)\.(v[0-9]+|\*)$/;
const CONSUMER_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** An event and its JSON. */
export interface EncodedEvent {
  event: CloudEvent;
  encoded: string;
}

/**
 * Encodes events, all of which can then travel on every bus.
 *
 * @throws TypeError when an event has a malformed type or is too large. It would be refused each time.
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
 * @throws TypeError naming the type that is malformed, or when there is none.
 */
export function assertTypes(types: readonly string[]): void {
  if (types.length === 0) throw new TypeError('A subscription needs at least one event type');
  const malformed = types.find((type) => !TYPE_PATTERN.test(type));
  if (malformed !== undefined) throw new TypeError(`Malformed event type: ${malformed}`);
}

/**
 * Checks a durable consumer's name and types.
 *
 * @throws TypeError naming what is malformed.
 */
export function assertConsumer(consumer: DurableConsumer): void {
  if (!CONSUMER_NAME.test(consumer.name)) throw new TypeError(`Malformed consumer name: ${consumer.name}`);
  assertTypes(consumer.types);
}

/** True when one of the types, exact or with `*` for one token, names the event type. */
export function matchesTypes(types: readonly string[], eventType: string): boolean {
  const tokens = eventType.split('.');
  return types.some((type) => {
    const wanted = type.split('.');
    return (
      wanted.length === tokens.length && wanted.every((token, i) => token === '*' || token === tokens[i])
    );
  });
}

/** The narrowest single type that covers all of them; it may name more than they do. */
export function coverTypes(types: readonly string[]): string {
  const [first = [], ...others] = types.map((type) => type.split('.'));
  return first.map((token, i) => (others.every((tokens) => tokens[i] === token) ? token : '*')).join('.');
}
