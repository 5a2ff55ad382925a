/** An access token as it was issued. */
export interface IssuedToken {
  /** The token, for the `Authorization` header. */
  accessToken: string;
  /** Its expiry, as ISO 8601. */
  expiresAt: string;
}

/** Returns a new access token; a token without a known expiry is kept until it is rejected. */
export type FetchToken = () => Promise<string | IssuedToken>;

/** The source of access tokens for requests. */
export interface TokenSource {
  /** A token that is valid as far as is known. */
  get(): Promise<string>;
  /** Another token instead of a rejected one; null if there is no other. */
  replace(refused: string): Promise<string | null>;
}

interface HeldToken {
  accessToken: string;
  /** When it is renewed and when it expires, in milliseconds since 1970. */
  renewAt: number;
  endsAt: number;
}

/** A token is renewed when a tenth of its lifetime remains, but at most a minute before it expires. */
const RENEWAL_SHARE = 0.1;
const RENEWAL_MAX_MS = 60_000;

function hold(token: string | IssuedToken, now: number): HeldToken {
  if (typeof token === 'string') return { accessToken: token, renewAt: Infinity, endsAt: Infinity };
  const endsAt = Date.parse(token.expiresAt);
  // With a wrong clock, a new token may seem expired; then only a rejection counts.
  if (!(endsAt > now)) return { accessToken: token.accessToken, renewAt: Infinity, endsAt: Infinity };
  const renewAt = endsAt - Math.min(RENEWAL_MAX_MS, (endsAt - now) * RENEWAL_SHARE);
  return { accessToken: token.accessToken, renewAt, endsAt };
}

/** One token that is never renewed. */
export function keepToken(accessToken: string): TokenSource {
  return { get: async () => accessToken, replace: async () => null };
}

/** Tokens that are fetched when needed, by one request at a time for all concurrent callers. */
export function renewTokens(fetchToken: FetchToken, now: () => number = Date.now): TokenSource {
  let held: HeldToken | null = null;
  let fetching: Promise<HeldToken> | null = null;

  const fetchOnce = async () => {
    held = hold(await fetchToken(), now());
    return held;
  };
  const renew = (): Promise<HeldToken> => {
    fetching ??= fetchOnce().finally(() => (fetching = null));
    return fetching;
  };

  return {
    async get() {
      const present = held;
      if (present && now() < present.renewAt) return present.accessToken;
      try {
        return (await renew()).accessToken;
      } catch (error) {
        // The token that was due for renewal is still valid.
        if (present && present === held && now() < present.endsAt) return present.accessToken;
        throw error;
      }
    },
    async replace(refused) {
      if (held && held.accessToken !== refused) return held.accessToken;
      const { accessToken } = await renew();
      return accessToken === refused ? null : accessToken;
    },
  };
}
