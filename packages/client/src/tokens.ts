/** An access token as it was issued. */
export interface IssuedToken {
  accessToken: string;
  /** When it ends, as ISO 8601. */
  expiresAt: string;
}

/** Gives a new access token; one of which the end is not known is kept until it is refused. */
export type FetchToken = () => Promise<string | IssuedToken>;

/** Where the access tokens of requests come from. */
export interface TokenSource {
  /** A token that is good by all that is known. */
  get(): Promise<string>;
  /** Another token in place of one that was refused; null where there is no other. */
  replace(refused: string): Promise<string | null>;
}

interface HeldToken {
  accessToken: string;
  /** From when on it is renewed, and when it ends, in milliseconds since 1970. */
  renewAt: number;
  endsAt: number;
}

/** A token is renewed when a tenth of its time is left, a minute at most. */
const RENEWAL_SHARE = 0.1;
const RENEWAL_MAX_MS = 60_000;

function hold(token: string | IssuedToken, now: number): HeldToken {
  if (typeof token === 'string') return { accessToken: token, renewAt: Infinity, endsAt: Infinity };
  const endsAt = Date.parse(token.expiresAt);
  // By a clock that is wrong a new token may have ended; then only a refusal tells.
  if (!(endsAt > now)) return { accessToken: token.accessToken, renewAt: Infinity, endsAt: Infinity };
  const renewAt = endsAt - Math.min(RENEWAL_MAX_MS, (endsAt - now) * RENEWAL_SHARE);
  return { accessToken: token.accessToken, renewAt, endsAt };
}

/** One token that is never renewed. */
export function keepToken(accessToken: string): TokenSource {
  return { get: async () => accessToken, replace: async () => null };
}

/** Tokens that are fetched as they are needed, by one request at a time however many wait for it. */
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
        // The one that was to be renewed early is still good.
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
