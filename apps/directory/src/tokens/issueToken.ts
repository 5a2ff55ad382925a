import { AppError, invalidField, shownName, type TokenClaims, type TokenRequest } from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import { SignJWT } from 'jose';
import type { Directory, Input, Output } from '../directory.js';
import type { Person } from '../people/findPeople.js';
import { authenticateRequest, findTokenUser, type TokenScope } from './authenticateRequest.js';
import { claimedTypeOf, validateTokenRequest } from './logic/validateRequest.js';
import { getActiveKey } from './rotateSigningKey.js';

export async function issueToken(
  directory: Directory,
  request: Input<'tokens', 'issue'>,
  context: CallContext,
): Promise<Output<'tokens', 'issue'>> {
  checkFields(request);
  const scope = await authenticateRequest(directory, request, context);
  await rejectUnknownDomains(directory, request, { scope, context });
  const person = await findTokenUser(directory, request, { scope, context });
  const claims = claimsOf(directory, request, { scope, person, now: context.now });
  const accessToken = await sign(directory, claims, context);
  return { accessToken, expiresAt: new Date(claims.exp * 1000).toISOString() };
}

function checkFields(request: TokenRequest): void {
  const fieldErrors = validateTokenRequest(request);
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
}

/** Checks a secret like `issueToken`, with the same errors after the same work, but issues no token. */
export async function checkSecret(
  directory: Directory,
  request: Input<'tokens', 'checkSecret'>,
  context: CallContext,
): Promise<Output<'tokens', 'checkSecret'>> {
  checkFields(request);
  await authenticateRequest(directory, request, context);
  return {};
}

/** Limits the length of the error: a body may name a thousand domains. */
const LISTED_DOMAINS_MAX = 100;

/** Throws INVALID_REQUEST that lists the names and ids that match no semantic domain of the project. */
async function rejectUnknownDomains(
  { services }: Directory,
  { semanticDomainAccess: access }: TokenRequest,
  { scope, context }: { scope: TokenScope; context: CallContext },
): Promise<void> {
  if (!access || !('domains' in access)) return;
  const { organizationId, projectId } = scope;
  const query = { organizationId, projectId, domains: access.domains };
  const { unknown } = await services.semantics.domains.findUnknown.query(query, { context });
  if (unknown.length === 0) return;
  const names = unknown.slice(0, LISTED_DOMAINS_MAX).map(shownName).join(', ');
  const more = unknown.length - LISTED_DOMAINS_MAX;
  const message = `unknown semantic domains: ${names}${more > 0 ? ` and ${more} more` : ''}`;
  throw invalidField('semanticDomainAccess.domains', message, 'reference');
}

function claimsOf(
  { config }: Directory,
  request: TokenRequest,
  { scope, person, now }: { scope: TokenScope; person: Person | null; now: Date },
): TokenClaims {
  const { organizationId, projectId, dashboardId } = scope;
  const { tokenExpiry, semanticDomainAccess, securityParams, policies } = request;
  const issuedAt = Math.floor(now.getTime() / 1000);
  return {
    iss: config.TOKEN_ISSUER,
    aud: config.TOKEN_AUDIENCE,
    sub: person?._id ?? dashboardId ?? projectId,
    iat: issuedAt,
    exp: issuedAt + tokenExpiry,
    jti: newKey(),
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
}

function identityClaims(person: Person | null) {
  if (!person) return {};
  if (!('tenantKey' in person)) return { orgUserId: person.id };
  return { tenantUserId: person.id, tenantId: person.tenantId };
}

/** Signs with EdDSA over Ed25519, as specified in RFC 8037. Undefined claims are omitted. */
async function sign(directory: Directory, claims: TokenClaims, context: CallContext): Promise<string> {
  const { kid, privateKey } = await getActiveKey(directory, context);
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid }).sign(privateKey);
}
