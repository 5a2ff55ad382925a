import {
  CloudEvent,
  type EventData,
  type Webhook,
  type WebhookAttempt,
  type WebhookDelivery,
} from '@gatehouse/contract';
import type { DeliverySummary } from '../store/webhookDeliveries.js';
import type { DeliveryDocument, StoredAttempt, WebhookDocument } from '../store/webhookDocuments.js';

/** Stored documents as the records and event data that leave the service: field by field, so that nothing slips out. */

export function toWebhook(webhook: WebhookDocument): Webhook {
  const { _id: id, description, disabledReason, version, createdAt, updatedAt } = webhook;
  return {
    ...webhookState(webhook),
    id,
    description,
    disabledReason,
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function webhookState(
  webhook: Pick<WebhookDocument, '_id' | 'url' | 'eventTypes' | 'projectId' | 'isEnabled'>,
): EventData<'management.webhook.created.v1'> {
  const { _id: id, url, eventTypes, projectId, isEnabled } = webhook;
  return { id, url, eventTypes, projectId, isEnabled };
}

export function toAttempt({ attemptedAt, durationMs, statusCode, failure }: StoredAttempt): WebhookAttempt {
  return { attemptedAt: attemptedAt.toISOString(), durationMs, statusCode, failure };
}

export function toDelivery(delivery: DeliverySummary): WebhookDelivery {
  const { _id: id, webhookId, eventId, eventType, status, attempts, nextAttemptAt } = delivery;
  return {
    id,
    webhookId,
    eventId,
    eventType,
    status,
    attempts: attempts.map(toAttempt),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}

export function toDeliveryWithEvent(delivery: DeliveryDocument) {
  return { ...toDelivery(delivery), event: CloudEvent.parse(JSON.parse(delivery.body)) };
}
