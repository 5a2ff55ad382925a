import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { PublicKey } from '@gatehouse/contract';

/** A key pair of the issuer, with the published form of its public key. */
export interface IssuerKey {
  kid: string;
  privateKey: KeyObject;
  publicKey: PublicKey;
}

export function createIssuerKey(kid: string): IssuerKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { kid, privateKey, publicKey: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

const seconds = () => Math.floor(Date.now() / 1000);

/** Returns the claims of a project token of an ADMIN. */
export function claimsOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: 'gatehouse',
    aud: 'gatehouse-api',
    sub: 'u:admin',
    iat: seconds(),
    exp: seconds() + 600,
    jti: 'jti-1',
    type: 'project',
    projectId: 'p_1',
    project_id: 'p_1',
    organizationId: 'o_1',
    orgUserId: 'ou_admin',
    ...changes,
  };
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signs a token without a library, so that a test can make any part of it invalid. */
export function signToken(
  key: IssuerKey,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): string {
  const head = encode({ alg: 'EdDSA', typ: 'JWT', kid: key.kid, ...header });
  const signed = `${head}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
}
