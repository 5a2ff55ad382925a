/** Waits are made longer by up to this part, so that what failed together is not tried again together. */
const JITTER = 0.2;

/** What is known of a delivery after an attempt that failed. */
interface FailedAttempt {
  /** Failed attempts so far, this one included. */
  tries: number;
  now: Date;
  /** How long the receiver has asked to be left alone. */
  retryAfterMs?: number | undefined;
  /** From 0 to 1, by chance. */
  jitter: number;
}

/**
 * When to try again. What the receiver asks for makes a wait longer, never shorter, and no longer than the longest of all.
 *
 * @param delaysMs the waits after the first, second, … attempt
 * @returns null when that was the last attempt
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

/** The time between which and now whatever waits is not due. */
export interface Waiting {
  now: Date;
  /** No wait is as long. Who waits for later than this was told so by a clock that has been set back since: it is due as well. */
  horizon: Date;
}

export function waitingAt(delaysMs: readonly number[], now: Date): Waiting {
  return { now, horizon: new Date(now.getTime() + Math.max(...delaysMs) * (1 + JITTER)) };
}

export function isDue(at: Date, { now, horizon }: Waiting): boolean {
  return at <= now || at > horizon;
}

/** Reads `Retry-After` (RFC 9110, 10.2.3), seconds or a date, as milliseconds from now; undefined when it is neither. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Za-z]/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
