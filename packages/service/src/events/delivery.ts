import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CloudEvent } from '@gatehouse/contract';
import { isDatabaseUnreachable } from '../mongo/databaseErrors.js';
import { count, expectCount, observeSince } from '../observability/metrics.js';
import { inSpan } from '../observability/tracing.js';
import { findAppError } from '../rpc/errors.js';
import {
  BusUnavailableError,
  DEAD_LETTER_REASONS,
  type DeadLetterReason,
  type DurableConsumer,
} from './bus.js';

/** How events are delivered to consumers. */
export interface DeliveryOptions {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /**
   * The waits before the second, third, … delivery. The number of deliveries is one more than the number of
   * waits.
   */
  redeliveryDelaysMs?: readonly number[];
  /** The time limit of one delivery. Default 30,000. */
  handlerTimeoutMs?: number;
}

const HANDLER_TIMEOUT_MS = 30_000;
/**
 * The first and the longest wait while a dependency of a handler is unavailable. Each wait is twice the
 * former.
 */
const UNAVAILABLE_MIN_MS = 100;
const UNAVAILABLE_MAX_MS = 2_000;
/** How long a shutdown waits for running handlers: half of the ten seconds that a process has. */
export const DRAIN_TIMEOUT_MS = 5_000;
/** How long a published event id is stored for deduplication. */
export const DUPLICATE_WINDOW_MS = 120_000;

/** Initializes the counters of a consumer. */
export function expectDeliveries(consumer: string): void {
  for (const reason of DEAD_LETTER_REASONS) {
    expectCount('deadLetters', { consumer, reason });
    if (reason !== 'not_acknowledged') expectCount('consumedEvents', { consumer, outcome: reason });
  }
  expectCount('consumedEvents', { consumer, outcome: 'unavailable' });
  expectCount('consumedEvents', { consumer, outcome: 'handled' });
}

/** Runs tasks of one subject sequentially, and tasks of different subjects concurrently. */
export class SubjectLanes {
  readonly #tails = new Map<string, Promise<void>>();
  #unsettled = 0;

  /** The number of waiting and running tasks. */
  get unsettled(): number {
    return this.#unsettled;
  }

  /**
   * Runs the task after all earlier ones of its subject, whether they succeeded or not. Settles as the task
   * does.
   */
  run<T>(subject: string, task: () => Promise<T>): Promise<T> {
    this.#unsettled += 1;
    const before = this.#tails.get(subject);
    const outcome = before ? before.then(task) : task();
    const tail = outcome
      .catch(() => undefined)
      .then(() => {
        this.#unsettled -= 1;
        if (this.#tails.get(subject) === tail) this.#tails.delete(subject);
      });
    this.#tails.set(subject, tail);
    return outcome;
  }

  /** Resolves when every current task has settled, or after the timeout. */
  async drain(timeoutMs: number): Promise<void> {
    await settleWithin(Promise.all(this.#tails.values()), timeoutMs);
  }
}

/**
 * Resolves to true if the promise is fulfilled in time, and to false after the timeout. Rejects as the
 * promise does.
 */
export async function settleWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([promise.then(() => true), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/** One delivery of an event to a consumer. */
export interface Delivery {
  consumer: DurableConsumer;
  event: CloudEvent;
  /** 1 for the first delivery. */
  number: number;
}

/** Runs the handler in the trace of the event. */
function handleTraced({ consumer, event }: Delivery): Promise<void> {
  const { type, traceparent: parent } = event;
  const attributes = {
    'messaging.operation.type': 'process',
    'messaging.destination.name': type,
    'messaging.consumer.group.name': consumer.name,
  } as const;
  return inSpan(`process ${type}`, { kind: 'consumer', parent, attributes }, () => consumer.handle(event));
}

/** Why a delivery failed. `unavailable` means that the database or another service was unavailable. */
type Failure = DeadLetterReason | 'unavailable';

/**
 * Delivers the event to its consumer, and repeats this with growing waits while a dependency of the handler
 * is unavailable: no event is given up for that reason. Returns the reason of a failure, or undefined.
 *
 * @throws BusUnavailableError if `stopping` ends a wait
 */
export async function deliver(
  delivery: Delivery,
  options: DeliveryOptions,
  stopping: AbortSignal,
): Promise<DeadLetterReason | undefined> {
  let waitMs = options.redeliveryDelaysMs?.[0] ?? UNAVAILABLE_MIN_MS;
  for (;;) {
    const failure = await attemptDelivery(delivery, options);
    if (failure !== 'unavailable') return failure;
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) throw new BusUnavailableError('The consumer was stopped');
    waitMs = Math.min(2 * waitMs, UNAVAILABLE_MAX_MS);
  }
}

/** Delivers the event to its consumer once. Returns the reason of a failure, or undefined. Never rejects. */
export async function attemptDelivery(
  delivery: Delivery,
  options: DeliveryOptions,
): Promise<Failure | undefined> {
  const startedMs = performance.now();
  const reason = await deliverOnce(delivery, options);
  const consumer = delivery.consumer.name;
  count('consumedEvents', { consumer, outcome: reason ?? 'handled' });
  observeSince('consumerDuration', { consumer }, startedMs);
  return reason;
}

const isUnavailable = (error: unknown) =>
  isDatabaseUnreachable(error) || findAppError(error)?.code === 'UNAVAILABLE';

async function deliverOnce(delivery: Delivery, options: DeliveryOptions): Promise<Failure | undefined> {
  const { consumer, event, number } = delivery;
  const about = {
    consumer: consumer.name,
    eventId: event.id,
    eventType: event.type,
    delivery: number,
  };
  try {
    const handled = await settleWithin(
      handleTraced(delivery),
      options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
    );
    if (handled) return undefined;
    options.log.warn(about, 'event handler timed out');
    return 'handler_timed_out';
  } catch (err) {
    options.log.warn({ ...about, err }, 'event handler failed');
    return isUnavailable(err) ? 'unavailable' : 'handler_failed';
  }
}
