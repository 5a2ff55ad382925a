import type { AuditEvent, AuditHead, CloudEvent } from '@gatehouse/contract';
import { canonicalJson } from './canonicalJson.js';

/** Gives the SHA-256 of a text in UTF-8, in hexadecimal. */
export type Digest = (text: string) => string;

/** A place in the log of an organization: the entry that the next one follows. */
export type ChainTip = Pick<AuditHead, 'sequence' | 'hash'>;

/** Where every log begins. */
export const CHAIN_START: ChainTip = { sequence: 0, hash: '0'.repeat(64) };

const REFUSED_TYPE = 'management.request.refused.v1';

/** What the type of an event says beside itself. */
export function readType(type: string): Pick<AuditEvent, 'outcome' | 'resourceType'> {
  return { outcome: type === REFUSED_TYPE ? 'refused' : 'done', resourceType: type.split('.')[1] ?? '' };
}

/** The hash that an entry has to have. */
export function hashOf(
  { hash: _hash, ...others }: Omit<AuditEvent, 'hash'> & { hash?: string },
  digest: Digest,
) {
  return digest(canonicalJson(others));
}

/** What the seal on a head says. The organization is part of it, so that no head stands for another's. */
export function headText(organizationId: string, { sequence, hash }: ChainTip): string {
  return canonicalJson({ organizationId, sequence, hash });
}

/** The resource that an event is about. A refusal has a subject as every event, but perhaps no resource. */
function resourceIdOf({ type, subject, data }: CloudEvent): string | null {
  if (type !== REFUSED_TYPE) return subject;
  return typeof data['resourceId'] === 'string' ? data['resourceId'] : null;
}

function entryOf(event: CloudEvent): Omit<AuditEvent, 'sequence' | 'recordedAt' | 'previousHash' | 'hash'> {
  return {
    id: event.id,
    organizationId: event.organizationid,
    projectId: event.projectid ?? null,
    type: event.type,
    ...readType(event.type),
    resourceId: resourceIdOf(event),
    actorId: event.actorid ?? null,
    actorKind: event.actorkind ?? null,
    tokenId: event.tokenid ?? null,
    requestId: event.requestid ?? null,
    source: event.source,
    // Events may name a moment in several ways; entries are sorted by it.
    time: new Date(event.time).toISOString(),
    data: event.data,
  };
}

/** The entries by which a log goes on after `tip`, in the order of the events. All are of the same organization. */
export function chainEvents(
  tip: ChainTip,
  events: readonly CloudEvent[],
  { recordedAt, digest }: { recordedAt: string; digest: Digest },
): AuditEvent[] {
  let { sequence, hash: previousHash } = tip;
  return events.map((event) => {
    sequence += 1;
    const entry = { ...entryOf(event), sequence, recordedAt, previousHash };
    previousHash = hashOf(entry, digest);
    return { ...entry, hash: previousHash };
  });
}
