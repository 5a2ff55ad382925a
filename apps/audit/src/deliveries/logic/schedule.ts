/**
 * Delays are extended by up to this fraction, so that concurrent failures are not retried at the same time.
 */
const JITTER = 0.2;

/** A delivery after a failed attempt. */
interface FailedAttempt {
  /** Failed attempts so far, this one included. */
  tries: number;
  now: Date;
  /** The delay that the receiver requested. */
  retryAfterMs?: number | undefined;
  /** Random, from 0 to 1. */
  jitter: number;
}

/**
 * The time of the next attempt. The receiver's delay extends a delay, never shortens it, and is limited to
 * the longest.
 *
 * @param delaysMs the delays after the first, second, … attempt
 * @returns null after the last attempt
 */
export function nextAttemptAt(
  delaysMs: readonly number[],
  { tries, now, retryAfterMs = 0, jitter }: FailedAttempt,
): Date | null {
  const delayMs = delaysMs[tries - 1];
  if (delayMs === undefined) return null;
  const waitMs = Math.max(delayMs, Math.min(retryAfterMs, Math.max(...delaysMs)));
  return new Date(now.getTime() + waitMs * (1 + JITTER * jitter));
}

/** The times that decide whether a waiting delivery is due. */
export interface Waiting {
  now: Date;
  /**
   * Later than any delay can reach. A delivery beyond it was scheduled by a clock that was set back since: it
   * is due.
   */
  horizon: Date;
}

export function waitingAt(delaysMs: readonly number[], now: Date): Waiting {
  return { now, horizon: new Date(now.getTime() + Math.max(...delaysMs) * (1 + JITTER)) };
}

export function isDue(at: Date, { now, horizon }: Waiting): boolean {
  return at <= now || at > horizon;
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3), seconds or a date, to milliseconds from now; undefined when
 * invalid.
 */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
