import { createApi, type Api } from './api.js';
import { readClaims, type ShownClaims } from './logic/tokenClaims.js';

/** A session of a user, until the page is reloaded. */
export interface Session {
  claims: ShownClaims;
  /** Requests that are aborted when the user leaves the view. */
  apiUntil(signal: AbortSignal): Api;
  /** Revokes the token if this page requested it; a pasted token is only discarded. */
  end(): Promise<void>;
}

/** A session with a token; null if the text is not an access token. */
export function openSession(accessToken: string, isOwn: boolean): Session | null {
  const claims = readClaims(accessToken);
  if (claims === null) return null;
  return {
    claims,
    apiUntil: (signal) => createApi(accessToken, signal),
    end: async () => {
      if (isOwn) await createApi(accessToken).post('/api/v1/invalidate-token', {});
    },
  };
}
