import { AuditEvent, type AuditHead } from '../records/audit.js';
import { canonicalJson } from './canonicalJson.js';

/** Gives the SHA-256 of a text in UTF-8, in hexadecimal. */
export type Digest = (text: string) => string;

/** A place in the log of an organization: the entry that the next one follows. */
export type ChainTip = Pick<AuditHead, 'sequence' | 'hash'>;

/** Where every log begins. */
export const CHAIN_START: ChainTip = { sequence: 0, hash: '0'.repeat(64) };

/** The hash that an entry has to have. */
export function hashOf(
  { hash: _hash, ...others }: Omit<AuditEvent, 'hash'> & { hash?: string },
  digest: Digest,
) {
  return digest(canonicalJson(others));
}

/**
 * The entry that a value is, with its data as it is: the schema alone would leave a field `__proto__` out of it, which the hash
 * counts. Null when it is none.
 */
export function readAuditEvent(value: unknown): AuditEvent | null {
  const entry = AuditEvent.safeParse(value);
  return entry.success ? { ...entry.data, data: (value as AuditEvent).data } : null;
}

/** What the seal on a head says. The organization is part of it, so that no head stands for another's. */
export function headText(organizationId: string, { sequence, hash }: ChainTip): string {
  return canonicalJson({ organizationId, sequence, hash });
}
