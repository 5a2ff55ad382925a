import {
  AppError,
  type FieldError,
  invalidField,
  shownName,
  type TokenClaims,
  type TokenRequest,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import { authenticateRequest, findTokenUser, type TokenScope } from './authenticateRequest.js';
import { claimedTypeOf } from './logic/validateRequest.js';

/**
 * Checks the secret of a token request, and returns what its token will claim.
 * @throws UNAUTHENTICATED for a wrong secret, INVALID_REQUEST for an unknown domain or user
 */
export async function findBearer(
  directory: Directory,
  request: TokenRequest,
  context: CallContext,
): Promise<TokenBearer> {
  const scope = await authenticateRequest(directory, request, context);
  await rejectUnknownDomains(directory, request, { scope, context });
  return bearerOf(request, scope, await findTokenUser(directory, request, { scope, context }));
}

export function refuseFields(fieldErrors: FieldError[]): void {
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
}

/** Limits the length of the error: a body may name a thousand domains. */
const LISTED_DOMAINS_MAX = 100;

/**
 * Throws INVALID_REQUEST that lists the names and ids that match no semantic domain of the project, and for
 * any names with a secret whose tokens are limited to some domains.
 */
async function rejectUnknownDomains(
  { services }: Directory,
  { semanticDomainAccess: access }: TokenRequest,
  { scope, context }: { scope: TokenScope; context: CallContext },
): Promise<void> {
  if (!access || !('domains' in access)) return;
  const { organizationId, projectId, domainAccess } = scope;
  if (domainAccess !== undefined) {
    const message = 'does not go with this secret: its tokens see the domains of the token that got it';
    throw invalidField('semanticDomainAccess.domains', message, 'conflict');
  }
  const query = { organizationId, projectId, domains: access.domains };
  const { unknown } = await services.semantics.domains.findUnknown.query(query, { context });
  if (unknown.length === 0) return;
  const names = unknown.slice(0, LISTED_DOMAINS_MAX).map(shownName).join(', ');
  const more = unknown.length - LISTED_DOMAINS_MAX;
  const message = `unknown semantic domains: ${names}${more > 0 ? ` and ${more} more` : ''}`;
  throw invalidField('semanticDomainAccess.domains', message, 'reference');
}

/** What a token claims, apart from the moment at which it is issued. */
export interface TokenBearer {
  claims: Omit<TokenClaims, 'iss' | 'aud' | 'iat' | 'exp' | 'jti'>;
  /** Seconds. */
  tokenExpiry: number;
}

function bearerOf(request: TokenRequest, scope: TokenScope, person: Person | null): TokenBearer {
  const { organizationId, projectId, dashboardId, domainAccess } = scope;
  const { tokenExpiry, semanticDomainAccess: requested, securityParams, policies } = request;
  const semanticDomainAccess = requested?.mode === 'none' ? requested : (domainAccess ?? requested);
  const claims = {
    sub: person?._id ?? dashboardId ?? projectId,
    type: claimedTypeOf(request),
    scope: request.scope,
    projectId,
    project_id: projectId,
    organizationId,
    dashboardId,
    ...identityClaims(person),
    semanticDomainAccess,
    securityParams,
    policies,
  };
  return { claims, tokenExpiry };
}

function identityClaims(person: Person | null) {
  if (!person) return {};
  if (!('tenantKey' in person)) return { orgUserId: person.id };
  return { tenantUserId: person.id, tenantId: person.tenantId };
}
