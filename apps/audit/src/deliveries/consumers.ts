import { createHash } from 'node:crypto';
import { ID_PREFIXES, isWantedEvent, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer } from '@gatehouse/service';
import type { Dependencies, WebhookDocument } from '../dependencies.js';
import { disableOverloaded } from '../webhooks/noteHealth.js';
import type { DeliveryDocument } from './documents.js';

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

function deliveryOf(
  { _id: webhookId, organizationId }: WebhookDocument,
  { event, body, now }: { event: CloudEvent; body: string; now: Date },
) {
  return {
    _id: deliveryIdOf(webhookId, event.id),
    organizationId,
    webhookId,
    eventId: event.id,
    eventType: event.type,
    body,
    status: 'pending',
    attempts: [],
    tries: 0,
    createdAt: now,
    updatedAt: now,
    nextAttemptAt: now,
  } satisfies DeliveryDocument;
}

type StoreDependencies = Pick<Dependencies, 'webhooks' | 'deliveries' | 'now'>;

/**
 * Stores the deliveries of an event and returns their webhooks. While waiting deliveries leave no room for
 * them, disables the webhook with the most waiting ones.
 */
async function storeDeliveries(
  dependencies: StoreDependencies,
  event: CloudEvent,
): Promise<readonly WebhookDocument[]> {
  const { webhooks, deliveries, now } = dependencies;
  const organizationId = event.organizationid;
  const body = JSON.stringify(event);
  for (;;) {
    const enabled = await webhooks.listEnabled(organizationId);
    const wanting = enabled.filter((webhook) => isWantedBy(webhook, event));
    const [first] = wanting;
    if (first === undefined) return [];
    const at = now();
    const made = wanting.map((webhook) => deliveryOf(webhook, { event, body, now: at }));
    if (await deliveries.insertAll(organizationId, made)) return wanting;
    const overloaded = (await deliveries.findMostWaiting(organizationId)) ?? first._id;
    await disableOverloaded(dependencies, organizationId, overloaded);
  }
}

/**
 * Stores the deliveries of each event, then calls `onDeliveries` with their webhooks. Deliveries publish no
 * events, so no delivery causes another.
 */
export function createDeliveryConsumer(
  dependencies: StoreDependencies,
  onDeliveries: (webhooks: readonly WebhookDocument[]) => void,
) {
  return defineConsumer('audit-webhooks', async (event) => {
    const wanting = await storeDeliveries(dependencies, event);
    if (wanting.length > 0) onDeliveries(wanting);
  });
}
