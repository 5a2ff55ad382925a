import type { WebhookFailure } from '@gatehouse/contract';

/** The status with which a receiver reports that it no longer exists. */
export const GONE = 410;

/** The failure of a status, or null for 2xx. Redirects are not followed. */
export function failureOf(statusCode: number): WebhookFailure | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirected' : 'refused';
}

/** A webhook is disabled when deliveries finally fail and no attempt has succeeded for this many days. */
const FAILING_DAYS_MAX = 5;
const DAY_MS = 86_400_000;

/**
 * Whether a webhook has failed for too long, when one of its deliveries has just finally failed.
 *
 * @param failingSince the first failure since the last success
 */
export function hasFailedForLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_DAYS_MAX * DAY_MS;
}
