import type { TokenClaims } from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import { SignJWT } from 'jose';
import type { Directory } from '../directory.js';
import { getActiveKey } from './rotateSigningKey.js';
import type { TokenBearer } from './tokenBearer.js';

/** Signs an access token that is issued now. */
export async function signToken(
  directory: Directory,
  bearer: TokenBearer,
  context: CallContext,
): Promise<{ accessToken: string; expiresAt: string }> {
  const claims = claimsOf(directory, bearer, context);
  const accessToken = await sign(directory, claims, context);
  return { accessToken, expiresAt: new Date(claims.exp * 1000).toISOString() };
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
