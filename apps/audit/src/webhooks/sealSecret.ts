import { newSecret, type Operation, type SealedField } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import { secretsInForce } from './logic/secrets.js';
import type { WebhookDocument } from './store.js';

type Place = Pick<WebhookDocument, '_id' | 'organizationId'>;

/** Binds a sealed secret to its webhook, so that it opens for no other. */
const sealingContext = ({ _id, organizationId }: Place) => `webhook secret ${organizationId} ${_id}`;

export const SEALED_FIELDS: readonly SealedField[] = [
  ['sealedSecret'],
  ['formerSecrets', 'sealedSecret'],
].map((path) => ({ collection: 'webhooks', path, contextOf: (webhook) => sealingContext(webhook as Place) }));

const PREFIX = 'whsec_';

/** A new secret of 32 random bytes, in the format of Standard Webhooks. */
export function generateSecret(operation: Operation | undefined): string {
  return PREFIX + Buffer.from(newSecret(operation, 'webhook'), 'base64url').toString('base64');
}

/** The signing key of a secret. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

export function sealSecret({ sealer }: Pick<Dependencies, 'sealer'>, place: Place, secret: string): string {
  return sealer.seal(secret, sealingContext(place));
}

/** All secrets that sign, the current one first. Throws when a sealing key is no longer configured. */
export function openSecrets(
  { sealer }: Pick<Dependencies, 'sealer'>,
  webhook: WebhookDocument,
  now: Date,
): string[] {
  return secretsInForce(webhook, now).map((sealed) => sealer.open(sealed, sealingContext(webhook)));
}
