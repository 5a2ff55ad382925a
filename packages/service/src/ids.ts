import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ID_PREFIXES, type IdNoun } from '@gatehouse/contract';

const KEY_BYTES = 12;
const SECRET_BYTES = 32;

/**
 * An operation that is run again when nobody knows how its first run ended. What is made of its key, which is as random and
 * as secret as a secret, is the same in each run: so the second one meets what the first one made.
 */
export interface Operation {
  key: string;
}

function newBytes(size: number, operation: Operation | undefined, purpose: string): Buffer {
  if (operation === undefined) return randomBytes(size);
  return createHmac('sha256', operation.key).update(purpose).digest().subarray(0, size);
}

/**
 * A new identifier of a noun: its prefix and 96 random bits. Where one operation makes several of a noun, `part` tells them
 * apart.
 */
export function newId(noun: IdNoun, operation?: Operation, part = ''): string {
  return ID_PREFIXES[noun] + newKey(operation, `${noun} ${part}`);
}

/** 96 random bits in base64url: names a document for ever. An operation makes one for each purpose. */
export function newKey(operation?: Operation, purpose = ''): string {
  return newBytes(KEY_BYTES, operation, `key ${purpose}`).toString('base64url');
}

/** A new secret of 256 random bits. An operation makes one for each purpose. */
export function newSecret(operation?: Operation, purpose = ''): string {
  return newBytes(SECRET_BYTES, operation, `secret ${purpose}`).toString('base64url');
}

/** How a secret is stored. It is random in full length, so one fast hash is enough: there is nothing to guess. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

const NO_SECRET_HASH = hashSecret('');

/** Compares in constant time; without a stored hash it does the same work and says no. */
export function isSecretOf(secret: string, storedHash: string | undefined): boolean {
  const isEqual = timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(storedHash ?? NO_SECRET_HASH));
  return isEqual && storedHash !== undefined;
}
