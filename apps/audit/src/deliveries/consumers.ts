import { createHash } from 'node:crypto';
import { ID_PREFIXES, isWantedEvent, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer } from '@gatehouse/service';
import type { Dependencies, WebhookDocument } from '../dependencies.js';
import type { DeliveryDocument } from './store.js';

const ID_LENGTH = 16;

/** Derived from the event and the webhook, so that a redelivered event is sent once. */
function deliveryIdOf(webhookId: string, eventId: string): string {
  const digest = createHash('sha256').update(`${webhookId} ${eventId}`).digest('base64url');
  return ID_PREFIXES.webhookDelivery + digest.slice(0, ID_LENGTH);
}

function isWantedBy({ projectId, eventTypes }: WebhookDocument, event: CloudEvent): boolean {
  const isOfProject = projectId === null || projectId === event.projectid;
  return isOfProject && isWantedEvent(eventTypes, event.type);
}

function deliveryOf({ _id: webhookId, organizationId }: WebhookDocument, event: CloudEvent, now: Date) {
  return {
    _id: deliveryIdOf(webhookId, event.id),
    organizationId,
    webhookId,
    eventId: event.id,
    eventType: event.type,
    body: JSON.stringify(event),
    status: 'pending',
    attempts: [],
    tries: 0,
    createdAt: now,
    updatedAt: now,
    nextAttemptAt: now,
  } satisfies DeliveryDocument;
}

/**
 * Stores the deliveries of each event, then calls `onDeliveries` with their webhooks. Deliveries publish no
 * events, so no delivery causes another.
 */
export function createDeliveryConsumer(
  { webhooks, deliveries, now }: Pick<Dependencies, 'webhooks' | 'deliveries' | 'now'>,
  onDeliveries: (webhooks: readonly WebhookDocument[]) => void,
) {
  return defineConsumer('audit-webhooks', async (event) => {
    const organizationId = event.organizationid;
    const enabled = await webhooks.listEnabled(organizationId);
    const wanting = enabled.filter((webhook) => isWantedBy(webhook, event));
    if (wanting.length === 0) return;
    const made = wanting.map((webhook) => deliveryOf(webhook, event, now()));
    await deliveries.insertAll(organizationId, made);
    onDeliveries(wanting);
  });
}
