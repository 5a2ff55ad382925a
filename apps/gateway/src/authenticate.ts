import { AppError, TokenClaims, type PublicKey } from '@gatehouse/contract';
import { decodeProtectedHeader, errors, importJWK, jwtVerify, type CryptoKey } from 'jose';
import { RefusedTokenError } from './refusedToken.js';

const ALGORITHM = 'EdDSA';
const TYPE = 'JWT';
/** How far the clocks of issuer and gateway may differ. A token's end is kept to the second all the same. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** The longest that any token lives. */
const LIFETIME_MAX_SECONDS = 86_400;

/** Unknown key ids are looked up this often at most: anyone can make them up. */
const FETCHES_MAX = 5;
const FETCH_WINDOW_MS = 5000;

export interface TokenVerifierOptions {
  /** The keys in force. Rejects while the directory cannot be asked. */
  fetchKeys: () => Promise<readonly PublicKey[]>;
  issuer: string;
  audience: string;
}

export interface TokenVerifier {
  /** The claims of an access token. Throws UNAUTHENTICATED, or UNAVAILABLE when no key is known that could tell. */
  verify(token: string): Promise<TokenClaims>;
  /** Fetches the keys anew. Rejects while the directory cannot be asked. */
  refreshKeys: () => Promise<void>;
}

/** The access token of an `Authorization` header (RFC 6750). Throws UNAUTHENTICATED where there is none. */
export function readBearer(authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new AppError('UNAUTHENTICATED');
  return token;
}

async function importKeys(keys: readonly PublicKey[]): Promise<Map<string, CryptoKey>> {
  const imported = await Promise.all(
    keys.map(async (key) => [key.kid, await importJWK({ ...key }, ALGORITHM)] as const),
  );
  return new Map(imported.filter((entry): entry is [string, CryptoKey] => !(entry[1] instanceof Uint8Array)));
}

/** The keys by id, fetched when one is unknown, by one fetch at a time and not too often. */
function createKeyRing(fetchKeys: TokenVerifierOptions['fetchKeys']) {
  let keys = new Map<string, CryptoKey>();
  let pending: Promise<void> | null = null;
  let hasFailed = false;
  let windowStart = -Infinity;
  let fetches = 0;

  const fetchOnce = async () => {
    hasFailed = true;
    keys = await importKeys(await fetchKeys());
    hasFailed = false;
  };
  const fetch = () =>
    (pending ??= fetchOnce().finally(() => {
      pending = null;
    }));
  const mayFetch = () => {
    const now = performance.now();
    if (now - windowStart >= FETCH_WINDOW_MS) {
      windowStart = now;
      fetches = 0;
    }
    fetches += 1;
    return fetches <= FETCHES_MAX;
  };
  return {
    /** Fetches the keys as they are now: what is under way may have been asked before they changed. */
    async refresh(): Promise<void> {
      await pending?.catch(() => undefined);
      await fetch();
    },
    async find(kid: string): Promise<CryptoKey | undefined> {
      if (!keys.has(kid) && pending) await pending;
      if (!keys.has(kid) && mayFetch()) await fetch();
      if (!keys.has(kid) && hasFailed) throw new AppError('UNAVAILABLE');
      return keys.get(kid);
    },
  };
}

/**
 * Verifies access tokens: EdDSA alone, the exact issuer and audience, and a key that the directory names now. Whatever else
 * a token says of how it wants to be verified is refused.
 */
export function createTokenVerifier({ fetchKeys, issuer, audience }: TokenVerifierOptions): TokenVerifier {
  const ring = createKeyRing(fetchKeys);
  const options = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer,
    audience,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    maxTokenAge: LIFETIME_MAX_SECONDS,
    requiredClaims: ['exp', 'iat', 'sub', 'jti'],
  };
  const check = async (token: string, key: CryptoKey) => {
    const { payload } = await jwtVerify(token, key, options);
    const claims = TokenClaims.parse(payload);
    if (claims.exp * 1000 <= Date.now()) throw new RefusedTokenError(claims);
    return claims;
  };
  const readKeyId = (token: string) => {
    const { alg, kid } = decodeProtectedHeader(token);
    if (alg !== ALGORITHM || kid === undefined) throw new AppError('UNAUTHENTICATED');
    return kid;
  };
  return {
    refreshKeys: ring.refresh,
    async verify(token) {
      const kid = asUnauthenticated(() => readKeyId(token));
      const key = await ring.find(kid);
      if (!key) throw new AppError('UNAUTHENTICATED');
      return check(token, key).catch((cause: unknown) => {
        throw refusalOf(cause);
      });
    },
  };
}

/** An ended token is found to be so after its signature was; whatever else is wrong with a token, its claims are nobody's. */
function refusalOf(cause: unknown): AppError {
  if (cause instanceof RefusedTokenError) return cause;
  const ended = cause instanceof errors.JWTExpired ? TokenClaims.safeParse(cause.payload) : undefined;
  return ended?.success
    ? new RefusedTokenError(ended.data, cause)
    : new AppError('UNAUTHENTICATED', { cause });
}

function asUnauthenticated<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new AppError('UNAUTHENTICATED', { cause });
  }
}
