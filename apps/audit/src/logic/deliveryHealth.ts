import type { WebhookFailure } from '@gatehouse/contract';

/** The server says that there is no such receiver any more. */
export const GONE = 410;

/** How a status is taken: 2xx is a success, and redirections are not followed. */
export function failureOf(statusCode: number): WebhookFailure | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? 'redirected' : 'refused';
}

/** How long nothing may get through, while deliveries fail for good, before a webhook is disabled. */
const FAILING_DAYS_MAX = 5;
const DAY_MS = 86_400_000;

/**
 * Whether a webhook of which a delivery has just failed for good has failed for too long.
 *
 * @param failingSince the first failure since the last success
 */
export function hasFailedForLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_DAYS_MAX * DAY_MS;
}
