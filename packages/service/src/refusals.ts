import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent, ErrorCode } from '@gatehouse/contract';
import type { EventBus } from './events/bus.js';
import type { Logger } from './log.js';
import { createEvent, type EventOrigin } from './mongo/outbox.js';

/** Whoever was refused: the bearer of a token that is signed as it has to be, or somebody who said to be of a project. */
export type RefusedBearer = Pick<
  EventOrigin,
  'organizationId' | 'projectId' | 'actorId' | 'actorKind' | 'tokenId'
>;

/** One refusal. */
export interface Refusal {
  bearer: RefusedBearer;
  requestId: string;
  operation: string;
  status: number;
  code: ErrorCode;
  resourceId: string | null;
}

export interface RefusalsOptions {
  /** Who refuses. */
  service: string;
  bus: EventBus;
  log: Pick<Logger, 'warn'>;
  /** Settings of tests. */
  now?: () => number;
  bufferMax?: number;
  flushMs?: number;
}

/** Tells the rest of the platform, by events, what was refused. Nothing waits for it, and it never fails. */
export interface Refusals {
  note(refusal: Refusal): void;
  /** Publishes what is left, for at most so long. */
  stop(timeoutMs: number): Promise<void>;
}

const TYPE = 'management.request.refused.v1';
const BUFFER_MAX = 10_000;
const BATCH = 250;
const FLUSH_MS = 100;
/** While the bus is down, it is asked no more often than this. */
const RETRY_MS = 1000;
/** So many of the same token (of the same project where there is none), operation and code are told of one by one in a window; of the rest, their number. */
const SINGLE_MAX = 10;
const WINDOW_MS = 60_000;
const WINDOWS_MAX = 10_000;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

interface TimedRefusal extends Refusal {
  atMs: number;
}

/** The refusals of one token, operation and code within a window of time. */
interface Window {
  endsAt: number;
  told: number;
  untold: number;
  last: TimedRefusal;
}

class BufferedRefusals implements Refusals {
  readonly #options: Required<RefusalsOptions>;
  readonly #timer: NodeJS.Timeout;
  /** What came since the last tick: a request that is refused waits for nothing but this. */
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
    if (left > 0) this.#options.log.warn({ left }, 'stopped with refusals that could not be published');
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
    if (window.told >= SINGLE_MAX) window.untold += 1;
    else {
      window.told += 1;
      this.#add(refusal, 1);
    }
  }

  #openWindow(key: string, last: TimedRefusal): Window {
    const window = { endsAt: last.atMs + WINDOW_MS, told: 0, untold: 0, last };
    if (this.#windows.size >= WINDOWS_MAX) this.#closeOldest();
    this.#windows.set(key, window);
    return window;
  }

  #closeOldest(): void {
    const [oldest] = this.#windows;
    if (!oldest) return;
    const [key, { untold, last }] = oldest;
    this.#windows.delete(key);
    if (untold > 0) this.#add({ ...last, resourceId: null }, untold);
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
    // What somebody writes into a path is no id because it stands where one belongs.
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

  /** Publishes one batch; what cannot be published stays, under the same event ids. */
  async #flush(): Promise<void> {
    const { bus, log, now } = this.#options;
    const batch = this.#buffer.slice(0, BATCH);
    if (batch.length === 0) return;
    try {
      await bus.publish(batch);
      this.#buffer.splice(0, batch.length);
      this.#isFailing = false;
      this.#tellLost();
    } catch (err) {
      if (!this.#isFailing) log.warn({ err }, 'refusals cannot be published; they are kept and tried again');
      this.#isFailing = true;
      this.#retryAt = now() + RETRY_MS;
    }
  }

  #tellLost(): void {
    if (this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.log.warn({ lost }, 'more was refused than could be kept while nothing was published');
  }
}

/**
 * Keeps refusals in memory and publishes them in batches. A token that is refused the same again and again is told of ten
 * times a minute, and then once by the number of the others, so that it cannot fill the record of events.
 */
export function createRefusals(options: RefusalsOptions): Refusals {
  return new BufferedRefusals(options);
}
