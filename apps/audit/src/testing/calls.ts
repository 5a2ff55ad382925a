import type { CallOrigin } from '@gatehouse/service';
import { Webhook } from 'standardwebhooks';
import { adminOf, type WebhookPlatform } from './platform.js';
import type { Received } from './receiver.js';

type WebhookFields = Parameters<WebhookPlatform['calls']['create']['mutate']>[0];

/** The origin of an ADMIN's call. */
export function asAdmin(platform: WebhookPlatform, organizationId = 'o_1'): Promise<CallOrigin> {
  return platform.as(adminOf(organizationId));
}

/** Creates a webhook of an organization, by default for created tenants. */
export async function createWebhook(
  platform: WebhookPlatform,
  { url, ...fields }: Partial<WebhookFields> & { url: string },
  organizationId = 'o_1',
) {
  const input = { url, eventTypes: ['management.tenant.created.v1'], ...fields };
  return (await platform.calls.create.mutate(input, { context: await asAdmin(platform, organizationId) }))
    .webhook;
}

/**
 * The payload of a request, verified by the public library. Throws when the signature or the time is wrong.
 */
export function verify(secret: string, request: Received | undefined): unknown {
  return new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
}

/** The library's error for a request, or 'none'. */
export function faultOf(secret: string, request: Received | undefined): string {
  try {
    verify(secret, request);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The library's signature of a request, for requests with a time that it would reject. */
export function signatureOf(secret: string, request: Received | undefined): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = request?.headers ?? {};
  return new Webhook(secret).sign(String(id), new Date(Number(timestamp) * 1000), request?.body ?? '');
}
