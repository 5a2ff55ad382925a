import type { ErrorCode } from './generated/records.js';

/** How often, and after which time, a request that may be repeated is sent again. */
export interface RetryPolicy {
  /** Retries after the first attempt; 0 for none. */
  retries: number;
  /** The longest wait before the first retry, in milliseconds; it doubles with each. */
  baseDelayMs: number;
  /**
   * Upper bound of a wait, in milliseconds. A response that requires a longer one in `Retry-After` is thrown
   * immediately.
   */
  maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 2, baseDelayMs: 200, maxDelayMs: 30_000 };

/** The parts of a response that decide whether to retry. */
export interface RefusedAnswer {
  status: number;
  code: ErrorCode | null;
  retryAfterSeconds: number | null;
}

/**
 * Whether to retry after a response. After 429 every request may be sent again, because nothing was done.
 * After the others only a repeatable request may: a read, or a POST with an idempotency key.
 */
export function isWorthRetrying(
  { status, code, retryAfterSeconds }: RefusedAnswer,
  isRepeatable: boolean,
): boolean {
  if (status === 429) return true;
  if (!isRepeatable) return false;
  // The first request with the same idempotency key still runs.
  if (code === 'CONFLICT') return retryAfterSeconds !== null;
  return status === 503 || (code === null && (status === 502 || status === 504));
}

/**
 * The wait before the next retry, in milliseconds; null for no retry. The wait is random, up to a bound that
 * doubles ("full jitter"), so that callers who failed together do not retry together. It is added to the wait
 * that the response requires.
 *
 * @param tries number of attempts so far
 * @param chance a random number from 0 to 1
 */
export function findDelayMs(
  { retries, baseDelayMs, maxDelayMs }: RetryPolicy,
  { tries, retryAfterSeconds }: { tries: number; retryAfterSeconds: number | null },
  chance: number,
): number | null {
  if (tries > retries) return null;
  const askedMs = (retryAfterSeconds ?? 0) * 1000;
  if (askedMs > maxDelayMs) return null;
  return Math.min(maxDelayMs, askedMs + chance * baseDelayMs * 2 ** (tries - 1));
}

/**
 * The seconds in `Retry-After`, which may contain a date instead (RFC 9110, 10.2.3); null if there is none.
 */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
