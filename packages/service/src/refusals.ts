import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent, ErrorCode } from '@gatehouse/contract';
import type { EventBus } from './events/bus.js';
import type { Logger } from './log.js';
import { createEvent, type EventOrigin } from './mongo/outbox.js';

/**
 * The caller of a rejected request: the bearer of a token with a valid signature, or the project of a token
 * request.
 */
export type RefusedBearer = Pick<
  EventOrigin,
  'organizationId' | 'projectId' | 'actorId' | 'actorKind' | 'tokenId'
>;

/** A rejected request. */
export interface Refusal {
  bearer: RefusedBearer;
  requestId: string;
  operation: string;
  status: number;
  code: ErrorCode;
  resourceId: string | null;
}

export interface RefusalsOptions {
  /** The name of the service that rejects. */
  service: string;
  bus: EventBus;
  log: Pick<Logger, 'warn'>;
  /** The following options are for tests. */
  now?: () => number;
  bufferMax?: number;
  flushMs?: number;
}

/** Publishes rejected requests as events. Callers never wait for it, and it never fails. */
export interface Refusals {
  note(refusal: Refusal): void;
  /** Publishes the pending refusals, for at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

const TYPE = 'management.request.refused.v1';
const BUFFER_MAX = 10_000;
const BATCH = 250;
const FLUSH_MS = 100;
/** The time between two attempts to publish while the bus is down. */
const RETRY_MS = 1000;
/**
 * This many refusals of one token (without a token: of one project), operation and code are reported one by
 * one in a window. The others are counted.
 */
const SINGLE_MAX = 10;
const WINDOW_MS = 60_000;
const WINDOWS_MAX = 10_000;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

interface TimedRefusal extends Refusal {
  atMs: number;
}

/** The refusals of one token, operation and code within a time window. */
interface Window {
  endsAt: number;
  reported: number;
  unreported: number;
  last: TimedRefusal;
}

class BufferedRefusals implements Refusals {
  readonly #options: Required<RefusalsOptions>;
  readonly #timer: NodeJS.Timeout;
  /** The refusals since the last tick. A rejected request does nothing but add to this list. */
  #noted: TimedRefusal[] = [];
  /** In the order in which they end. */
  readonly #windows = new Map<string, Window>();
  #buffer: CloudEvent[] = [];
  #lost = 0;
  #flushing: Promise<void> | null = null;
  #isFailing = false;
  #retryAt = 0;

  constructor(options: RefusalsOptions) {
    this.#options = { now: Date.now, bufferMax: BUFFER_MAX, flushMs: FLUSH_MS, ...options };
    this.#timer = setInterval(() => this.#tick(), this.#options.flushMs);
    this.#timer.unref();
  }

  note(refusal: Refusal): void {
    if (this.#noted.length >= this.#options.bufferMax) this.#lost += 1;
    else this.#noted.push({ ...refusal, atMs: this.#options.now() });
  }

  async stop(timeoutMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#takeNoted();
    this.#closeWindows(Number.POSITIVE_INFINITY);
    await Promise.race([this.#flushAll(), sleep(timeoutMs, undefined, { ref: false })]);
    const left = this.#buffer.length;
    if (left > 0) this.#options.log.warn({ left }, 'stopped with unpublished refusals');
  }

  async #flushAll(): Promise<void> {
    await this.#flushing;
    do await this.#flush();
    while (this.#buffer.length > 0 && !this.#isFailing);
  }

  #takeNoted(): void {
    const noted = this.#noted;
    this.#noted = [];
    for (const refusal of noted) this.#count(refusal);
  }

  #count(refusal: TimedRefusal): void {
    const { bearer, operation, code } = refusal;
    const key = `${bearer.organizationId} ${bearer.tokenId ?? bearer.projectId} ${operation} ${code}`;
    this.#closeWindows(refusal.atMs);
    const window = this.#windows.get(key) ?? this.#openWindow(key, refusal);
    window.last = refusal;
    if (window.reported >= SINGLE_MAX) window.unreported += 1;
    else {
      window.reported += 1;
      this.#add(refusal, 1);
    }
  }

  #openWindow(key: string, last: TimedRefusal): Window {
    const window = { endsAt: last.atMs + WINDOW_MS, reported: 0, unreported: 0, last };
    if (this.#windows.size >= WINDOWS_MAX) this.#closeOldest();
    this.#windows.set(key, window);
    return window;
  }

  #closeOldest(): void {
    const [oldest] = this.#windows;
    if (!oldest) return;
    const [key, { unreported, last }] = oldest;
    this.#windows.delete(key);
    if (unreported > 0) this.#add({ ...last, resourceId: null }, unreported);
  }

  #closeWindows(now: number): void {
    for (const { endsAt } of this.#windows.values()) {
      if (endsAt > now) return;
      this.#closeOldest();
    }
  }

  #add(refusal: TimedRefusal, count: number): void {
    const { bearer, requestId, operation, status, code, resourceId: named, atMs } = refusal;
    if (this.#buffer.length >= this.#options.bufferMax) {
      this.#lost += 1;
      return;
    }
    // A path segment in the position of an id is not necessarily an id.
    const resourceId = named !== null && ID.test(named) ? named : null;
    const origin = { ...bearer, service: this.#options.service, requestId, now: new Date(atMs) };
    const data = { operation, status, code, resourceId, count };
    this.#buffer.push(createEvent(TYPE, resourceId ?? operation, { origin, data }));
  }

  #tick(): void {
    const now = this.#options.now();
    this.#takeNoted();
    this.#closeWindows(now);
    if (this.#buffer.length === 0 || this.#flushing || (this.#isFailing && now < this.#retryAt)) return;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = null;
    });
  }

  /** Publishes one batch. On failure the events stay in the buffer, with the same ids. */
  async #flush(): Promise<void> {
    const { bus, log, now } = this.#options;
    const batch = this.#buffer.slice(0, BATCH);
    if (batch.length === 0) return;
    try {
      await bus.publish(batch);
      this.#buffer.splice(0, batch.length);
      this.#isFailing = false;
      this.#logLost();
    } catch (err) {
      if (!this.#isFailing) log.warn({ err }, 'cannot publish refusals; retrying');
      this.#isFailing = true;
      this.#retryAt = now() + RETRY_MS;
    }
  }

  #logLost(): void {
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.log.warn({ lost }, 'the buffer of refusals was full; some were dropped');
  }
}

/**
 * Buffers refusals in memory and publishes them in batches. Repeated refusals of one token are reported ten
 * times a minute, and then once by their number, so that they cannot flood the event log.
 */
export function createRefusals(options: RefusalsOptions): Refusals {
  return new BufferedRefusals(options);
}
