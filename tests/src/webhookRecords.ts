import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook, WebhookDelivery } from '@gatehouse/contract';
import { succeeded, type Session } from './api.js';
import type { Settings } from './servers.js';

/** Nothing listens there: what is sent to it fails at once. */
export const DEAF_URL = 'http://127.0.0.1:9/hook';

/** So that webhooks may be sent to loopback, and what fails there does so for good at once. */
export const WEBHOOK_SETTINGS: Settings = {
  WEBHOOK_HOSTS: '127.0.0.1',
  WEBHOOK_RETRY_SECONDS: '0',
  WEBHOOK_POLL_MS: '50',
};

/** A webhook, by default one that hears of nothing but new secrets. */
export async function createWebhook(
  admin: Session,
  fields: Partial<Webhook> = {},
): Promise<Webhook & { secret: string }> {
  const body = { url: DEAF_URL, eventTypes: ['management.webhook_secret.rotated.v1'], ...fields };
  return succeeded(await admin.post<{ webhook: Webhook & { secret: string } }>('/webhooks', body)).webhook;
}

/** The deliveries of a webhook, once there are so many and none of them is on its way. */
async function readDeliveries(admin: Session, id: string, count: number): Promise<WebhookDelivery[]> {
  const path = `/webhooks/${id}/deliveries`;
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 50) {
    const { deliveries } = succeeded(await admin.get<{ deliveries: WebhookDelivery[] }>(path));
    if (deliveries.length >= count && deliveries.every(({ status }) => status !== 'pending'))
      return deliveries;
    await sleep(50);
  }
  throw new Error(`The deliveries of ${id} do not come to an end`);
}

/** A webhook, and the delivery of its own event, which has failed. */
export async function createFailedDelivery(admin: Session): Promise<{ id: string; deliveryId: string }> {
  const { id } = await createWebhook(admin);
  succeeded(await admin.post(`/webhooks/${id}/rotate-secret`));
  const [delivery] = await readDeliveries(admin, id, 1);
  return { id, deliveryId: delivery?.id ?? '' };
}
