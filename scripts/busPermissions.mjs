/**
 * The NATS permissions of each process, from the service manifest: it may publish its own events and rejected
 * requests, and consume as its own consumers, and nothing else.
 */
import { processData } from './serviceData.mjs';

/** The JetStream requests that a client sends first, and those that create missing streams. */
const COMMON = [
  '$JS.API.INFO',
  ...['MANAGEMENT', 'DEADLETTERS'].flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.CREATE.${stream}`,
  ]),
  'management.request.*.v1',
];

/**
 * Create and update a consumer, fetch its messages, acknowledge or terminate them, and report the outcomes of
 * an operator's replays. @param {string} consumer
 */
const asConsumer = (consumer) => [
  `$JS.API.CONSUMER.*.MANAGEMENT.${consumer}`,
  `$JS.API.CONSUMER.CREATE.MANAGEMENT.${consumer}.>`,
  `$JS.API.CONSUMER.DURABLE.CREATE.MANAGEMENT.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.MANAGEMENT.${consumer}`,
  `$JS.ACK.MANAGEMENT.${consumer}.>`,
  `deadletter.${consumer}`,
  `replayed.${consumer}.>`,
];

/**
 * The permissions of a process in the format of nats-server. A user who may not publish to the API subject of
 * a stream or a consumer can neither change nor delete it. There is no `allow_responses`: it would let a user
 * respond to the messages of others that it sees in `_INBOX.>`, and so acknowledge their events.
 * @param {string} name of the process
 */
export function permissionsOf(name) {
  const { publishes, watches, consumers: consumed } = processData(name);
  const consumers = Object.keys(consumed);
  return {
    publish: [...COMMON, ...publishes, ...consumers.flatMap(asConsumer)],
    subscribe: [
      '_INBOX.>',
      ...consumers.map((consumer) => `replay.${consumer}`),
      ...(watches.length > 0 ? ['management.>'] : []),
    ],
  };
}
