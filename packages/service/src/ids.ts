import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ID_PREFIXES, type IdNoun } from '@gatehouse/contract';

/** A new identifier of a noun: its prefix and 96 random bits. */
export function newId(noun: IdNoun): string {
  return ID_PREFIXES[noun] + newKey();
}

/** 96 random bits in base64url: names a document for ever. */
export function newKey(): string {
  return randomBytes(12).toString('base64url');
}

/** A new secret of 256 random bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
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
