import type { Principal, TokenClaims } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Directory, DirectoryHandlers, Input, Output } from '../directory.js';

/**
 * Resolves the current bearer of a verified token. Returns null for a token that is expired, revoked or
 * inconsistent.
 */
async function resolvePrincipal(
  directory: Directory,
  { claims }: Input<'principals', 'resolve'>,
  context: CallContext,
): Promise<Output<'principals', 'resolve'>> {
  if (claims.exp * 1000 <= context.now.getTime()) return { principal: null };
  const { stores } = directory;
  const [isRevoked, isSignedOut, project, principal] = await Promise.all([
    stores.revocations.has(claims.organizationId, claims.jti),
    isSessionEnded(directory, claims, context.now),
    stores.projects.findByKey(claims.organizationId, claims.projectId),
    findBearer(directory, claims),
  ]);
  return { principal: isRevoked || isSignedOut || !project ? null : principal };
}

/** Whether the token was issued for a session that has ended. */
async function isSessionEnded(
  { stores }: Directory,
  { organizationId, sessionId }: TokenClaims,
  now: Date,
): Promise<boolean> {
  return sessionId !== undefined && (await stores.sessions.find(organizationId, sessionId, now)) === null;
}

function baseOf(claims: TokenClaims) {
  const { organizationId, projectId, sessionId, dashboardId } = claims;
  const { semanticDomainAccess, securityParams, policies } = claims;
  return {
    tokenType: claims.type,
    tokenId: claims.jti,
    tokenExpiresAt: claims.exp,
    organizationId,
    projectId,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(dashboardId === undefined ? {} : { dashboardId }),
    ...(semanticDomainAccess === undefined ? {} : { semanticDomainAccess }),
    ...(securityParams === undefined ? {} : { securityParams }),
    ...(policies === undefined ? {} : { policies }),
  };
}

async function findBearer(directory: Directory, claims: TokenClaims): Promise<Principal | null> {
  const { type, sub, projectId, dashboardId, orgUserId, tenantUserId } = claims;
  if ((type === 'dashboard') !== (dashboardId !== undefined)) return null;
  if ((type === 'compiler') !== (claims.scope !== undefined)) return null;
  if (orgUserId !== undefined && tenantUserId !== undefined) return null;
  if (type === 'compiler') return sub === projectId ? { kind: type, ...baseOf(claims) } : null;
  if (orgUserId !== undefined) return findOrgUser(directory, claims);
  if (tenantUserId !== undefined) return findTenantUser(directory, claims);
  if (sub !== (dashboardId ?? projectId)) return null;
  return { kind: type === 'dashboard' ? 'anonymous' : 'service', ...baseOf(claims) };
}

async function findOrgUser({ stores }: Directory, claims: TokenClaims): Promise<Principal | null> {
  const { organizationId, sub: userKey, orgUserId: userId } = claims;
  const [user, groupIds] = await Promise.all([
    stores.orgUsers.findByKey(organizationId, userKey),
    stores.groupMembers.listGroupIds(organizationId, userKey),
  ]);
  if (!user || user.id !== userId || !user.isActive) return null;
  const { email, role } = user;
  return { kind: 'orgUser', ...baseOf(claims), userId, userKey, email, role, groupIds };
}

async function findTenantUser({ stores }: Directory, claims: TokenClaims): Promise<Principal | null> {
  const { organizationId, sub: userKey, tenantUserId: userId, tenantId = '' } = claims;
  const [user, tenant, groupIds] = await Promise.all([
    stores.tenantUsers.findByKey(organizationId, userKey),
    stores.tenants.find(organizationId, tenantId),
    stores.groupMembers.listGroupIds(organizationId, userKey),
  ]);
  if (!user || user.id !== userId || !user.isActive || user.tenantKey !== tenant?._id) return null;
  const { email, role, tenantKey } = user;
  return {
    kind: 'tenantUser',
    ...baseOf(claims),
    userId,
    userKey,
    email,
    role,
    groupIds,
    tenantId,
    tenantKey,
  };
}

export function createPrincipalProcedures(directory: Directory): DirectoryHandlers<'principals'> {
  return {
    principals: { resolve: (input, context) => resolvePrincipal(directory, input, context) },
  };
}
