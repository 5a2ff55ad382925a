import { z } from 'zod';
import { ActorKind } from '../events.js';
import { Id, JsonObject, Timestamp } from '../vocabulary.js';

/** Whether the operation of an entry was done, or rejected. */
export const AuditOutcome = z.enum(['done', 'refused']);
export type AuditOutcome = z.infer<typeof AuditOutcome>;

/** SHA-256 in hexadecimal. */
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One entry of an organization's audit log: an event as it was recorded. */
export const AuditEvent = z.object({
  /** The id of the event. */
  id: z.string(),
  /** The entry's place in the log of its organization, from 1. */
  sequence: z.number().int(),
  organizationId: Id,
  projectId: Id.nullable(),
  type: z.string(),
  outcome: AuditOutcome,
  /** The noun of the type, as `dashboard_share`. */
  resourceType: z.string(),
  /** Null if a rejected request named no resource. */
  resourceId: z.string().nullable(),
  /**
   * The user, or the service identity, whose request was done or rejected; null if the platform acted by
   * itself.
   */
  actorId: z.string().nullable(),
  actorKind: ActorKind.nullable(),
  /** The `jti` of the access token. */
  tokenId: z.string().nullable(),
  requestId: z.string().nullable(),
  /** The part of the platform that published it, as `/gatehouse/access`. */
  source: z.string(),
  /** When it happened. */
  time: Timestamp,
  /** When it was added to the log. */
  recordedAt: Timestamp,
  /** The data of the event: for a change, the changed fields. */
  data: JsonObject,
  /** The hash of the entry before; 64 zeros in the first. */
  previousHash: Hash,
  /** SHA-256 of the entry without this field, as canonical JSON (RFC 8785). */
  hash: Hash,
});
export type AuditEvent = z.infer<typeof AuditEvent>;

/**
 * The end of an organization's log. The seal can be created and verified only with the keys of the
 * installation.
 */
export const AuditHead = z.object({ sequence: z.number().int(), hash: Hash, seal: z.string() });
export type AuditHead = z.infer<typeof AuditHead>;
