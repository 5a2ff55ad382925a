import { AppError } from '@gatehouse/contract';
import { createEvent, findAppError, hashSecret, type CallContext } from '@gatehouse/service';
import { systemOrigin, type Directory, type Input, type Output } from '../directory.js';
import { takeSignInCode } from '../tokens/signInCodes.js';
import type { TokenBearer } from '../tokens/tokenBearer.js';
import { createSession, type Grants } from './createSession.js';
import { findActivePerson } from './person.js';

type CodeSignIn = Input<'sessions', 'createFromCode'>;

/**
 * Exchanges a sign-in code for a session.
 *
 * @throws UNAUTHENTICATED for a code that is unknown, used or expired, and for a person who is not active
 */
export async function signInWithCode(
  directory: Directory,
  input: CodeSignIn,
  context: CallContext,
): Promise<Output<'sessions', 'createFromCode'>> {
  const { signInCode, reportsFailure: _, ...client } = input;
  const { claims } = await takeSignInCode(directory, signInCode, context).catch(async (error: unknown) => {
    if (findAppError(error)?.code === 'UNAUTHENTICATED') await reportFailure(directory, input, context);
    throw error;
  });
  const signedIn = await findSignedIn(directory, claims);
  if (!signedIn) {
    await reportFailure(directory, { ...input, reason: 'USER_INACTIVE' }, context);
    throw new AppError('UNAUTHENTICATED', { message: 'The sign-in code is invalid, used or expired' });
  }
  const grants = grantsOf(claims);
  const isOrgUser = signedIn.tenant === null;
  // A code is of one project. A session reaches the others only where its person can get to them anyway.
  const projectIds = isOrgUser && grants === null ? null : [claims.projectId];
  const { id, organizationId, idleUntil } = await createSession(
    directory,
    { ...client, signedIn, method: 'code', projectIds, grants },
    context,
  );
  return { id, organizationId, expiresAt: idleUntil.toISOString() };
}

async function findSignedIn(directory: Directory, claims: TokenBearer['claims']) {
  const { organizationId, sub: userKey, tenantId } = claims;
  if (tenantId === undefined)
    return findActivePerson(directory, organizationId, { userKey, tenantKey: null });
  const tenant = await directory.stores.tenants.find(organizationId, tenantId);
  return tenant && findActivePerson(directory, organizationId, { userKey, tenantKey: tenant._id });
}

function grantsOf(claims: TokenBearer['claims']): Grants | null {
  const { semanticDomainAccess, securityParams, policies } = claims;
  const grants = Object.entries({ semanticDomainAccess, securityParams, policies });
  const given = grants.filter(([, grant]) => grant !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Reports a failure with a code that exists, if wanted. An unknown code belongs to no organization. */
async function reportFailure(
  { stores }: Directory,
  { signInCode, reportsFailure, address, userAgent, reason: known }: CodeSignIn & { reason?: string },
  context: CallContext,
): Promise<void> {
  if (!reportsFailure) return;
  const code = await stores.signInCodes.findSpent(hashSecret(signInCode));
  if (!code) return;
  const { organizationId, projectId, userId, usedAt, expiresAt } = code;
  const isExpired = expiresAt.getTime() <= context.now.getTime();
  const spent = usedAt === undefined || isExpired ? 'CODE_EXPIRED' : 'CODE_USED';
  const reason = known ?? spent;
  const origin = systemOrigin(context, organizationId, projectId);
  const data = { reason, userId, method: 'code' as const, address, userAgent };
  const event = createEvent('management.sign_in.failed.v1', userId, { origin, data });
  await stores.failedSignIns.insert(organizationId, event, context.now);
}
