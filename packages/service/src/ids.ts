import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ID_PREFIXES, type IdNoun } from '@gatehouse/contract';

const KEY_BYTES = 12;
const SECRET_BYTES = 32;

/**
 * An operation that is repeated when the outcome of its first run is unknown. Ids and secrets are derived
 * from its key, so that each run produces the same ones and finds what an earlier run has written. The key is
 * as random and as secret as a secret.
 */
export interface Operation {
  key: string;
}

function newBytes(size: number, operation: Operation | undefined, purpose: string): Buffer {
  if (operation === undefined) return randomBytes(size);
  return createHmac('sha256', operation.key).update(purpose).digest().subarray(0, size);
}

/**
 * Creates an identifier of a noun: its prefix and 96 random bits. `part` distinguishes several ids of one
 * noun in one operation.
 */
export function newId(noun: IdNoun, operation?: Operation, part = ''): string {
  return ID_PREFIXES[noun] + newKey(operation, `${noun} ${part}`);
}

/** Creates a unique key of 96 random bits in base64url. An operation derives one key for each purpose. */
export function newKey(operation?: Operation, purpose = ''): string {
  return newBytes(KEY_BYTES, operation, `key ${purpose}`).toString('base64url');
}

/** Creates a secret of 256 random bits. An operation derives one secret for each purpose. */
export function newSecret(operation?: Operation, purpose = ''): string {
  return newBytes(SECRET_BYTES, operation, `secret ${purpose}`).toString('base64url');
}

/**
 * Hashes a secret for storage. One fast hash is enough, because the secret is random and cannot be guessed.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** More rotations than a record has in the life of an idempotency key. */
const REPEATABLE_MAX = 20;

/**
 * Adds the hash of a secret that a repeatable operation sets to those of earlier operations. A late
 * repetition finds it there, and does not bring back a secret that was replaced since.
 */
export function withRepeatable(earlier: readonly string[] = [], secretHash: string): string[] {
  return [...earlier, secretHash].slice(-REPEATABLE_MAX);
}

const NO_SECRET_HASH = hashSecret('');

/** Compares in constant time. Without a stored hash it does the same work and returns false. */
export function isSecretOf(secret: string, storedHash: string | undefined): boolean {
  const isEqual = timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(storedHash ?? NO_SECRET_HASH));
  return isEqual && storedHash !== undefined;
}
