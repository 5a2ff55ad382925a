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
import { countLookup } from './observability/metrics.js';

/**
 * Internal tokens carry the caller from the gateway to the services. Only holders of a private key can make one; the
 * services hold the public halves. Header type, issuer and audience differ from those of access tokens, so that neither can
 * stand in for the other. A service that acts by itself has a key of its own, which is named for it by `kid` and is good for
 * that very caller alone: who steals it cannot speak for a person.
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

/** A new key pair, as the environment holds it: JWKs in JSON. `owner` names the one caller that it may speak for. */
export async function generateInternalKeys(owner?: SystemName): Promise<InternalKeys> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const kid = owner === undefined ? {} : { kid: owner };
  const signingKey = JSON.stringify({ ...(await exportJWK(privateKey)), ...kid });
  return { signingKey, verifyKey: verifyKeyOf(signingKey) };
}

/** The public half of a signing key. */
export function verifyKeyOf(signingKey: string): string {
  const { kty, crv, x, kid } = JSON.parse(signingKey) as JWK;
  return JSON.stringify({ kty, crv, x, kid });
}

/** Several public keys as one setting: a JWK set. */
export function joinVerifyKeys(verifyKeys: readonly string[]): string {
  return JSON.stringify({ keys: verifyKeys.map((key) => JSON.parse(key) as JWK) });
}

/** Whose key a caller's token has to be signed with; the gateway's, and the operator's, is the one without a name. */
function ownerOf(caller: Caller): SystemName | undefined {
  return caller.kind === 'system' && caller.name === 'lifecycle' ? caller.name : undefined;
}

export interface InternalTokenSigner {
  /** A token for this caller; the same one again until shortly before it ends. */
  sign(caller: Caller): Promise<string>;
}

export async function createInternalTokenSigner(signingKey: string): Promise<InternalTokenSigner> {
  const jwk = JSON.parse(signingKey) as JWK;
  const key = await importJWK(jwk, ALGORITHM);
  const kid = jwk.kid === undefined ? {} : { kid: jwk.kid };
  const remembered = new WeakMap<Caller, { token: Promise<string>; renewAt: number }>();
  const make = (caller: Caller, now: number) =>
    new SignJWT({ caller })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, ...kid })
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

type VerifyKey = Awaited<ReturnType<typeof importJWK>>;

/** What the token says. Throws when none of the keys has signed it, or when it is not right in another way. */
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

export interface InternalTokenVerifier {
  /** The caller a token was made for. Throws UNAUTHENTICATED for any token that is not exactly right. */
  verify(token: string): Promise<Caller>;
}

/** The keys of each owner: two while one is being replaced by the other. The gateway, and the operator, have no name. */
async function readVerifyKeys(verifyKey: string): Promise<Map<string | undefined, VerifyKey[]>> {
  const given = JSON.parse(verifyKey) as JWK | { keys: JWK[] };
  const keys = new Map<string | undefined, VerifyKey[]>();
  for (const jwk of 'keys' in given && Array.isArray(given.keys) ? given.keys : [given as JWK])
    keys.set(jwk.kid, [...(keys.get(jwk.kid) ?? []), await importJWK(jwk, ALGORITHM)]);
  return keys;
}

/** `verifyKey` is a JWK or a JWK set. A token is right when any key of its owner has signed it. */
export async function createInternalTokenVerifier(verifyKey: string): Promise<InternalTokenVerifier> {
  const keys = await readVerifyKeys(verifyKey);
  const remembered = new Map<string, { caller: Caller; expiresAt: number }>();
  const check = async (token: string) => {
    const { kid } = decodeProtectedHeader(token);
    const payload = await verifyWithAny(token, keys.get(kid) ?? []);
    const caller = Caller.parse(payload['caller']);
    if (kid !== ownerOf(caller)) throw new Error('The key is not for this caller');
    return { caller, expiresAt: payload.exp ?? 0 };
  };
  return {
    async verify(token) {
      const known = remembered.get(token);
      const isKnown = known !== undefined && seconds() < known.expiresAt;
      countLookup('internal_tokens', isKnown);
      if (isKnown) return known.caller;
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
