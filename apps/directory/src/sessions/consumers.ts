import { EVENT_CATALOGUE, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer } from '@gatehouse/service';
import { followUpOrigin, type Directory } from '../directory.js';
import { endSession, type EndReason } from './endSession.js';

/** Ends the sessions that a person had at the moment of an event. */
async function endSessionsOf(
  directory: Directory,
  event: CloudEvent,
  { key, reason }: { key: string; reason: EndReason },
): Promise<void> {
  const now = new Date();
  const sessions = await directory.stores.sessions.listOf(event.organizationid, key, now);
  const context = { requestId: event.requestid ?? event.id, now };
  for (const session of sessions) {
    // A person who was activated again may have signed in since.
    if (session.createdAt.getTime() > Date.parse(event.time)) continue;
    await endSession(directory, session, { reason, context, origin: followUpOrigin(event, now) });
  }
}

const DELETED = ['management.tenant_user.deleted.v1', 'management.org_user.deleted.v1'] as const;
const UPDATED = ['management.tenant_user.updated.v1', 'management.org_user.updated.v1'] as const;

/**
 * Ends the sessions of a person who was deactivated or deleted. Every request of
 * the person is rejected before that; after it, a second activation does not bring the sessions back.
 */
export function createSessionConsumer(directory: Directory) {
  return defineConsumer('directory-sessions', async (event) => {
    const deleted = DELETED.find((each) => each === event.type);
    if (deleted) {
      const { key } = EVENT_CATALOGUE[deleted].parse(event.data);
      await endSessionsOf(directory, event, { key, reason: 'deleted' });
      return directory.stores.identities.deleteOf(event.organizationid, key, new Date());
    }
    const updated = UPDATED.find((each) => each === event.type);
    if (!updated) return;
    const { key, changes } = EVENT_CATALOGUE[updated].parse(event.data);
    if (changes['isActive']?.to === false)
      await endSessionsOf(directory, event, { key, reason: 'deactivated' });
  });
}
