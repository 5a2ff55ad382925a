import { createHmac, createPrivateKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createSealer } from '@gatehouse/service';
import type { OwnedPlatform } from './ownedPlatform.js';

type Part = Record<string, unknown>;

/** An access token in its parts. */
export interface Token {
  header: Part;
  claims: Part;
}

/** Makes the signature of what stands before it. */
export type Signature = (signed: string) => Buffer;

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part;

export function readToken(token: string): Token {
  const [header, claims] = token.split('.');
  return { header: decode(header), claims: decode(claims) };
}

/** Encodes a token as in RFC 7515, with any content. */
export function writeToken({ header, claims }: Token, signature: Signature): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${signature(signed).toString('base64url')}`;
}

export const unsigned: Signature = () => Buffer.alloc(0);

/** EdDSA (RFC 8037) for Ed25519 keys; elliptic curves with the signatures of RFC 7518; RSA with SHA-256. */
export function signedBy(key: KeyObject): Signature {
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return (signed) => sign(algorithm, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
}

/** HS256 with these bytes for the secret. */
export function hashedWith(secret: string | Buffer): Signature {
  return (signed) => createHmac('sha256', secret).update(signed).digest();
}

/** The key that the platform signs access tokens with, taken from its own store as only its operator can. */
export async function readSigningKey({ mongo, settings }: OwnedPlatform): Promise<KeyObject> {
  const keys = mongo.databases
    .of('directory')
    .collection<{ _id: string; sealedPrivateJwk: string }>('signingKeys');
  const found = await keys.findOne({ isActive: true });
  if (!found) throw new Error('No key signs');
  const jwk = JSON.parse(
    createSealer(settings.SEALING_KEYS).open(found.sealedPrivateJwk, found._id),
  ) as JsonWebKey;
  return createPrivateKey({ key: jwk, format: 'jwk' });
}
