import { AppError } from '@gatehouse/contract';
import type { EventOrigin } from '@gatehouse/service';
import { expiredShares, type Share } from '../logic/shares.js';
import type { ResourceHeader } from '../store/resourceDocument.js';
import type { ResourceWrite } from '../store/resourceWrites.js';
import { changeResource } from './changeResource.js';
import { SERVICE, sharesEvent, takenOverEvent } from './resourceEvents.js';
import type { ResourceKind } from './resourceKind.js';

/** A user, tenant or group that was deleted. */
export interface Departure {
  organizationId: string;
  /** As shares and ownership name it. */
  subject: string;
  /** Who inherits what a deleted user owned. Null leaves it to an ADMIN who takes it over. */
  heir: { id: string; key: string } | null;
  requestId?: string | undefined;
}

function originOf(header: ResourceHeader, now: Date, requestId?: string): EventOrigin {
  const { organizationId, projectId } = header;
  return { service: SERVICE, organizationId, projectId, requestId, now };
}

interface Task {
  departure: Departure;
  now: Date;
}

/** What a departure leaves to do on a resource: null for nothing. */
function departureWrite(
  kind: ResourceKind,
  header: ResourceHeader,
  { departure, now }: Task,
): ResourceWrite | null {
  const { subject, heir } = departure;
  const origin = originOf(header, now, departure.requestId);
  const write: ResourceWrite = { change: {}, events: [] };
  const left = header.shares.filter((share) => share.subject === subject);
  if (left.length > 0) {
    write.change.shares = header.shares.filter((share) => share.subject !== subject);
    write.events.push(sharesEvent(kind, 'revoked', { resourceId: header._id, shares: left, origin }));
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

/** Changes one resource that was found; one that has been deleted since is left alone. */
async function tidyResource(
  kind: ResourceKind,
  { _id: id, projectId }: ResourceHeader,
  write: (header: ResourceHeader) => ResourceWrite | null,
): Promise<void> {
  try {
    await changeResource(kind, { projectId }, { id, decide: async (header) => write(header) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
  }
}

const BATCH = 100;

/**
 * Removes the shares of somebody who was deleted, and hands over what a deleted user owned. May be repeated: what is done
 * is not done again.
 */
export async function tidyAfterDeparture(kind: ResourceKind, departure: Departure, now: Date): Promise<void> {
  const { organizationId, subject } = departure;
  let afterId = '';
  for (;;) {
    const headers = await kind.store.findHeadersReachedBy(organizationId, subject, { afterId, limit: BATCH });
    for (const header of headers) {
      await tidyResource(kind, header, (current) => departureWrite(kind, current, { departure, now }));
    }
    const last = headers.at(-1);
    if (last === undefined || headers.length < BATCH) return;
    afterId = last._id;
  }
}

function expiryWrite(kind: ResourceKind, header: ResourceHeader, now: Date): ResourceWrite | null {
  const expired: Share[] = expiredShares(header.shares, now);
  if (expired.length === 0) return null;
  const gone = new Set(expired);
  const shares = header.shares.filter((share) => !gone.has(share));
  const origin = originOf(header, now);
  const event = sharesEvent(kind, 'expired', { resourceId: header._id, shares: expired, origin });
  return { change: { shares }, events: [event] };
}

/** Removes the shares that have expired. They grant nothing any more; this only forgets them. */
export async function sweepExpiredShares(kind: ResourceKind, now: Date): Promise<void> {
  for (;;) {
    const headers = await kind.store.platform.findExpired(now, BATCH);
    for (const header of headers)
      await tidyResource(kind, header, (current) => expiryWrite(kind, current, now));
    if (headers.length < BATCH) return;
  }
}
