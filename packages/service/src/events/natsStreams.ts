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

/** The stream of all events. */
export const EVENT_STREAM = 'MANAGEMENT';
/** The stream of dead letters. */
export const DEAD_LETTER_STREAM = 'DEADLETTERS';

/** The subjects of all events: a noun, a verb and a version. */
const EVENT_SUBJECTS = 'management.*.*.*';
const DAY_MS = 24 * 60 * 60 * 1_000;
const MIB = 1_024 * 1_024;

type WantedStream = Pick<StreamConfig, 'name' | 'subjects' | 'max_age' | 'max_bytes' | 'deny_delete'>;

/**
 * No user can purge a stream or delete an event. The permissions of a user do not cover this: the server
 * sends the acknowledgement of an event to any subject that its publisher names, and it is a valid request to
 * purge. Only an operator deletes dead letters.
 */
const STREAMS: readonly WantedStream[] = [
  {
    name: EVENT_STREAM,
    subjects: ['management.>'],
    max_age: nanos(7 * DAY_MS),
    max_bytes: 1_024 * MIB,
    deny_delete: true,
  },
  {
    name: DEAD_LETTER_STREAM,
    subjects: ['deadletter.>'],
    max_age: nanos(30 * DAY_MS),
    max_bytes: 256 * MIB,
    deny_delete: false,
  },
];

/** The subject of a consumer's dead letters. */
export function deadLetterSubject(consumer: string): string {
  return `deadletter.${consumer}`;
}

/** The subject on which a consumer receives replays. */
export function replaySubject(consumer: string): string {
  return `replay.${consumer}`;
}

/**
 * The prefix of the subjects on which a consumer reports the outcomes of replays. An inbox would need the
 * permission to respond to any message. A user with that permission may publish anywhere: a message that it
 * sends to itself can name any subject as the one for its response.
 */
export function replayedPrefix(consumer: string): string {
  return `replayed.${consumer}.`;
}

/** The message id of a dead letter: a consumer gives up an event once. */
export function deadLetterId(letter: DeadLetter): string {
  return `${letter.consumer}:${letter.event.id}`;
}

/**
 * Creates missing streams. An existing stream keeps its settings, so that an operator may set other limits or
 * more replicas.
 *
 * @throws if JetStream does not respond or rejects
 */
export async function ensureStreams(jsm: JetStreamManager): Promise<void> {
  await Promise.all(STREAMS.map((wanted) => ensureStream(jsm, wanted)));
}

async function ensureStream(jsm: JetStreamManager, wanted: WantedStream): Promise<void> {
  const found = await unlessMissing(jsm.streams.info(wanted.name), JetStreamApiCodes.StreamNotFound);
  if (found) return;
  // Two processes may both get here: creating a stream twice with the same settings is no error.
  await jsm.streams.add({
    ...wanted,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    deny_purge: true,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  });
}

/** The settings of a durable consumer of the event stream. */
interface WantedConsumer {
  name: string;
  types: readonly string[];
  ackWaitMs: number;
  maxUnacknowledged: number;
}

/**
 * Creates a durable consumer, which starts with the oldest stored event, or updates an existing one.
 *
 * @throws if JetStream does not respond or rejects
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
  // The filter is only ever widened, so that two versions of a service that run concurrently agree on it.
  const filter_subject = coverTypes([found.config.filter_subject ?? EVENT_SUBJECTS, ...wanted.types]);
  if (filter_subject === found.config.filter_subject) return jsm.consumers.update(EVENT_STREAM, name, limits);
  // NATS 2.9 accepts a new filter but continues to deliver by the old one. So the consumer is recreated at
  // the position of the old one.
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
