import type { SessionMethod } from '@gatehouse/contract';
import { createEvent, newId, type CallContext, type SealedField } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import type { TokenBearer } from '../tokens/tokenBearer.js';
import { endSession, originOfPerson, sessionState } from './endSession.js';
import type { ActivePerson } from './person.js';
import type { ProviderSession, SessionRecord } from './store.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The live sessions of one person. A further one ends the oldest. */
const SESSIONS_MAX = 50;

export const SEALED_SESSION_FIELDS: readonly SealedField[] = [
  { collection: 'sessions', path: ['sealedGrants'], contextOf: ({ _id }) => _id },
];

/** The restrictions that a sign-in code puts on its session. */
export type Grants = Pick<TokenBearer['claims'], 'semanticDomainAccess' | 'securityParams' | 'policies'>;

/** A session to create. */
export interface NewSession {
  signedIn: ActivePerson;
  method: SessionMethod;
  cookieHash: string;
  formerCookieHash?: string | undefined;
  provider?: ProviderSession;
  projectIds: string[] | null;
  /** Null if there are none. */
  grants: Grants | null;
  address: string;
  userAgent: string;
}

/** The end of a session that is used now, and is not used again. */
export function idleEnd(
  { config }: Pick<Directory, 'config'>,
  { endsAt }: Pick<SessionRecord, 'endsAt'>,
  now: Date,
): Date {
  const idleMs = config.SESSION_IDLE_MINUTES * MINUTE_MS;
  return new Date(Math.min(now.getTime() + idleMs, endsAt.getTime()));
}

/**
 * Stores a session under the hash of a new cookie. The session of the former cookie ends: a value that a
 * browser had before its sign-in is never valid after it.
 */
export async function createSession(
  directory: Directory,
  wanted: NewSession,
  context: CallContext,
): Promise<SessionRecord> {
  const { now } = context;
  const session = sessionOf(directory, wanted, now);
  const { organizationId, userKey } = session;
  const { sessions } = directory.stores;
  const origin = originOfPerson(session, context);
  const data = sessionState(session);
  await sessions.insert(organizationId, session, [
    createEvent('management.session.created.v1', session.id, { origin, data }),
  ]);
  const former = wanted.formerCookieHash && (await sessions.findByCookie(wanted.formerCookieHash, now));
  if (former) await endSession(directory, former, { reason: 'replaced', context });
  for (const oldest of (await sessions.listOf(organizationId, userKey, now)).slice(SESSIONS_MAX))
    await endSession(directory, oldest, { reason: 'replaced', context });
  return session;
}

function sessionOf(directory: Directory, wanted: NewSession, now: Date): SessionRecord {
  const { signedIn, method, provider, cookieHash, projectIds, grants, address, userAgent } = wanted;
  const { person, tenant } = signedIn;
  const endsAt = new Date(now.getTime() + directory.config.SESSION_HOURS * HOUR_MS);
  return {
    _id: cookieHash,
    id: newId('session'),
    organizationId: person.organizationId,
    userId: person.id,
    userKey: person._id,
    tenantId: tenant?.id ?? null,
    tenantKey: tenant?._id ?? null,
    method,
    ...(provider === undefined ? {} : { provider }),
    projectIds,
    ...(grants === null ? {} : { sealedGrants: directory.sealer.seal(JSON.stringify(grants), cookieHash) }),
    address,
    userAgent,
    createdAt: now,
    lastUsedAt: now,
    idleUntil: idleEnd(directory, { endsAt }, now),
    endsAt,
  };
}
