import { count, inSpan, observeSince } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { GONE } from '../webhooks/logic/health.js';
import { noteHealth } from '../webhooks/noteHealth.js';
import { attemptDelivery, type AttemptOutcome } from './attemptDelivery.js';
import { nextAttemptAt } from './logic/schedule.js';
import type { DeliveryDocument, StoredAttempt } from './documents.js';
import type { AttemptEnd, Leased } from './store.js';

/** The configured delays between attempts, in milliseconds. */
export function retryDelaysOf({ WEBHOOK_RETRY_SECONDS }: Dependencies['config']): number[] {
  return WEBHOOK_RETRY_SECONDS.split(',').map((seconds) => Number(seconds) * 1000);
}

/** The result of an attempt: the end, or the time of the next attempt. */
function judgeAttempt(
  { now, random, config }: Dependencies,
  { attempt, retryAfterMs }: AttemptOutcome,
  triesBefore: number,
): AttemptEnd {
  const at = now();
  if (attempt.failure === null) return { attempt, now: at, status: 'delivered' };
  const failed = { tries: triesBefore + 1, now: at, retryAfterMs, jitter: random() };
  const next = attempt.statusCode === GONE ? null : nextAttemptAt(retryDelaysOf(config), failed);
  if (next === null) return { attempt, now: at, status: 'failed' };
  return { attempt, now: at, status: 'pending', nextAttemptAt: next };
}

/**
 * Sends a leased delivery and records the result. Releases the delivery of a deleted or disabled webhook,
 * which the next round ends, and returns false.
 */
export async function sendDelivery(
  dependencies: Dependencies,
  delivery: DeliveryDocument & Leased,
  stopping: AbortSignal,
): Promise<boolean> {
  const { organizationId, webhookId, eventId: id, body } = delivery;
  const webhook = await dependencies.webhooks.find(organizationId, webhookId);
  if (!webhook?.isEnabled) {
    await dependencies.deliveries.release(organizationId, delivery, dependencies.now());
    return false;
  }
  const startedMs = performance.now();
  const outcome = await inSpan('deliver to webhook', { kind: 'client' }, async (span) => {
    const attempted = await attemptDelivery(dependencies, { webhook, message: { id, body } }, stopping);
    if (attempted.attempt.failure !== null) span.fail(attempted.attempt.failure);
    return attempted;
  });
  observeSince('webhookDuration', {}, startedMs);
  const end = judgeAttempt(dependencies, outcome, delivery.tries);
  count('webhookAttempts', { outcome: end.status });
  await dependencies.deliveries.endAttempt(organizationId, delivery, end);
  // An attempt that this process interrupted is no evidence about the receiver.
  if (outcome.attempt.failure !== 'interrupted')
    await noteHealth(dependencies, webhook, { attempt: outcome.attempt, isFinal: end.status === 'failed' });
  return true;
}

/** Records the interrupted attempt of a process that died. The event may have arrived, and is sent again. */
export async function recoverDelivery(
  dependencies: Dependencies,
  abandoned: Leased & Pick<DeliveryDocument, 'tries'>,
): Promise<void> {
  const attempt: StoredAttempt = {
    attemptedAt: dependencies.now(),
    durationMs: 0,
    statusCode: null,
    failure: 'interrupted',
  };
  const end = judgeAttempt(dependencies, { attempt }, abandoned.tries);
  await dependencies.deliveries.endAttempt(abandoned.organizationId, abandoned, end);
}
