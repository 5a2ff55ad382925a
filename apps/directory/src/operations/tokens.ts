import { AppError, invalidField, type TokenClaims, type TokenRequest } from '@gatehouse/contract';
import { createEvent, newKey, type CallContext } from '@gatehouse/service';
import { SignJWT } from 'jose';
import type { Answer, Directory, Input } from '../directory.js';
import { findTokenRequestFaults, tokenTypeOf } from '../logic/tokenRequest.js';
import { callOrigin } from './origins.js';
import type { Person } from './people.js';
import { getActiveKey } from './signingKeys.js';
import { authenticate, findIdentity, type TokenGround } from './tokenIdentity.js';

export async function issueToken(
  directory: Directory,
  request: Input<'tokens', 'issue'>,
  context: CallContext,
): Answer<'tokens', 'issue'> {
  const fieldErrors = findTokenRequestFaults(request);
  if (fieldErrors.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors });
  const ground = await authenticate(directory, request, context);
  await refuseUnknownDomains(directory, request, { ground, context });
  const person = await findIdentity(directory, request, { ground, context });
  const claims = claimsOf(directory, request, { ground, person, now: context.now });
  const accessToken = await sign(directory, claims, context);
  return { accessToken, expiresAt: new Date(claims.exp * 1000).toISOString() };
}

/** Throws INVALID_REQUEST that lists the names and ids which mean no semantic domain of the project. */
async function refuseUnknownDomains(
  { services }: Directory,
  { semanticDomainAccess: access }: TokenRequest,
  { ground, context }: { ground: TokenGround; context: CallContext },
): Promise<void> {
  if (!access || !('domains' in access)) return;
  const { organizationId, projectId } = ground;
  const question = { organizationId, projectId, domains: access.domains };
  const { unknown } = await services.semantics.domains.findUnknown(context, question);
  if (unknown.length === 0) return;
  throw invalidField('semanticDomainAccess.domains', `unknown semantic domains: ${unknown.join(', ')}`);
}

function claimsOf(
  { config }: Directory,
  request: TokenRequest,
  { ground, person, now }: { ground: TokenGround; person: Person | null; now: Date },
): TokenClaims {
  const { organizationId, projectId, dashboardId } = ground;
  const { tokenExpiry, semanticDomainAccess, securityParams, policies } = request;
  const issuedAt = Math.floor(now.getTime() / 1000);
  return {
    iss: config.TOKEN_ISSUER,
    aud: config.TOKEN_AUDIENCE,
    sub: person?._id ?? dashboardId ?? projectId,
    iat: issuedAt,
    exp: issuedAt + tokenExpiry,
    jti: newKey(),
    type: tokenTypeOf(request),
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

/** Signs as RFC 8037 has it: EdDSA over Ed25519. A claim that is undefined is left out. */
async function sign(directory: Directory, claims: TokenClaims, context: CallContext): Promise<string> {
  const { kid, privateKey } = await getActiveKey(directory, context);
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid }).sign(privateKey);
}

export async function invalidateToken(
  { stores }: Directory,
  _input: Input<'tokens', 'invalidate'>,
  context: CallContext,
): Answer<'tokens', 'invalidate'> {
  const { organizationId, tokenId, tokenExpiresAt } = context.principal;
  const expiresAt = new Date(tokenExpiresAt * 1000);
  const data = { tokenId, expiresAt: expiresAt.toISOString() };
  const events = [createEvent('management.token.revoked.v1', tokenId, { origin: callOrigin(context), data })];
  await stores.revocations.insert(organizationId, { tokenId, expiresAt }, { events });
  return { message: 'The token was invalidated' };
}
