import { hashOf, type AuditEvent, type ChainTip, type CloudEvent, type Digest } from '@gatehouse/contract';

const REFUSED_TYPE = 'management.request.refused.v1';

/** The fields of an entry that follow from its type. */
export function readType(type: string): Pick<AuditEvent, 'outcome' | 'resourceType'> {
  return { outcome: type === REFUSED_TYPE ? 'refused' : 'done', resourceType: type.split('.')[1] ?? '' };
}

/** The resource of an event. The event of a rejected request has a subject, but may have no resource. */
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
    // Normalized: events may write a time in several ways, and entries are sorted by it.
    time: new Date(event.time).toISOString(),
    data: event.data,
  };
}

/**
 * The entries that continue a log after `tip`, in the order of the events. All belong to one organization.
 */
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
