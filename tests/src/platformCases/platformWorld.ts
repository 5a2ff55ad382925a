import type { Session } from '../api.js';
import type { ObservedServer } from '../observedServer.js';
import type { RawAnswer } from '../rawRequest.js';

export const JSON_TYPE = 'application/json';
export const MANAGEMENT = '/api/management/v1';

/** A platform and an authenticated caller. */
export interface PlatformWorld {
  observed: ObservedServer;
  author: Session;
}

/** The header that a session sends with each request. */
export const bearer = ({ token }: Session) => ({ authorization: `Bearer ${token}` });

/** The names of a response's CORS headers. */
export const corsHeadersOf = ({ headers }: RawAnswer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control'));
