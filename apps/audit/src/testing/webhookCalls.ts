import type { CallOrigin } from '@gatehouse/service';
import { Webhook } from 'standardwebhooks';
import { adminOf, type WebhookPlatform } from './webhookPlatform.js';
import type { Received } from './webhookReceiver.js';

type WebhookFields = Parameters<WebhookPlatform['calls']['create']>[1];

/** An ADMIN's call. */
export function asAdmin(platform: WebhookPlatform, organizationId = 'o_1'): Promise<CallOrigin> {
  return platform.as(adminOf(organizationId));
}

/** A webhook of an organization, by default one for every event. */
export async function createWebhook(
  platform: WebhookPlatform,
  { url, ...fields }: Partial<WebhookFields> & { url: string },
  organizationId = 'o_1',
) {
  const input = { url, eventTypes: ['management.tenant.created.v1'], ...fields };
  return (await platform.calls.create(await asAdmin(platform, organizationId), input)).webhook;
}

/** What a request holds, by the public library of the scheme. Throws when the signature or the time is wrong. */
export function verify(secret: string, request: Received | undefined): unknown {
  return new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
}

/** What the library says of a request that it does not take. */
export function faultOf(secret: string, request: Received | undefined): string {
  try {
    verify(secret, request);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The signature that the library makes of a request, for one whose time it would not take. */
export function signatureOf(secret: string, request: Received | undefined): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = request?.headers ?? {};
  return new Webhook(secret).sign(String(id), new Date(Number(timestamp) * 1000), request?.body ?? '');
}
