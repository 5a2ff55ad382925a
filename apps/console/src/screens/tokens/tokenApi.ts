import { createClient } from '@gatehouse/client';
import type { Api } from '../../data/api.js';

/**
 * Creates a client without the session, for requests that a secret or a token authenticates. A rejection of
 * these does not end the session.
 */
export function createTokenApi(accessToken?: string): Api {
  const send: typeof fetch = (url, init) => fetch(url, { ...init, credentials: 'omit' });
  const token = accessToken === undefined ? {} : { accessToken };
  return createClient({ baseUrl: location.origin, fetch: send, ...token });
}

/** Revokes a token, which authenticates the request itself. */
export function revokeToken(token: string): Promise<unknown> {
  return createTokenApi(token).invalidateToken();
}
