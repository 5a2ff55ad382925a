import { AuditEvent, type AuditHead } from '../records/audit.js';
import { canonicalJson } from './canonicalJson.js';

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export type Digest = (text: string) => string;

/** A place in the log of an organization: the entry that the next one follows. */
export type ChainTip = Pick<AuditHead, 'sequence' | 'hash'>;

/** The start of every log. */
export const CHAIN_START: ChainTip = { sequence: 0, hash: '0'.repeat(64) };

/** The expected hash of the entry. */
export function hashOf(
  { hash: _hash, ...others }: Omit<AuditEvent, 'hash'> & { hash?: string },
  digest: Digest,
) {
  return digest(canonicalJson(others));
}

/**
 * Parses an entry, with its data unchanged: the schema alone would drop a field `__proto__`, which the hash
 * covers. Null if the value is not an entry.
 */
export function readAuditEvent(value: unknown): AuditEvent | null {
  const entry = AuditEvent.safeParse(value);
  return entry.success ? { ...entry.data, data: (value as AuditEvent).data } : null;
}

/**
 * The signed content of the seal on a head. It includes the organization, so that a head is not valid for
 * another one.
 */
export function headText(organizationId: string, { sequence, hash }: ChainTip): string {
  return canonicalJson({ organizationId, sequence, hash });
}
