import type { Principal, TokenClaims } from '@gatehouse/contract';
import type { RefusedBearer } from '@gatehouse/service';

/** Who is refused, as its principal says. */
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

/** The same of a token whose bearer is nobody any more. */
export function bearerOfClaims(claims: TokenClaims): RefusedBearer {
  const { organizationId, projectId, jti: tokenId, orgUserId, tenantUserId, type } = claims;
  const nobody = type === 'dashboard' ? 'anonymous' : 'service';
  const person = orgUserId === undefined ? 'tenantUser' : 'orgUser';
  const userId = orgUserId ?? tenantUserId;
  const actorKind = userId === undefined ? nobody : person;
  return { organizationId, projectId, tokenId, actorKind, actorId: userId ?? projectId };
}
