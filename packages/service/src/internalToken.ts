import { AppError, Caller, type SystemName } from '@gatehouse/contract';
import {
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type JWK,
  type JWTPayload,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { countLookup } from './observability/metrics.js';

/**
 * Internal tokens carry the caller from the gateway to the services. Only holders of a private key can sign
 * one; the services have the public keys. Header type, issuer and audience differ from those of access
 * tokens, so that neither is accepted as the other. A service that acts on its own behalf has its own key,
 * identified by `kid`. It is valid for that caller alone, so a stolen key cannot impersonate a person.
 */
const ALGORITHM = 'EdDSA';
const TYPE = 'gatehouse-internal+jwt';
const ISSUER = 'gatehouse-gateway';
const AUDIENCE = 'gatehouse-services';
/** How long a signed token is used for further calls. */
const REUSE_SECONDS = 40;
/** What a token outlasts the longest call by: a call begins a little after its token was signed. */
const MARGIN_SECONDS = 10;
/** Characters of all cached tokens together: about 10,000 tokens of the usual length. */
const CACHED_CHARACTERS = 8 * 1024 * 1024;

const seconds = () => Math.floor(Date.now() / 1000);

export interface InternalKeys {
  signingKey: string;
  verifyKey: string;
}

/** Creates a key pair as JWKs in JSON. `owner` names the only caller that the key may sign for. */
export async function generateInternalKeys(owner?: SystemName): Promise<InternalKeys> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const kid = owner === undefined ? {} : { kid: owner };
  const signingKey = JSON.stringify({ ...(await exportJWK(privateKey)), ...kid });
  return { signingKey, verifyKey: verifyKeyOf(signingKey) };
}

/** Returns the public half of a signing key. */
export function verifyKeyOf(signingKey: string): string {
  const { kty, crv, x, kid } = JSON.parse(signingKey) as JWK;
  return JSON.stringify({ kty, crv, x, kid });
}

/** Joins public keys into a JWK set. */
export function joinVerifyKeys(verifyKeys: readonly string[]): string {
  return JSON.stringify({ keys: verifyKeys.map((key) => JSON.parse(key) as JWK) });
}

/**
 * The owner of the key that must sign the token of a caller. The key of the gateway and operator has no name.
 */
function ownerOf(caller: Caller): SystemName | undefined {
  return caller.kind === 'system' && caller.name === 'lifecycle' ? caller.name : undefined;
}

export interface InternalTokenSigner {
  /** Returns a token for the caller that is valid for longer than one call takes. */
  sign(caller: Caller): Promise<string>;
}

/**
 * @param callTimeoutMs the longest time that one call takes: `REQUEST_TIMEOUT_MS`, by default its default.
 *   The service passes the token on to others until then, so a returned token is valid for longer than that.
 */
export async function createInternalTokenSigner(
  signingKey: string,
  callTimeoutMs = 10_000,
): Promise<InternalTokenSigner> {
  const lifetimeSeconds = REUSE_SECONDS + Math.ceil(callTimeoutMs / 1000) + MARGIN_SECONDS;
  const jwk = JSON.parse(signingKey) as JWK;
  const key = await importJWK(jwk, ALGORITHM);
  const kid = jwk.kid === undefined ? {} : { kid: jwk.kid };
  return cacheTokens({
    sign(caller) {
      const now = seconds();
      return new SignJWT({ caller })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, ...kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(key);
    },
  });
}

/** Caches tokens by caller object. An entry lives as long as its caller. */
function cacheTokens(signer: InternalTokenSigner): InternalTokenSigner {
  const cached = new WeakMap<Caller, { token: Promise<string>; renewAt: number }>();
  return {
    sign(caller) {
      const now = seconds();
      const known = cached.get(caller);
      if (known && now < known.renewAt) return known.token;
      const token = signer.sign(caller);
      cached.set(caller, { token, renewAt: now + REUSE_SECONDS });
      return token;
    },
  };
}

type VerifyKey = Awaited<ReturnType<typeof importJWK>>;

/** Returns the verified payload. Throws if no key verifies the signature, or if a claim is invalid. */
async function verifyWithAny(token: string, keys: readonly VerifyKey[]): Promise<JWTPayload> {
  const options = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['exp', 'iat'],
  };
  const { payload } = await Promise.any(keys.map((key) => jwtVerify(token, key, options)));
  return payload;
}

/** The content of a valid token. */
export interface VerifiedToken {
  caller: Caller;
  /** In seconds since 1970. */
  expiresAt: number;
}

export interface InternalTokenVerifier {
  /** Throws UNAUTHENTICATED if the token is invalid. */
  verify(token: string): Promise<VerifiedToken>;
}

/**
 * The keys by owner. During a rotation an owner has two keys. The key of the gateway and operator has no
 * name.
 */
async function readVerifyKeys(verifyKey: string): Promise<Map<string | undefined, VerifyKey[]>> {
  const given = JSON.parse(verifyKey) as JWK | { keys: JWK[] };
  const keys = new Map<string | undefined, VerifyKey[]>();
  for (const jwk of 'keys' in given && Array.isArray(given.keys) ? given.keys : [given as JWK])
    keys.set(jwk.kid, [...(keys.get(jwk.kid) ?? []), await importJWK(jwk, ALGORITHM)]);
  return keys;
}

/** `verifyKey` is a JWK or a JWK set. A token is valid if any key of its owner verifies it. */
export async function createInternalTokenVerifier(verifyKey: string): Promise<InternalTokenVerifier> {
  const keys = await readVerifyKeys(verifyKey);
  const check = async (token: string): Promise<VerifiedToken> => {
    const { kid } = decodeProtectedHeader(token);
    const payload = await verifyWithAny(token, keys.get(kid) ?? []);
    const caller = Caller.parse(payload['caller']);
    if (kid !== ownerOf(caller)) throw new Error('the key may not sign for this caller');
    return { caller, expiresAt: payload.exp ?? 0 };
  };
  const cachedCheck = cacheVerified(check);
  return {
    async verify(token) {
      try {
        return await cachedCheck(token);
      } catch (cause) {
        throw new AppError('UNAUTHENTICATED', { cause });
      }
    },
  };
}

/** Caches the callers of valid tokens until the tokens expire. */
function cacheVerified(check: (token: string) => Promise<VerifiedToken>): typeof check {
  // By length: the token of a user in thousands of groups is as long as several hundred others.
  const cached = new LRUCache<string, VerifiedToken>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (_, token) => token.length,
  });
  return async (token) => {
    const known = cached.get(token);
    const isKnown = known !== undefined && seconds() < known.expiresAt;
    countLookup('internal_tokens', isKnown);
    if (isKnown) return known;
    cached.delete(token);
    const verified = await check(token);
    cached.set(token, verified);
    return verified;
  };
}
