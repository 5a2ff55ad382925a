import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.js';

/** The rate-limited responses: errors, and pages, which need no token. */
type Paced = ErrorCode | 'page';

/** The interval that one response adds for its caller, in milliseconds. Other responses add none. */
const COST_MS: Partial<Record<Paced, number>> = { RATE_LIMITED: 10, UNAUTHENTICATED: 5, page: 5 };
/** Responses are delayed only beyond this sum of intervals. */
const BURST_MS = 1000;
const DELAY_MAX_MS = 2000;
const CALLERS_MAX = 20_000;

/**
 * Rate-limits responses that need no place. Beyond 100 responses a second with RATE_LIMITED, 200 with
 * UNAUTHENTICATED or 200 pages, the responses to one caller wait for each other. Without this limit one
 * caller could get as many as the process can send, and delay other callers. The algorithm is the generic
 * cell rate algorithm (ITU-T I.371).
 */
export class Pace {
  readonly #now: () => number;
  /** The theoretical arrival time of the next response to each caller. */
  readonly #nextAt = new LRUCache<string, number>({ maxSize: CALLERS_MAX, sizeCalculation: () => 1 });

  /** `now` returns the milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the delay of a response, in milliseconds. */
  delayOf({ share, address }: Caller, code: Paced): number {
    const cost = COST_MS[code];
    if (cost === undefined) return 0;
    const key = `${share} ${address ?? ''}`;
    const now = this.#now();
    const nextAt = Math.max(this.#nextAt.get(key) ?? 0, now) + cost;
    const delay = Math.min(DELAY_MAX_MS, Math.max(0, nextAt - now - BURST_MS));
    // The delay is capped, so the stored time is capped too.
    this.#nextAt.set(key, Math.min(nextAt, now + BURST_MS + DELAY_MAX_MS));
    return delay;
  }

  /** Resolves when the response may be sent. */
  async wait(caller: Caller, code: Paced): Promise<void> {
    const delay = this.delayOf(caller, code);
    if (delay > 0) await sleep(delay);
  }
}
