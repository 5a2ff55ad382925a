import type { ErrorCode } from '@gatehouse/contract';

/** How often, and after which time, a request that may be repeated is sent again. */
export interface RetryPolicy {
  /** Further tries after the first; 0 for none. */
  retries: number;
  /** The longest wait before the first further try, in milliseconds; it doubles with each. */
  baseDelayMs: number;
  /** No wait is longer; an answer that asks for a longer one in `Retry-After` is thrown at once. */
  maxDelayMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { retries: 2, baseDelayMs: 200, maxDelayMs: 30_000 };

/** An answer, as far as the question whether to try again goes. */
export interface RefusedAnswer {
  status: number;
  code: ErrorCode | null;
  retryAfterSeconds: number | null;
}

/**
 * Whether an answer is worth another try. After 429 every request may be sent again, because nothing was done; after the
 * others only one that may be repeated: a read, or a POST under an idempotency key.
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
 * How long to wait before a further try, in milliseconds; null for not at all. The wait is anything up to a bound that doubles
 * ("full jitter"), so that callers who failed together do not come back together, and comes on top of what the answer asks for.
 *
 * @param tries how many tries there were
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

/** The seconds that `Retry-After` asks for, which may name a date instead (RFC 9110, 10.2.3); null where it says nothing. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
