import { count, inSpan, observeSince } from '@gatehouse/service';
import { GONE } from '../logic/deliveryHealth.js';
import { nextAttemptAt } from '../logic/deliverySchedule.js';
import type { AttemptEnd, Leased } from '../store/webhookDeliveries.js';
import type { DeliveryDocument, StoredAttempt } from '../store/webhookDocuments.js';
import { attemptDelivery, type AttemptOutcome } from './deliveryAttempt.js';
import type { Webhooks } from './webhookContext.js';
import { noteHealth } from './webhookHealth.js';

/** The waits between attempts, as the operator has set them, in milliseconds. */
export function retryDelaysOf({ WEBHOOK_RETRY_SECONDS }: Webhooks['config']): number[] {
  return WEBHOOK_RETRY_SECONDS.split(',').map((seconds) => Number(seconds) * 1000);
}

/** What follows from an attempt: the end, or the time of the next one. */
function judgeAttempt(
  { now, random, config }: Webhooks,
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
 * Sends a delivery that was taken and notes what came of it; what its webhook does not want any more is given back, for the
 * next round to end it: then the answer is false.
 */
export async function sendDelivery(
  webhooks: Webhooks,
  delivery: DeliveryDocument & Leased,
  stopping: AbortSignal,
): Promise<boolean> {
  const { organizationId, webhookId, eventId: id, body } = delivery;
  const webhook = await webhooks.webhooks.find(organizationId, webhookId);
  if (!webhook?.isEnabled) {
    await webhooks.deliveries.release(organizationId, delivery, webhooks.now());
    return false;
  }
  const startedMs = performance.now();
  const outcome = await inSpan('deliver to webhook', { kind: 'client' }, async (span) => {
    const made = await attemptDelivery(webhooks, { webhook, message: { id, body } }, stopping);
    if (made.attempt.failure !== null) span.fail(made.attempt.failure);
    return made;
  });
  observeSince('webhookDuration', {}, startedMs);
  const end = judgeAttempt(webhooks, outcome, delivery.tries);
  count('webhookAttempts', { outcome: end.status });
  await webhooks.deliveries.endAttempt(organizationId, delivery, end);
  // What was cut short from here says nothing of the receiver.
  if (outcome.attempt.failure !== 'interrupted')
    await noteHealth(webhooks, webhook, { attempt: outcome.attempt, isFinal: end.status === 'failed' });
  return true;
}

/** Notes that the process which sent a delivery has left it behind: it may have arrived, and is sent again. */
export async function recoverDelivery(
  webhooks: Webhooks,
  abandoned: Leased & Pick<DeliveryDocument, 'tries'>,
): Promise<void> {
  const attempt: StoredAttempt = {
    attemptedAt: webhooks.now(),
    durationMs: 0,
    statusCode: null,
    failure: 'interrupted',
  };
  const end = judgeAttempt(webhooks, { attempt }, abandoned.tries);
  await webhooks.deliveries.endAttempt(abandoned.organizationId, abandoned, end);
}
