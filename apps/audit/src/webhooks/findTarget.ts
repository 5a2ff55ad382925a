import { invalidField } from '@gatehouse/contract';
import { DestinationError, findDestination, type Destination } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { parseWebhookUrl, type WebhookTarget } from './logic/url.js';

/**
 * Resolves the allowed addresses for requests of a webhook. Without TLS, the operator must name the host: an
 * entry that allows every public host is not enough.
 *
 * @throws DestinationError
 */
export function findTarget(
  { config, resolve }: Pick<Dependencies, 'config' | 'resolve'>,
  { host, port, isSecure }: WebhookTarget,
): Promise<Destination> {
  const allowed = { setting: 'WEBHOOK_HOSTS', value: config.WEBHOOK_HOSTS, isNamedOnly: !isSecure } as const;
  return findDestination({ host, port }, allowed, resolve);
}

/** Parses the URL of a request. Throws INVALID_REQUEST, naming `url`, when it is invalid. */
export function readTarget(url: string): WebhookTarget {
  const target = parseWebhookUrl(url);
  if (typeof target === 'string') throw invalidField('url', target, 'format');
  return target;
}

/** Returns the normal form of a URL. Throws INVALID_REQUEST, naming `url`, when its host is not allowed. */
export async function requireTarget(
  dependencies: Pick<Dependencies, 'config' | 'resolve'>,
  url: string,
): Promise<string> {
  const target = readTarget(url);
  try {
    await findTarget(dependencies, target);
    return target.url;
  } catch (error) {
    if (error instanceof DestinationError) throw invalidField('url', error.message);
    throw error;
  }
}
