import { createApi, type Api } from './api.js';
import { readClaims, type ShownClaims } from './logic/tokenClaims.js';

/** Somebody who has signed in, for as long as the page is not loaded again. */
export interface Session {
  claims: ShownClaims;
  /** Requests that end when the view is left. */
  apiUntil(signal: AbortSignal): Api;
  /** Revokes the token, where this page asked for it; a token that was pasted is only forgotten. */
  end(): Promise<void>;
}

/** A session on a token; null when the text is no access token. */
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
