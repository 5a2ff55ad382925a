import type { WebhookDisabledReason } from '@gatehouse/contract';
import { createEvent, untilWritten } from '@gatehouse/service';
import { GONE, hasFailedForLong } from '../logic/deliveryHealth.js';
import type { StoredAttempt, WebhookDocument } from '../store/webhookDocuments.js';
import type { Webhooks } from './webhookContext.js';
import { webhookState } from './webhookRecords.js';
import { WEBHOOK_SERVICE } from './webhooks.js';

type Health = Pick<Webhooks, 'webhooks' | 'deliveries' | 'now'>;

/** Disables a webhook, unless it is gone or at another address by now, and ends what waits for it. */
async function disable(
  { webhooks, deliveries, now }: Health,
  { _id, organizationId, url }: WebhookDocument,
  reason: Exclude<WebhookDisabledReason, 'manual'>,
): Promise<void> {
  const disabled = await untilWritten(async () => {
    const current = await webhooks.find(organizationId, _id);
    if (!current?.isEnabled || current.url !== url) return 'not as it was';
    const at = now();
    const set = { isEnabled: false, disabledReason: reason };
    const origin = {
      service: WEBHOOK_SERVICE,
      organizationId,
      projectId: current.projectId ?? undefined,
      now: at,
    };
    const data = { ...webhookState({ ...current, ...set }), reason };
    const events = [createEvent('management.webhook.disabled.v1', _id, { origin, data })];
    return webhooks.update(organizationId, current, { set, events, now: at });
  });
  if (typeof disabled === 'object') await deliveries.failWaiting(organizationId, _id, now());
}

/**
 * Keeps account of how a webhook does, and disables one that is gone or has failed for too long.
 *
 * @param webhook as it was when the attempt was made
 * @param isFinal whether the delivery has failed for good
 */
export async function noteHealth(
  health: Health,
  webhook: WebhookDocument,
  { attempt, isFinal }: { attempt: StoredAttempt; isFinal: boolean },
): Promise<void> {
  const { _id, organizationId, failingSince } = webhook;
  if (attempt.failure === null) {
    if (failingSince !== null) await health.webhooks.noteSuccess(organizationId, _id);
    return;
  }
  if (attempt.statusCode === GONE) return disable(health, webhook, 'gone');
  if (failingSince === null) return health.webhooks.noteFailure(organizationId, _id, attempt.attemptedAt);
  if (isFinal && hasFailedForLong(failingSince, health.now())) await disable(health, webhook, 'failing');
}
