import type { MappedPerson, SignInRejection } from '@gatehouse/contract';
import { createEvent, type CallContext, type EventOrigin } from '@gatehouse/service';
import { systemOrigin, type Directory, type Input, type Output } from '../directory.js';
import { applyClaims } from '../identities/applyClaims.js';
import { findSubject } from '../identities/findSubject.js';
import type { Person } from '../people/findPeople.js';
import { createSession } from './createSession.js';
import { endSession } from './endSession.js';
import { findActivePerson, type ActivePerson } from './person.js';

type ProviderSignIn = Input<'sessions', 'createFromProvider'>;

/** Creates a session for the person whom a provider has authenticated, or returns why it does not. */
export async function signInWithProvider(
  directory: Directory,
  input: ProviderSignIn,
  context: CallContext,
): Promise<Output<'sessions', 'createFromProvider'>> {
  const { organizationId } = input.person;
  const origin = systemOrigin(context, organizationId);
  const subject = await findSubject(directory, input, origin);
  if (typeof subject === 'string')
    return reject(directory, input, { reason: subject, userId: null, context });
  const { found } = subject;
  const signedIn = await prepare(directory, { found, mapped: input.person }, { origin, log: context.log });
  if (typeof signedIn === 'string')
    return reject(directory, input, { reason: signedIn, userId: found.id, context });
  const { id } = await createSession(directory, sessionOf(input, signedIn), context);
  return { outcome: 'signedIn', id };
}

/** Applies the claims to an active person, and returns the person as it is then. */
async function prepare(
  directory: Directory,
  { found, mapped }: { found: Person; mapped: MappedPerson },
  by: { origin: EventOrigin; log: CallContext['log'] },
): Promise<ActivePerson | SignInRejection> {
  if (!found.isActive) return 'USER_INACTIVE';
  const rejection = await applyClaims(directory, { found, mapped }, by);
  if (rejection !== null) return rejection;
  const tenantKey = 'tenantKey' in found ? found.tenantKey : null;
  const key = { userKey: found._id, tenantKey };
  return (await findActivePerson(directory, mapped.organizationId, key)) ?? 'USER_INACTIVE';
}

function sessionOf(input: ProviderSignIn, signedIn: ActivePerson) {
  const { issuer, subject, providerSession, cookieHash, formerCookieHash, address, userAgent } = input;
  const provider = {
    issuer,
    subject,
    ...(providerSession === undefined ? {} : { session: providerSession }),
  };
  const { projectIds } = input.person;
  const client = { cookieHash, formerCookieHash, address, userAgent };
  return { ...client, signedIn, method: 'oidc' as const, provider, projectIds, grants: null };
}

async function reject(
  directory: Directory,
  { person, address, userAgent }: ProviderSignIn,
  { reason, userId, context }: { reason: SignInRejection; userId: string | null; context: CallContext },
): Promise<Output<'sessions', 'createFromProvider'>> {
  await storeFailure(
    directory,
    { organizationId: person.organizationId, reason, userId, address, userAgent },
    context,
  );
  return { outcome: 'rejected', reason };
}

/** Reports a sign-in that failed before a person was found. */
export async function reportFailure(
  directory: Directory,
  input: Input<'sessions', 'reportFailure'>,
  context: CallContext,
): Promise<Output<'sessions', 'reportFailure'>> {
  await storeFailure(directory, { ...input, userId: null }, context);
  return {};
}

async function storeFailure(
  { stores }: Directory,
  { organizationId, ...failure }: Input<'sessions', 'reportFailure'> & { userId: string | null },
  context: CallContext,
): Promise<void> {
  const origin = systemOrigin(context, organizationId);
  const data = { ...failure, method: 'oidc' as const };
  const event = createEvent('management.sign_in.failed.v1', failure.userId ?? organizationId, {
    origin,
    data,
  });
  await stores.failedSignIns.insert(organizationId, event, context.now);
}

/**
 * Ends the sessions that a logout token of a provider names. A token that was accepted before ends none: a
 * person who has signed in since stays signed in.
 */
export async function endByProvider(
  directory: Directory,
  { issuer, subject, providerSession, tokenId, expiresAt }: Input<'sessions', 'endByProvider'>,
  context: CallContext,
): Promise<Output<'sessions', 'endByProvider'>> {
  const { sessions, logoutTokens } = directory.stores;
  if (await logoutTokens.has(issuer, tokenId)) return { isNew: false, organizationIds: [] };
  const wanted = {
    issuer,
    ...(subject === undefined ? {} : { subject }),
    ...(providerSession === undefined ? {} : { session: providerSession }),
  };
  const found =
    subject === undefined && providerSession === undefined
      ? []
      : await sessions.listOfProvider(wanted, context.now);
  for (const session of found)
    await endSession(directory, session, { reason: 'logged_out_by_provider', context });
  // Last, so that the provider repeats a call that failed.
  await logoutTokens.insert({ issuer, tokenId, expiresAt: new Date(expiresAt) });
  return { isNew: true, organizationIds: [...new Set(found.map(({ organizationId }) => organizationId))] };
}
