import type { IncomingMessage } from 'node:http';
import { AppError, Secret } from '@gatehouse/contract';
import { hashSecret, newSecret, type CallOrigin, type ServiceClients } from '@gatehouse/service';
import { z } from 'zod';
import { bucketOf, type RateLimit } from '../limits.js';
import { parseBody } from '../readBody.js';
import type { Exchange, GatewayResponse } from '../respond.js';
import { SESSION_COOKIE, type Cookies } from './cookies.js';
import { csrfTokenOf, requireCsrfToken, requireSameOrigin } from './origins.js';

/** An operation of the console's session. It has no token, and is no part of the API. */
export interface SessionOperation {
  route: { method: 'GET' | 'POST'; path: string; operationId: string };
  /** Parses the body. */
  parse(request: IncomingMessage, bytes: Buffer): Promise<Record<string, unknown>>;
  run(exchange: Exchange, body: Record<string, unknown>): Promise<GatewayResponse>;
}

export interface SessionOperationsOptions {
  sessions: ServiceClients['directory']['sessions'];
  origin: (requestId: string) => Promise<CallOrigin>;
  cookies: Cookies;
  publicUrl: string | undefined;
  /** For each address: attempts to sign in. */
  signInLimit: RateLimit | null;
  forgetPrincipals: (organizationId: string) => void;
}

const BASE = '/console/session';
const USER_AGENT_MAX = 200;
const CodeBody = z.strictObject({ code: Secret });

function respond(status: number, body = '', headers: readonly string[] = []): GatewayResponse {
  return { status, contentType: 'application/json', entityTag: null, body, headers };
}

/** The address and the browser of a request, for the audit log. */
export function clientOf({ caller, request }: Exchange): { address: string; userAgent: string } {
  const named = request.headers['user-agent'] ?? '';
  // Browsers name themselves in ASCII. Other characters have no place in a log.
  const userAgent = named.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, USER_AGENT_MAX);
  return { address: caller.address ?? '', userAgent };
}

/** The operations with which the console signs in and out. */
export class SessionOperations {
  readonly #options: SessionOperationsOptions;

  constructor(options: SessionOperationsOptions) {
    this.#options = options;
  }

  list(): SessionOperation[] {
    const parse = parseBody;
    return [
      {
        route: { method: 'GET', path: BASE, operationId: 'getConsoleSession' },
        parse,
        run: (exchange) => this.#read(exchange),
      },
      {
        route: { method: 'POST', path: `${BASE}/code`, operationId: 'signInWithCode' },
        parse,
        run: (exchange, body) => this.#signInWithCode(exchange, body),
      },
      {
        route: { method: 'POST', path: `${BASE}/sign-out`, operationId: 'signOut' },
        parse,
        run: (exchange) => this.#signOut(exchange),
      },
    ];
  }

  async #read({ request, requestId }: Exchange): Promise<GatewayResponse> {
    const { cookies, sessions, origin, publicUrl } = this.#options;
    requireSameOrigin(request, publicUrl);
    const methods = { oidc: false, code: true };
    const cookie = cookies.read(request, SESSION_COOKIE);
    const signedOut = JSON.stringify({ signedIn: false, methods });
    if (cookie === null) return respond(200, signedOut);
    const context = await origin(requestId);
    const { session } = await sessions.find.query({ cookieHash: hashSecret(cookie) }, { context });
    if (session === null)
      return respond(200, signedOut, ['Set-Cookie', cookies.clear(request, SESSION_COOKIE)]);
    const { user, projects, id, createdAt, expiresAt } = session;
    const csrfToken = csrfTokenOf(cookie);
    const body = {
      signedIn: true,
      methods,
      session: { id, createdAt, expiresAt },
      user,
      projects,
      csrfToken,
    };
    return { ...respond(200, JSON.stringify(body)), holdsSecret: true };
  }

  async #signInWithCode(exchange: Exchange, body: Record<string, unknown>): Promise<GatewayResponse> {
    const { cookies, sessions, origin, publicUrl, signInLimit } = this.#options;
    const { request, requestId, caller, headers } = exchange;
    requireSameOrigin(request, publicUrl);
    await signInLimit?.count(bucketOf(caller.address ?? ''), headers);
    const parsed = CodeBody.safeParse(body);
    if (!parsed.success) throw new AppError('INVALID_REQUEST', { message: 'The body must be {"code": "…"}' });
    const cookie = newSecret();
    const former = cookies.read(request, SESSION_COOKIE);
    await sessions.createFromCode.mutate(
      {
        signInCode: parsed.data.code,
        cookieHash: hashSecret(cookie),
        ...(former === null ? {} : { formerCookieHash: hashSecret(former) }),
        ...clientOf(exchange),
      },
      { context: await origin(requestId) },
    );
    return respond(204, '', ['Set-Cookie', cookies.write(request, SESSION_COOKIE, cookie)]);
  }

  async #signOut({ request, requestId }: Exchange): Promise<GatewayResponse> {
    const { cookies, sessions, origin, publicUrl, forgetPrincipals } = this.#options;
    const cleared = ['Set-Cookie', cookies.clear(request, SESSION_COOKIE)];
    const cookie = cookies.read(request, SESSION_COOKIE);
    if (cookie === null) {
      requireSameOrigin(request, publicUrl);
      return respond(204, '', cleared);
    }
    requireCsrfToken(request, cookie, publicUrl);
    const context = await origin(requestId);
    const { organizationId } = await sessions.end.mutate({ cookieHash: hashSecret(cookie) }, { context });
    if (organizationId !== null) forgetPrincipals(organizationId);
    return respond(204, '', cleared);
  }
}
