import { offerGauge } from '../observability/metrics.js';
import type { NatsSession } from './natsConsumer.js';
import { DEAD_LETTER_STREAM, deadLetterSubject, EVENT_STREAM } from './natsStreams.js';

/** The state of a bus on NATS that its gauges report. */
export interface MeasuredBus {
  isUp(): boolean;
  /** Undefined while there is no connection. */
  session(): NatsSession | undefined;
  consumers(): string[];
}

async function readPending(bus: MeasuredBus) {
  const { jsm } = bus.session() ?? {};
  if (jsm === undefined) return [];
  return Promise.all(
    bus.consumers().map(async (consumer) => {
      const { num_pending, num_ack_pending } = await jsm.consumers.info(EVENT_STREAM, consumer);
      return { labels: { consumer }, value: num_pending + num_ack_pending };
    }),
  );
}

async function readDeadLetters(bus: MeasuredBus) {
  const { jsm } = bus.session() ?? {};
  if (jsm === undefined) return [];
  const all = { subjects_filter: deadLetterSubject('>') };
  const { state } = await jsm.streams.info(DEAD_LETTER_STREAM, all);
  const kept = Object.entries(state.subjects ?? {}).map(
    ([subject, value]) => [subject.slice(deadLetterSubject('').length), value] as const,
  );
  const counts = new Map([...bus.consumers().map((consumer) => [consumer, 0] as const), ...kept]);
  return [...counts].map(([consumer, value]) => ({ labels: { consumer }, value }));
}

/**
 * Registers the gauges of the bus. Every process reports the same about a consumer. Returns the function that
 * unregisters them.
 */
export function offerNatsGauges(bus: MeasuredBus): () => void {
  const withdrawals = [
    offerGauge('busUp', async () => [{ labels: {}, value: bus.isUp() ? 1 : 0 }]),
    offerGauge('consumerPending', () => readPending(bus)),
    offerGauge('deadLettersKept', () => readDeadLetters(bus)),
  ];
  return () => withdrawals.forEach((withdraw) => withdraw());
}
