import {
  AckPolicy,
  DeliverPolicy,
  ReplayPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { ConsumerInfo, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { coverTypes, type DeadLetter } from './bus.js';
import { DUPLICATE_WINDOW_MS } from './delivery.js';

/** Stream of all events. */
export const EVENT_STREAM = 'MANAGEMENT';
/** Stream of the events that consumers gave up. */
export const DEAD_LETTER_STREAM = 'DEADLETTERS';

/** Subjects of all events: a noun, a verb and a version. */
const EVENT_SUBJECTS = 'management.*.*.*';
const DAY_MS = 24 * 60 * 60 * 1_000;
const MIB = 1_024 * 1_024;

type WantedStream = Pick<StreamConfig, 'name' | 'subjects' | 'max_age' | 'max_bytes'>;

const STREAMS: readonly WantedStream[] = [
  { name: EVENT_STREAM, subjects: ['management.>'], max_age: nanos(7 * DAY_MS), max_bytes: 1_024 * MIB },
  { name: DEAD_LETTER_STREAM, subjects: ['deadletter.>'], max_age: nanos(30 * DAY_MS), max_bytes: 256 * MIB },
];

/** The subject of a consumer's dead letters. */
export function deadLetterSubject(consumer: string): string {
  return `deadletter.${consumer}`;
}

/** The subject on which a consumer takes replays of events that it gave up. */
export function replaySubject(consumer: string): string {
  return `replay.${consumer}`;
}

/** A dead letter's message id: a consumer gives an event up once. */
export function deadLetterId(letter: DeadLetter): string {
  return `${letter.consumer}:${letter.event.id}`;
}

/**
 * Creates the streams that are missing. A stream that is there keeps its settings, so that an operator may give it other
 * limits or more replicas.
 *
 * @throws when JetStream does not answer or refuses.
 */
export async function ensureStreams(jsm: JetStreamManager): Promise<void> {
  await Promise.all(STREAMS.map((wanted) => ensureStream(jsm, wanted)));
}

async function ensureStream(jsm: JetStreamManager, wanted: WantedStream): Promise<void> {
  const found = await unlessMissing(jsm.streams.info(wanted.name), JetStreamApiCodes.StreamNotFound);
  if (found) return;
  // Two processes may both come here: creating a stream twice with the same settings is no error.
  await jsm.streams.add({
    ...wanted,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  });
}

/** What a durable consumer of the event stream needs. */
interface WantedConsumer {
  name: string;
  types: readonly string[];
  ackWaitMs: number;
  maxUnacknowledged: number;
}

/**
 * Creates a durable consumer, which then starts with the oldest event kept, or fits an existing one to what is wanted.
 *
 * @throws when JetStream does not answer or refuses.
 */
export async function ensureConsumer(jsm: JetStreamManager, wanted: WantedConsumer): Promise<ConsumerInfo> {
  const { name } = wanted;
  const limits = { ack_wait: nanos(wanted.ackWaitMs), max_ack_pending: wanted.maxUnacknowledged };
  const settings = {
    ...limits,
    durable_name: name,
    replay_policy: ReplayPolicy.Instant,
    ack_policy: AckPolicy.Explicit,
  };
  const found = await unlessMissing(
    jsm.consumers.info(EVENT_STREAM, name),
    JetStreamApiCodes.ConsumerNotFound,
  );
  if (!found) {
    const filter_subject = coverTypes(wanted.types);
    return jsm.consumers.add(EVENT_STREAM, {
      ...settings,
      filter_subject,
      deliver_policy: DeliverPolicy.All,
    });
  }
  // The filter only ever widens, so that two versions of a service that run side by side agree on it.
  const filter_subject = coverTypes([found.config.filter_subject ?? EVENT_SUBJECTS, ...wanted.types]);
  if (filter_subject === found.config.filter_subject) return jsm.consumers.update(EVENT_STREAM, name, limits);
  // NATS 2.9 takes a new filter but goes on delivering by the old one: start anew where the old consumer was.
  await jsm.consumers.delete(EVENT_STREAM, name);
  return jsm.consumers.add(EVENT_STREAM, {
    ...settings,
    filter_subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: found.ack_floor.stream_seq + 1,
  });
}

async function unlessMissing<T>(answer: Promise<T>, missing: JetStreamApiCodes): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === missing) return undefined;
    throw error;
  }
}
