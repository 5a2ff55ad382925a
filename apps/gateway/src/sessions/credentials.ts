import { AppError, Id } from '@gatehouse/contract';
import type { Exchange } from '../respond.js';
import { SESSION_COOKIE, type Cookies } from './cookies.js';
import { requireCsrfToken } from './origins.js';
import type { SessionTokens } from './sessionTokens.js';

/** The access token of a request. */
export interface Credentials {
  /** The token, if it is known without a call. */
  known: string | null;
  /** Returns the token. A session may need a new one. */
  find(): Promise<string>;
}

export interface CredentialsOptions {
  cookies: Cookies;
  tokens: SessionTokens;
  publicUrl: string | undefined;
}

/** Finds the access token of requests: that of the header, or else that of the session of the cookie. */
export class CredentialsReader {
  readonly #options: CredentialsOptions;

  constructor(options: CredentialsOptions) {
    this.#options = options;
  }

  /**
   * @throws UNAUTHENTICATED without a token and a session
   * @throws CSRF_REJECTED for a request of a session that comes from another site, or has no CSRF token
   */
  read({ request, requestId }: Exchange): Credentials {
    const { cookies, tokens, publicUrl } = this.#options;
    const { authorization } = request.headers;
    const cookie = authorization === undefined ? cookies.read(request, SESSION_COOKIE) : null;
    if (cookie === null) {
      const token = readBearer(authorization);
      return { known: token, find: async () => token };
    }
    requireCsrfToken(request, cookie, publicUrl);
    const projectId = readProject(request.headers['x-gatehouse-project']);
    return {
      known: tokens.peek(cookie, projectId)?.accessToken ?? null,
      find: async () => (await tokens.find(cookie, projectId, requestId)).accessToken,
    };
  }
}

/** Returns the token of an `Authorization` header (RFC 6750). Throws UNAUTHENTICATED if there is none. */
export function readBearer(authorization: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new AppError('UNAUTHENTICATED');
  return token;
}

function readProject(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const parsed = Id.safeParse(header);
  if (parsed.success) return parsed.data;
  throw new AppError('FORBIDDEN', { message: 'X-Gatehouse-Project is not the id of a project' });
}
