import type { WebhookDisabledReason, WebhookFailure } from '@gatehouse/contract';
import { createEvent, retryOnConflict } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { GONE, hasFailedForLong } from './logic/health.js';
import { eventFields, WEBHOOK_SERVICE } from './manageWebhooks.js';
import type { WebhookDocument } from './store.js';

/** The result of an attempt. */
interface Attempt {
  attemptedAt: Date;
  statusCode: number | null;
  failure: WebhookFailure | null;
}

type Health = Pick<Dependencies, 'webhooks' | 'deliveries' | 'now'>;

/** Disables a webhook, unless it was deleted or moved, and fails its waiting deliveries. */
async function disable(
  { webhooks, deliveries, now }: Health,
  { _id, organizationId, url }: WebhookDocument,
  reason: Exclude<WebhookDisabledReason, 'manual'>,
): Promise<void> {
  const disabled = await retryOnConflict(async () => {
    const current = await webhooks.find(organizationId, _id);
    if (!current?.isEnabled || current.url !== url) return 'changed';
    const at = now();
    const set = { isEnabled: false, disabledReason: reason };
    const origin = {
      service: WEBHOOK_SERVICE,
      organizationId,
      projectId: current.projectId ?? undefined,
      now: at,
    };
    const data = { ...eventFields({ ...current, ...set }), reason };
    const events = [createEvent('management.webhook.disabled.v1', _id, { origin, data })];
    return webhooks.update(organizationId, current, { set, events, now: at });
  });
  if (typeof disabled === 'object') await deliveries.failWaiting(organizationId, _id, now());
}

/** Disables a webhook whose waiting deliveries leave no room for others, and fails them. */
export async function disableOverloaded(health: Health, organizationId: string, id: string): Promise<void> {
  const webhook = await health.webhooks.find(organizationId, id);
  if (webhook === null) return health.deliveries.deleteOf(organizationId, id);
  await disable(health, webhook, 'overloaded');
  // Those that were stored while it was disabled.
  await health.deliveries.failWaiting(organizationId, id, health.now());
}

/**
 * Records the result of an attempt for its webhook, and disables a webhook that returned 410 or has failed
 * for too long.
 *
 * @param webhook the webhook at the time of the attempt
 * @param isFinal whether the delivery has finally failed
 */
export async function noteHealth(
  health: Health,
  webhook: WebhookDocument,
  { attempt, isFinal }: { attempt: Attempt; isFinal: boolean },
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
