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

/**
 * Reads a user and its groups as they were at one moment. A user who leaves a group and then gets a higher
 * role never has both.
 */
async function readMember<User extends { _id: string; organizationId: string; version: number }>(
  { stores }: Directory,
  findUser: () => Promise<User | null>,
): Promise<{ user: User; groupIds: string[] } | null> {
  for (let user = await findUser(); user !== null;) {
    const groupIds = await stores.groupMembers.listGroupIds(user.organizationId, user._id);
    const after = await findUser();
    if (after?.version === user.version) return { user, groupIds };
    user = after;
  }
  return null;
}

async function findOrgUser(directory: Directory, claims: TokenClaims): Promise<Principal | null> {
  const { organizationId, sub: userKey, orgUserId: userId } = claims;
  const { orgUsers } = directory.stores;
  const member = await readMember(directory, () => orgUsers.findByKey(organizationId, userKey));
  if (!member) return null;
  const { user, groupIds } = member;
  if (user.id !== userId || !user.isActive) return null;
  const { email, role } = user;
  return { kind: 'orgUser', ...baseOf(claims), userId, userKey, email, role, groupIds };
}

async function findTenantUser(directory: Directory, claims: TokenClaims): Promise<Principal | null> {
  const { organizationId, sub: userKey, tenantUserId: userId, tenantId = '' } = claims;
  const { tenants, tenantUsers } = directory.stores;
  const [member, tenant] = await Promise.all([
    readMember(directory, () => tenantUsers.findByKey(organizationId, userKey)),
    tenants.find(organizationId, tenantId),
  ]);
  if (!member) return null;
  const { user, groupIds } = member;
  if (user.id !== userId || !user.isActive || user.tenantKey !== tenant?._id) return null;
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
