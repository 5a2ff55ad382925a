import { createHmac } from 'node:crypto';
import { keyOf } from './webhookSecrets.js';

/** What is sent, each time with another signature. */
export interface Message {
  /** The id of the event: the same at each attempt. */
  id: string;
  body: string;
}

/**
 * The headers by which a receiver knows a message to be ours and fresh, as Standard Webhooks has them
 * (https://www.standardwebhooks.com): one signature for each secret, HMAC-SHA256 of `id.timestamp.body`.
 */
export function signMessage({ id, body }: Message, secrets: readonly string[], now: Date) {
  const timestamp = Math.floor(now.getTime() / 1000).toString();
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
