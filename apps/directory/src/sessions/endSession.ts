import { directory as contract, type EventData } from '@gatehouse/contract';
import { createEvent, type EventOrigin } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import type { SessionRecord } from './store.js';

/** Why a session ends before its time. */
export type EndReason = EventData<'management.session.ended.v1'>['reason'];

/** Ends a session, by default as its person; false if it has ended before. */
export function endSession(
  { stores }: Pick<Directory, 'stores'>,
  session: SessionRecord,
  by: { reason: EndReason; context: { requestId: string; now: Date }; origin?: EventOrigin },
): Promise<boolean> {
  const { reason, context, origin = originOfPerson(session, context) } = by;
  const data = { ...sessionState(session), reason };
  const events = [createEvent('management.session.ended.v1', session.id, { origin, data })];
  return stores.sessions.end(session.organizationId, session._id, { now: context.now, events });
}

/** The origin of events of which the person itself is the actor. */
export function originOfPerson(
  { userId, tenantKey, organizationId }: Pick<SessionRecord, 'userId' | 'tenantKey' | 'organizationId'>,
  { requestId, now }: { requestId: string; now: Date },
): EventOrigin {
  const actorKind = tenantKey === null ? 'orgUser' : 'tenantUser';
  return { service: contract.name, organizationId, requestId, actorId: userId, actorKind, now };
}

/** The data of a session in events. */
export function sessionState(session: SessionRecord) {
  const { id, userId, userKey, tenantId, method, address, userAgent } = session;
  return { id, userId, userKey, tenantId, method, address, userAgent };
}
