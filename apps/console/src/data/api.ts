import { createClient, type Client } from '@gatehouse/client';
import { createContext, use } from 'react';

/** The REST client of a session and a project. The browser adds the cookie; its token is not in the page. */
export type Api = Client;

export const ApiContext = createContext<Api | null>(null);

/** The REST client. */
export function useApi(): Api {
  const api = use(ApiContext);
  if (api === null) throw new Error('useApi is used outside of a session');
  return api;
}

/**
 * Creates the client whose requests act in a project.
 *
 * @param onSessionEnd called when a response states that the session has ended
 */
export function createApi(projectId: string, csrfToken: string, onSessionEnd: () => void): Api {
  const send: typeof fetch = async (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('x-gatehouse-project', projectId);
    if (init.method !== undefined && init.method !== 'GET') headers.set('x-csrf-token', csrfToken);
    const response = await fetch(url, { ...init, headers, credentials: 'same-origin' });
    if (response.status === 401) onSessionEnd();
    return response;
  };
  return createClient({ baseUrl: location.origin, fetch: send });
}
