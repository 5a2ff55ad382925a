import type { Client } from '@gatehouse/client';
import { LOOPBACK } from './demo.js';

const DESCRIPTION = 'Receiver of the demo organization';
const urlOf = (port: number) => `http://${LOOPBACK}:${port}/gatehouse`;

async function findWebhook(admin: Client) {
  const { webhooks } = await admin.listWebhooks();
  return webhooks.find(({ description }) => description === DESCRIPTION);
}

/** Creates the webhook unless it exists. */
export async function loadWebhook(admin: Client, port: number): Promise<void> {
  if ((await findWebhook(admin)) !== undefined) return;
  const eventTypes = ['management.dashboard.*.v1', 'management.policy_definition.*.v1'];
  await admin.createWebhook({ url: urlOf(port), description: DESCRIPTION, eventTypes });
}

/** Lets the webhook follow the port of its receiver. */
export async function moveWebhook(admin: Client, port: number): Promise<void> {
  const present = await findWebhook(admin);
  if (present === undefined || present.url === urlOf(port)) return;
  await admin.updateWebhook({ id: present.id, url: urlOf(port) });
}
