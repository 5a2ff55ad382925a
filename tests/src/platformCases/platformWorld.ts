import type { Session } from '../api.js';
import type { ObservedServer } from '../observedServer.js';
import type { RawAnswer } from '../rawRequest.js';

export const JSON_TYPE = 'application/json';
export const MANAGEMENT = '/api/management/v1';

/** A platform and somebody who may ask for more than an error. */
export interface PlatformWorld {
  observed: ObservedServer;
  author: Session;
}

/** The header that a session sends with each request. */
export const bearer = ({ token }: Session) => ({ authorization: `Bearer ${token}` });

/** The names of an answer's headers that tell a browser what other origins may do. */
export const corsHeadersOf = ({ headers }: RawAnswer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control'));
