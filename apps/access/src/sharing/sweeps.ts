import { access, type CloudEvent } from '@gatehouse/contract';
import { isExpired } from '../decisions/logic/access.js';
import { changeIfPresent } from '../resources/changeResource.js';
import type { ResourceHeader, ResourceKind, ResourceWrite } from '../resources/kind.js';
import { sharesEvent } from './grantShares.js';

const BATCH = 10;
/** The most shares of one event: those of one grant. An event of all shares may be too large to publish. */
const SHARES_PER_EVENT = 500;

function expiryWrite(kind: ResourceKind, header: ResourceHeader, now: Date): ResourceWrite | null {
  const { organizationId, projectId } = header;
  const expired = header.shares.filter((share) => isExpired(share, now));
  if (expired.length === 0) return null;
  const removed = new Set(expired);
  const shares = header.shares.filter((share) => !removed.has(share));
  const origin = { service: access.name, organizationId, projectId, now };
  const events: CloudEvent[] = [];
  for (let first = 0; first < expired.length; first += SHARES_PER_EVENT) {
    const some = expired.slice(first, first + SHARES_PER_EVENT);
    events.push(sharesEvent(kind, 'expired', { resourceId: header._id, shares: some, origin }));
  }
  return { change: { shares }, events };
}

/** Removes expired shares. They already grant nothing; the sweep only deletes them. */
export async function sweepExpiredShares(kind: ResourceKind, now: Date): Promise<void> {
  for (;;) {
    const places = await kind.store.platform.findExpired(now, BATCH);
    const decide = (current: ResourceHeader) => expiryWrite(kind, current, now);
    for (const place of places) await changeIfPresent(kind, place, { decide });
    if (places.length < BATCH) return;
  }
}
