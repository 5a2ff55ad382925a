import { invalidField } from '@gatehouse/contract';
import { DestinationError, findDestination, type Destination } from '@gatehouse/service';
import { parseWebhookUrl, type WebhookTarget } from '../logic/webhookUrl.js';
import type { Webhooks } from './webhookContext.js';

/**
 * The addresses that a webhook's requests may go to at this moment. Without TLS the operator has to name the host:
 * that every public one is allowed is not enough.
 *
 * @throws DestinationError
 */
export function findTarget(
  { config, resolve }: Pick<Webhooks, 'config' | 'resolve'>,
  { host, port, isSecure }: WebhookTarget,
): Promise<Destination> {
  const allowed = { setting: 'WEBHOOK_HOSTS', value: config.WEBHOOK_HOSTS, isNamedOnly: !isSecure } as const;
  return findDestination({ host, port }, allowed, resolve);
}

/** Throws INVALID_REQUEST, naming `url`, when no request may go there. */
export async function requireTarget(
  webhooks: Pick<Webhooks, 'config' | 'resolve'>,
  url: string,
): Promise<void> {
  const target = parseWebhookUrl(url);
  if (typeof target === 'string') throw invalidField('url', target);
  try {
    await findTarget(webhooks, target);
  } catch (error) {
    if (error instanceof DestinationError) throw invalidField('url', error.message);
    throw error;
  }
}
