import type { Logger } from 'pino';
import type { CloudEvent } from '@gatehouse/contract';
import type { DeadLetterReason, DurableConsumer } from './bus.js';

/** How consumers are served. */
export interface DeliveryOptions {
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Waits before the second, third, … delivery. An event is delivered once more than there are waits. */
  redeliveryDelaysMs?: readonly number[];
  /** How long one delivery may take before it counts as failed. Default 30,000. */
  handlerTimeoutMs?: number;
}

const HANDLER_TIMEOUT_MS = 30_000;
/** How long a stop waits for running handlers: half of the ten seconds that a process has to end. */
export const DRAIN_TIMEOUT_MS = 5_000;
/** How long a published event id is remembered. */
export const DUPLICATE_WINDOW_MS = 120_000;

/** Runs tasks of one subject one after the other and tasks of different subjects side by side. */
export class SubjectLanes {
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs the task after all earlier ones of its subject, whether they succeeded or not; settles as the task does. */
  run(subject: string, task: () => Promise<void>): Promise<void> {
    const before = this.#tails.get(subject);
    const outcome = before ? before.then(task) : task();
    const tail = outcome
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(subject) === tail) this.#tails.delete(subject);
      });
    this.#tails.set(subject, tail);
    return outcome;
  }

  /** Resolves when every task so far has settled, or after the timeout. */
  async drain(timeoutMs: number): Promise<void> {
    await settleWithin(Promise.all(this.#tails.values()), timeoutMs);
  }
}

/** True when the promise fulfilled within the time, false when the time was up first; rejects as the promise does. */
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

/** One delivery of an event to a consumer, with what the bus needs to judge it. */
export interface Delivery {
  consumer: DurableConsumer;
  event: CloudEvent;
  /** 1 for the first. */
  number: number;
}

/** Hands the event to its consumer once. Gives undefined when it was handled, else why it was not; never rejects. */
export async function attemptDelivery(
  delivery: Delivery,
  options: DeliveryOptions,
): Promise<DeadLetterReason | undefined> {
  const { consumer, event, number } = delivery;
  const about = {
    consumer: consumer.name,
    eventId: event.id,
    eventType: event.type,
    delivery: number,
  };
  try {
    const handled = await settleWithin(
      consumer.handle(event),
      options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
    );
    if (handled) return undefined;
    options.log.warn(about, 'event handler timed out');
    return 'handler_timed_out';
  } catch (err) {
    options.log.warn({ ...about, err }, 'event handler failed');
    return 'handler_failed';
  }
}
