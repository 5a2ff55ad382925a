import { createHash } from 'node:crypto';
import { ID_PREFIXES, isWantedEvent, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer, SubjectLanes } from '@gatehouse/service';
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

type Insert = (organizationId: string, made: readonly DeliveryDocument[]) => Promise<boolean>;

/** Inserts the deliveries of an event. Returns their webhooks, and whether there was room for them. */
async function insertDeliveries(
  { webhooks, now }: StoreDependencies,
  event: CloudEvent,
  insert: Insert,
): Promise<{ wanting: readonly WebhookDocument[]; isStored: boolean }> {
  const enabled = await webhooks.listEnabled(event.organizationid);
  const wanting = enabled.filter((webhook) => isWantedBy(webhook, event));
  if (wanting.length === 0) return { wanting, isStored: true };
  const given = { event, body: JSON.stringify(event), now: now() };
  const made = wanting.map((webhook) => deliveryOf(webhook, given));
  return { wanting, isStored: await insert(event.organizationid, made) };
}

/**
 * Makes room for the deliveries of an event, and stores them. While waiting deliveries leave no room,
 * disables the webhook with the most waiting ones.
 */
async function storeWithRoom(
  dependencies: StoreDependencies,
  event: CloudEvent,
): Promise<readonly WebhookDocument[]> {
  const { deliveries } = dependencies;
  const organizationId = event.organizationid;
  for (;;) {
    const { wanting, isStored } = await insertDeliveries(dependencies, event, (...made) =>
      deliveries.insertWithRoom(...made),
    );
    const [first] = wanting;
    if (isStored || first === undefined) return wanting;
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
  const { deliveries } = dependencies;
  // Two events that make room together would disable two webhooks.
  const organizations = new SubjectLanes();
  const store = async (event: CloudEvent) => {
    const { wanting, isStored } = await insertDeliveries(dependencies, event, (...made) =>
      deliveries.insertAll(...made),
    );
    if (isStored) return wanting;
    return organizations.run(event.organizationid, () => storeWithRoom(dependencies, event));
  };
  return defineConsumer('audit-webhooks', async (event) => {
    const wanting = await store(event);
    if (wanting.length > 0) onDeliveries(wanting);
  });
}
