import { AppError, Secret } from '@gatehouse/contract';
import {
  findAppError,
  hashSecret,
  newSecret,
  type CallOrigin,
  type ServiceClients,
} from '@gatehouse/service';
import { z } from 'zod';
import { bucketOf, type RateLimit } from '../limits.js';
import { parseBody } from '../readBody.js';
import type { Exchange, GatewayResponse } from '../respond.js';
import { clientOf } from './client.js';
import { SESSION_COOKIE, type Cookies } from './cookies.js';
import { csrfTokenOf, requireCsrfToken, requireSameOrigin } from './origins.js';
import { parseForm, type ProviderSignIn } from './providerSignIn.js';
import type { SessionOperation } from './runOperation.js';

export interface SessionOperationsOptions {
  sessions: ServiceClients['directory']['sessions'];
  origin: (requestId: string) => Promise<CallOrigin>;
  cookies: Cookies;
  publicUrl: string | undefined;
  /** For each address: attempts to sign in at the provider, and failures with codes. */
  signInLimit: RateLimit | null;
  /** For each address: requests with the cookie of no session. */
  addressLimit: RateLimit | null;
  /** Null without a provider. */
  providerSignIn: ProviderSignIn | null;
  forgetPrincipals: (organizationId: string) => void;
}

const BASE = '/console/session';
const CodeBody = z.strictObject({ code: Secret });

function respond(status: number, body = '', headers: readonly string[] = []): GatewayResponse {
  return { status, contentType: 'application/json', entityTag: null, body, headers };
}

/** The operations with which the console signs in and out. */
export class SessionOperations {
  readonly #options: SessionOperationsOptions;

  constructor(options: SessionOperationsOptions) {
    this.#options = options;
  }

  list(): SessionOperation[] {
    const parse = parseBody;
    const { providerSignIn } = this.#options;
    const own: SessionOperation[] = [
      {
        route: { method: 'GET', path: BASE, operationId: 'getConsoleSession' },
        lane: 'short',
        parse,
        run: (exchange) => this.#read(exchange),
      },
      {
        route: { method: 'POST', path: `${BASE}/code`, operationId: 'signInWithCode' },
        lane: 'short',
        parse,
        run: (exchange, body) => this.#signInWithCode(exchange, body),
      },
      {
        route: { method: 'POST', path: `${BASE}/sign-out`, operationId: 'signOut' },
        lane: 'short',
        parse,
        run: (exchange) => this.#signOut(exchange),
      },
    ];
    return providerSignIn === null ? own : [...own, ...providerOperations(providerSignIn)];
  }

  async #read(exchange: Exchange): Promise<GatewayResponse> {
    const { request, requestId } = exchange;
    const { cookies, sessions, origin, publicUrl } = this.#options;
    requireSameOrigin(request, publicUrl);
    const methods = { oidc: this.#options.providerSignIn !== null, code: true };
    const cookie = cookies.read(request, SESSION_COOKIE);
    const signedOut = JSON.stringify({ signedIn: false, methods });
    if (cookie === null) return respond(200, signedOut);
    const context = await origin(requestId);
    const { session } = await sessions.find.query({ cookieHash: hashSecret(cookie) }, { context });
    if (session === null) {
      await this.#countStranger(exchange);
      return respond(200, signedOut, ['Set-Cookie', cookies.clear(request, SESSION_COOKIE)]);
    }
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

  /** Failures alone count: a stranger at the same address locks out no person with a code. */
  async #signInWithCode(exchange: Exchange, body: Record<string, unknown>): Promise<GatewayResponse> {
    const { cookies, sessions, origin, publicUrl, signInLimit } = this.#options;
    const { request, requestId, caller, headers } = exchange;
    requireSameOrigin(request, publicUrl);
    const address = bucketOf(caller.address ?? '');
    const parsed = CodeBody.safeParse(body);
    if (!parsed.success) {
      await signInLimit?.count(address, headers);
      throw new AppError('INVALID_REQUEST', { message: 'The body must be {"code": "…"}' });
    }
    const cookie = newSecret();
    const former = cookies.read(request, SESSION_COOKIE);
    const signIn = {
      signInCode: parsed.data.code,
      cookieHash: hashSecret(cookie),
      reportsFailure: !(await signInLimit?.isSpent(address)),
      ...(former === null ? {} : { formerCookieHash: hashSecret(former) }),
      ...clientOf(exchange),
    };
    const context = await origin(requestId);
    await sessions.createFromCode.mutate(signIn, { context }).catch(async (error: unknown) => {
      if (findAppError(error)?.code === 'UNAUTHENTICATED') await signInLimit?.count(address, headers);
      throw error;
    });
    return respond(204, '', ['Set-Cookie', cookies.write(request, SESSION_COOKIE, cookie)]);
  }

  async #countStranger({ caller, headers }: Exchange): Promise<void> {
    await this.#options.addressLimit?.count(bucketOf(caller.address ?? ''), headers);
  }

  async #signOut(exchange: Exchange): Promise<GatewayResponse> {
    const { request, requestId } = exchange;
    const { cookies, sessions, origin, publicUrl, forgetPrincipals } = this.#options;
    const cleared = ['Set-Cookie', cookies.clear(request, SESSION_COOKIE)];
    const cookie = cookies.read(request, SESSION_COOKIE);
    if (cookie === null) {
      requireSameOrigin(request, publicUrl);
      return respond(204, '', cleared);
    }
    requireCsrfToken(request, cookie, publicUrl);
    const context = await origin(requestId);
    const { organizationId, method } = await sessions.end.mutate(
      { cookieHash: hashSecret(cookie) },
      { context },
    );
    if (organizationId === null) await this.#countStranger(exchange);
    else forgetPrincipals(organizationId);
    const redirectTo = method === 'oidc' ? await this.#options.providerSignIn?.endSessionUrl() : null;
    return redirectTo ? respond(200, JSON.stringify({ redirectTo }), cleared) : respond(204, '', cleared);
  }
}

function providerOperations(providerSignIn: ProviderSignIn): SessionOperation[] {
  const lane = 'long' as const;
  return [
    {
      route: { method: 'GET', path: `${BASE}/sign-in`, operationId: 'startSignIn' },
      lane,
      parse: parseBody,
      run: (exchange) => providerSignIn.start(exchange),
    },
    {
      route: { method: 'GET', path: `${BASE}/callback`, operationId: 'finishSignIn' },
      lane,
      parse: parseBody,
      run: (exchange) => providerSignIn.finish(exchange),
    },
    {
      route: { method: 'POST', path: `${BASE}/back-channel-logout`, operationId: 'logOutByProvider' },
      lane,
      parse: parseForm,
      run: (exchange, body) => providerSignIn.logOut(exchange, body['logout_token']),
    },
  ];
}
