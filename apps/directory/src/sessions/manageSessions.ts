import { AppError, isPerson, type PersonPrincipal, type Principal, type Session } from '@gatehouse/contract';
import { requireVersion, type CallContext } from '@gatehouse/service';
import { callOrigin, type Directory, type Input, type Output } from '../directory.js';
import { endSession } from './endSession.js';
import type { SessionFilter, SessionRecord } from './store.js';

/**
 * The sessions that a caller may see and revoke: an ADMIN those of the organization, a POWER_USER of a
 * tenant those of the tenant, and every other person its own. Throws FORBIDDEN for a caller that is none.
 */
function requireVisible(principal: Principal): SessionFilter {
  const person = requirePerson(principal);
  if (person.kind === 'orgUser' && person.role === 'ADMIN') return {};
  if (person.kind === 'tenantUser' && person.role === 'POWER_USER') return { tenantKey: person.tenantKey };
  return { userKey: person.userKey };
}

function requirePerson(principal: Principal): PersonPrincipal {
  if (principal.tokenType === 'project' && isPerson(principal)) return principal;
  throw new AppError('FORBIDDEN', { message: 'This needs a token that acts as a user' });
}

function isVisible({ userKey, tenantKey }: SessionFilter, session: SessionRecord): boolean {
  if (userKey !== undefined && session.userKey !== userKey) return false;
  return tenantKey === undefined || session.tenantKey === tenantKey;
}

function toSession(session: SessionRecord, current: string | undefined): Session {
  const { id, userId, tenantId, method, address, userAgent } = session;
  return {
    id,
    userId,
    userType: session.tenantKey === null ? 'organization' : 'tenant',
    tenantId,
    method,
    address,
    userAgent,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.idleUntil.toISOString(),
    isCurrent: id === current,
  };
}

export async function listSessions(
  { stores }: Directory,
  { userId, ...slice }: Input<'sessions', 'list'>,
  { principal, now }: CallContext,
): Promise<Output<'sessions', 'list'>> {
  const filter = { ...requireVisible(principal), userId };
  const { records, nextCursor } = await stores.sessions.list(principal.organizationId, filter, {
    ...slice,
    now,
  });
  return { sessions: records.map((session) => toSession(session, principal.sessionId)), nextCursor };
}

/** The versions in entity tags are not negative. */
const NO_VERSION = -1;

/** Throws NOT_FOUND for a session that the caller may not see, or that has ended, and PRECONDITION_FAILED. */
export async function revokeSession(
  directory: Directory,
  { id }: Input<'sessions', 'revoke'>,
  context: CallContext,
): Promise<Output<'sessions', 'revoke'>> {
  const { principal, now } = context;
  const visible = requireVisible(principal);
  const session = await directory.stores.sessions.find(principal.organizationId, id, now);
  if (!session || !isVisible(visible, session)) throw new AppError('NOT_FOUND');
  // A session has no version, so no entity tag names a current one.
  requireVersion(context, NO_VERSION);
  await endSession(directory, session, { reason: 'revoked', context, origin: callOrigin(context) });
  return { message: 'The session was revoked', deletedSession: { id, userId: session.userId } };
}
