import { AppError, Caller } from '@gatehouse/contract';
import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT, type JWK } from 'jose';

/**
 * Internal tokens carry the caller from the gateway to the services. Only holders of the private key can make one; the
 * services hold the public half. Header type, issuer and audience differ from those of access tokens, so that neither can
 * stand in for the other.
 */
const ALGORITHM = 'EdDSA';
const TYPE = 'gatehouse-internal+jwt';
const ISSUER = 'gatehouse-gateway';
const AUDIENCE = 'gatehouse-services';
const LIFETIME_SECONDS = 60;
const RENEW_BEFORE_SECONDS = 20;
const REMEMBERED_MAX = 10_000;

const seconds = () => Math.floor(Date.now() / 1000);

export interface InternalKeys {
  signingKey: string;
  verifyKey: string;
}

/** A new key pair, as the environment holds it: JWKs in JSON. */
export async function generateInternalKeys(): Promise<InternalKeys> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  return {
    signingKey: JSON.stringify(await exportJWK(privateKey)),
    verifyKey: JSON.stringify(await exportJWK(publicKey)),
  };
}

/** The public half of a signing key. */
export function verifyKeyOf(signingKey: string): string {
  const { kty, crv, x } = JSON.parse(signingKey) as JWK;
  return JSON.stringify({ kty, crv, x });
}

export interface InternalTokenSigner {
  /** A token for this caller; the same one again until shortly before it ends. */
  sign(caller: Caller): Promise<string>;
}

export async function createInternalTokenSigner(signingKey: string): Promise<InternalTokenSigner> {
  const key = await importJWK(JSON.parse(signingKey) as JWK, ALGORITHM);
  const remembered = new WeakMap<Caller, { token: Promise<string>; renewAt: number }>();
  const make = (caller: Caller, now: number) =>
    new SignJWT({ caller })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFETIME_SECONDS)
      .sign(key);
  return {
    sign(caller) {
      const now = seconds();
      const known = remembered.get(caller);
      if (known && now < known.renewAt) return known.token;
      const token = make(caller, now);
      remembered.set(caller, { token, renewAt: now + LIFETIME_SECONDS - RENEW_BEFORE_SECONDS });
      return token;
    },
  };
}

export interface InternalTokenVerifier {
  /** The caller a token was made for. Throws UNAUTHENTICATED for any token that is not exactly right. */
  verify(token: string): Promise<Caller>;
}

export async function createInternalTokenVerifier(verifyKey: string): Promise<InternalTokenVerifier> {
  const key = await importJWK(JSON.parse(verifyKey) as JWK, ALGORITHM);
  const remembered = new Map<string, { caller: Caller; expiresAt: number }>();
  const check = async (token: string) => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['exp', 'iat'],
    });
    return { caller: Caller.parse(payload['caller']), expiresAt: payload.exp ?? 0 };
  };
  return {
    async verify(token) {
      const known = remembered.get(token);
      if (known && seconds() < known.expiresAt) return known.caller;
      try {
        const found = await check(token);
        // Oldest first out: a Map keeps the order of insertion.
        for (const oldest of remembered.keys()) {
          if (remembered.size < REMEMBERED_MAX) break;
          remembered.delete(oldest);
        }
        remembered.set(token, found);
        return found.caller;
      } catch (cause) {
        remembered.delete(token);
        throw new AppError('UNAUTHENTICATED', { cause });
      }
    },
  };
}
