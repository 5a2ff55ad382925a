import { AppError, TokenClaims, type PublicKey } from '@gatehouse/contract';
import { decodeProtectedHeader, errors, importJWK, jwtVerify, type CryptoKey } from 'jose';

const ALGORITHM = 'EdDSA';
const TYPE = 'JWT';
/** The accepted clock difference between issuer and gateway. It does not extend the expiry of a token. */
const CLOCK_TOLERANCE_SECONDS = 5;
/** The maximum lifetime of a token. */
const LIFETIME_MAX_SECONDS = 86_400;

/** Limits key fetches for unknown key ids, because any caller can invent key ids. */
const FETCHES_MAX = 5;
const FETCH_WINDOW_MS = 5000;

/**
 * The rejection of a token with a valid signature: the token has expired or been revoked, or its bearer no
 * longer exists. The response is the same as for any other invalid token.
 */
export class RefusedTokenError extends AppError {
  readonly claims: TokenClaims;

  constructor(claims: TokenClaims, cause?: unknown) {
    super('UNAUTHENTICATED', { cause });
    this.claims = claims;
  }
}

export interface TokenVerifierOptions {
  /** Returns the current signing keys. Rejects while the directory is unreachable. */
  fetchKeys: () => Promise<readonly PublicKey[]>;
  issuer: string;
  audience: string;
}

export interface TokenVerifier {
  /**
   * Returns the claims of an access token.
   *
   * @throws UNAUTHENTICATED for an invalid token
   * @throws UNAVAILABLE when the key is unknown and the keys cannot be fetched
   */
  verify(token: string): Promise<TokenClaims>;
  /** Fetches the keys again. Rejects while the directory is unreachable. */
  refreshKeys: () => Promise<void>;
}

async function importKeys(keys: readonly PublicKey[]): Promise<Map<string, CryptoKey>> {
  const imported = await Promise.all(
    keys.map(async (key) => [key.kid, await importJWK({ ...key }, ALGORITHM)] as const),
  );
  return new Map(imported.filter((entry): entry is [string, CryptoKey] => !(entry[1] instanceof Uint8Array)));
}

/** Caches the keys by id. An unknown id triggers a fetch; fetches run one at a time and are rate limited. */
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
    /** Fetches the current keys. A pending fetch is not reused: it may have started before they changed. */
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
 * Creates a verifier of access tokens. It accepts only EdDSA, the exact issuer and audience, and the
 * current keys of the directory. A token cannot select another algorithm or bring its own key.
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
        throw toRejection(cause);
      });
    },
  };
}

/**
 * Converts a verification failure. An expired token keeps its claims, because its signature was verified
 * first. The claims of a token with any other fault are not trusted.
 */
function toRejection(cause: unknown): AppError {
  if (cause instanceof RefusedTokenError) return cause;
  const expired = cause instanceof errors.JWTExpired ? TokenClaims.safeParse(cause.payload) : undefined;
  return expired?.success
    ? new RefusedTokenError(expired.data, cause)
    : new AppError('UNAUTHENTICATED', { cause });
}

function asUnauthenticated<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new AppError('UNAUTHENTICATED', { cause });
  }
}
