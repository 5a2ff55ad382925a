import type { TokenClaims } from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import { SignJWT } from 'jose';
import type { Directory, Input, Output } from '../directory.js';
import { authenticateRequest } from './authenticateRequest.js';
import { validateTokenRequest } from './logic/validateRequest.js';
import { getActiveKey } from './rotateSigningKey.js';
import { takeSignInCode } from './signInCodes.js';
import { findBearer, refuseFields, type TokenBearer } from './tokenBearer.js';

export async function issueToken(
  directory: Directory,
  request: Input<'tokens', 'issue'>,
  context: CallContext,
): Promise<Output<'tokens', 'issue'>> {
  refuseFields(validateTokenRequest(request));
  const { signInCode } = request;
  const bearer =
    signInCode === undefined
      ? await findBearer(directory, request, context)
      : await takeSignInCode(directory, signInCode, context);
  const claims = claimsOf(directory, bearer, context);
  const accessToken = await sign(directory, claims, context);
  return { accessToken, expiresAt: new Date(claims.exp * 1000).toISOString() };
}

/** Checks a secret like `issueToken`, with the same errors after the same work, but issues no token. */
export async function checkSecret(
  directory: Directory,
  request: Input<'tokens', 'checkSecret'>,
  context: CallContext,
): Promise<Output<'tokens', 'checkSecret'>> {
  refuseFields(validateTokenRequest(request));
  await authenticateRequest(directory, request, context);
  return {};
}

function claimsOf(
  { config }: Directory,
  { claims, tokenExpiry }: TokenBearer,
  { now }: CallContext,
): TokenClaims {
  const iat = Math.floor(now.getTime() / 1000);
  const issued = { iat, exp: iat + tokenExpiry, jti: newKey() };
  return { iss: config.TOKEN_ISSUER, aud: config.TOKEN_AUDIENCE, ...claims, ...issued };
}

/** Signs with EdDSA over Ed25519, as specified in RFC 8037. Undefined claims are omitted. */
async function sign(directory: Directory, claims: TokenClaims, context: CallContext): Promise<string> {
  const { kid, privateKey } = await getActiveKey(directory, context);
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid }).sign(privateKey);
}
