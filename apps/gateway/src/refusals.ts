import type { Principal, TokenClaims } from '@gatehouse/contract';
import type { RefusedBearer } from '@gatehouse/service';

/** Returns the caller of a rejected request from its principal. */
export function bearerOf(principal: Principal): RefusedBearer {
  const { organizationId, projectId, tokenId, kind: actorKind } = principal;
  return {
    organizationId,
    projectId,
    tokenId,
    actorKind,
    actorId: 'userId' in principal ? principal.userId : projectId,
  };
}

/** The kind of the caller of a token that acts as no user. */
const ACTOR_KINDS = { project: 'service', dashboard: 'anonymous', compiler: 'compiler' } as const;

/** Returns the caller of a rejected request from the claims of its token, if the bearer no longer exists. */
export function bearerOfClaims(claims: TokenClaims): RefusedBearer {
  const { organizationId, projectId, jti: tokenId, orgUserId, tenantUserId, type } = claims;
  const withoutUser = ACTOR_KINDS[type];
  const withUser = orgUserId === undefined ? 'tenantUser' : 'orgUser';
  const userId = orgUserId ?? tenantUserId;
  const actorKind = userId === undefined ? withoutUser : withUser;
  return { organizationId, projectId, tokenId, actorKind, actorId: userId ?? projectId };
}
