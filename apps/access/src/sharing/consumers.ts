import { access, EVENT_CATALOGUE, type CloudEvent, type ConsumedEvent } from '@gatehouse/contract';
import { defineConsumer } from '@gatehouse/service';
import { groupKey } from '../decisions/logic/access.js';
import { changeIfPresent } from '../resources/changeResource.js';
import { takenOverEvent } from '../resources/events.js';
import type { ResourceHeader, ResourceKind, ResourceKinds, ResourceWrite } from '../resources/kind.js';
import { sharesEvent } from './grantShares.js';

/** A deleted user, tenant or group. */
interface Deletion {
  organizationId: string;
  /** As stored in shares and ownership. */
  subject: string;
  /** The user who inherits the resources of a deleted user. Null: an ADMIN must take ownership of them. */
  heir: { id: string; key: string } | null;
  requestId?: string | undefined;
}

type DeletedSubject = Pick<Deletion, 'subject' | 'heir'>;

/** The events that require a clean-up, and the deleted subject of each. */
const DELETIONS: Record<ConsumedEvent<'access-tidy'>, (data: unknown) => DeletedSubject> = {
  'management.tenant_user.deleted.v1': (data) => {
    const { key, heir } = EVENT_CATALOGUE['management.tenant_user.deleted.v1'].parse(data);
    return { subject: key, heir };
  },
  'management.org_user.deleted.v1': (data) => {
    const { key } = EVENT_CATALOGUE['management.org_user.deleted.v1'].parse(data);
    return { subject: key, heir: null };
  },
  'management.group.deleted.v1': (data) => {
    const { id } = EVENT_CATALOGUE['management.group.deleted.v1'].parse(data);
    return { subject: groupKey(id), heir: null };
  },
  'management.tenant.deleted.v1': (data) => {
    const { key } = EVENT_CATALOGUE['management.tenant.deleted.v1'].parse(data);
    return { subject: key, heir: null };
  },
};

function deletionOf({ type, data, organizationid, requestid }: CloudEvent): Deletion | null {
  if (!Object.hasOwn(DELETIONS, type)) return null;
  const deleted = DELETIONS[type as keyof typeof DELETIONS](data);
  return { ...deleted, organizationId: organizationid, requestId: requestid };
}

/** Returns the write that removes the deleted subject from a resource; null if there is nothing to write. */
function cleanupWrite(
  kind: ResourceKind,
  header: ResourceHeader,
  { deletion, now }: { deletion: Deletion; now: Date },
): ResourceWrite | null {
  const { subject, heir, requestId } = deletion;
  const { organizationId, projectId } = header;
  const origin = { service: access.name, organizationId, projectId, requestId, now };
  const write: ResourceWrite = { change: {}, events: [] };
  const revoked = header.shares.filter((share) => share.subject === subject);
  if (revoked.length > 0) {
    write.change.shares = header.shares.filter((share) => share.subject !== subject);
    write.events.push(sharesEvent(kind, 'revoked', { resourceId: header._id, shares: revoked, origin }));
  }
  if (heir !== null && header.ownerKey === subject) {
    const inherited = { ownerId: heir.id, ownerKey: heir.key, version: header.version + 1, updatedAt: now };
    write.change = { ...write.change, ...inherited };
    write.events.push(
      takenOverEvent(kind, header.ownerId, { resource: { ...header, ...inherited }, origin }),
    );
  }
  return write.events.length === 0 ? null : write;
}

const BATCH = 20;

/** Removes the shares of a deleted subject and transfers the resources of a deleted user. Idempotent. */
async function cleanUpAfter(kind: ResourceKind, deletion: Deletion, now: Date): Promise<void> {
  const { organizationId, subject } = deletion;
  const cleanup = {
    needed: { subjects: [subject] },
    decide: (current: ResourceHeader) => cleanupWrite(kind, current, { deletion, now }),
  };
  let after = '';
  for (;;) {
    const headers = await kind.store.findHeadersReachedBy(organizationId, subject, { after, limit: BATCH });
    for (const header of headers) await changeIfPresent(kind, header, cleanup);
    const last = headers.at(-1);
    if (last === undefined || headers.length < BATCH) return;
    after = last._id;
  }
}

/**
 * Cleans up after deleted users, groups and tenants. Access decisions do not depend on it: keys are never
 * reassigned, so a share with a deleted subject reaches no user.
 */
export function createCleanupConsumer({ dashboards, visuals }: ResourceKinds) {
  return defineConsumer('access-tidy', async (event) => {
    const deletion = deletionOf(event);
    if (deletion === null) return;
    const now = new Date();
    await cleanUpAfter(dashboards, deletion, now);
    await cleanUpAfter(visuals, deletion, now);
  });
}
