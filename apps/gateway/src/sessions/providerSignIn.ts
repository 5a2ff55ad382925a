import type { IncomingMessage } from 'node:http';
import { AppError, Email, isStorableText, type SignInRejection } from '@gatehouse/contract';
import {
  findAppError,
  hashSecret,
  newSecret,
  type CallOrigin,
  type Logger,
  type ServiceClients,
} from '@gatehouse/service';
import { bucketOf, type RateLimit } from '../limits.js';
import { ProviderUnavailableError } from '../oidc/boundedFetch.js';
import { isEmailVerified, mapClaims, type Claims } from '../oidc/mapping.js';
import { InvalidResponseError, ProviderRefusedError, type OidcProvider } from '../oidc/provider.js';
import type { OidcSettings } from '../oidc/settings.js';
import type { Exchange, GatewayResponse } from '../respond.js';
import { ATTEMPT_COOKIE, readAttempt, startAttempt, toConsolePath } from './attempt.js';
import { clientOf } from './client.js';
import { SESSION_COOKIE, type Cookies } from './cookies.js';

/** Why a sign-in failed, as the page gets it. */
type SignInError =
  | SignInRejection
  | 'STATE'
  | 'PROVIDER_REFUSED'
  | 'PROVIDER_UNAVAILABLE'
  | 'INVALID_RESPONSE'
  | 'NOT_MAPPED'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE';

class SignInFailure extends Error {
  constructor(readonly reason: SignInError) {
    super(reason);
  }
}

export interface ProviderSignInOptions {
  sessions: ServiceClients['directory']['sessions'];
  origin: (requestId: string) => Promise<CallOrigin>;
  cookies: Cookies;
  settings: OidcSettings;
  provider: OidcProvider;
  /** For each address: attempts to sign in. */
  signInLimit: RateLimit | null;
  /** Failures in the audit log. Those past the limit are in the log of the gateway only. */
  reportLimit: RateLimit | null;
  forgetPrincipals: (organizationId: string) => void;
  log: Logger;
}

const NAME_MAX = 200;
const SESSION_ID_MAX = 255;

function redirect(target: string, cookies: readonly string[] = []): GatewayResponse {
  const headers = ['Location', target, ...cookies.flatMap((cookie) => ['Set-Cookie', cookie])];
  return { status: 302, contentType: 'text/plain; charset=utf-8', entityTag: null, body: '', headers };
}

const queryOf = ({ url }: Exchange): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

function reasonOf(error: unknown): SignInError {
  if (error instanceof SignInFailure) return error.reason;
  if (error instanceof ProviderUnavailableError) return 'PROVIDER_UNAVAILABLE';
  if (error instanceof ProviderRefusedError) return 'PROVIDER_REFUSED';
  if (error instanceof InvalidResponseError) return 'INVALID_RESPONSE';
  return findAppError(error)?.code === 'RATE_LIMITED' ? 'RATE_LIMITED' : 'UNAVAILABLE';
}

/** A text claim; undefined unless it can be stored. */
function textOf(value: unknown, max: number): string | undefined {
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= max;
  return isText && isStorableText(value) ? value : undefined;
}

/** Signs people in at the provider: the start, its response, and the end of sessions that it requests. */
export class ProviderSignIn {
  readonly #options: ProviderSignInOptions;

  constructor(options: ProviderSignInOptions) {
    this.#options = options;
  }

  /** Sends a browser to the provider. Throws INVALID_REQUEST for a target that is no page of the console. */
  async start(exchange: Exchange): Promise<GatewayResponse> {
    const returnTo = toConsolePath(new URLSearchParams(queryOf(exchange)).get('returnTo'));
    if (returnTo === null)
      throw new AppError('INVALID_REQUEST', { message: 'returnTo must be a path of the console' });
    const { cookies, provider } = this.#options;
    const { request } = exchange;
    return this.#orExplain(exchange, [], async () => {
      await this.#count(exchange);
      const session = cookies.read(request, SESSION_COOKIE);
      const formerCookieHash = session === null ? null : hashSecret(session);
      const { cookie, checks } = startAttempt({ returnTo, formerCookieHash }, new Date());
      const target = await provider.authorizationUrl(checks);
      return redirect(target, [cookies.write(request, ATTEMPT_COOKIE, cookie)]);
    });
  }

  /** Signs a person in with the response of the provider. A cookie serves one response. */
  async finish(exchange: Exchange): Promise<GatewayResponse> {
    const { cookies } = this.#options;
    const { request } = exchange;
    const cleared = cookies.clear(request, ATTEMPT_COOKIE);
    return this.#orExplain(exchange, [cleared], async () => {
      await this.#count(exchange);
      const value = cookies.read(request, ATTEMPT_COOKIE);
      const attempt = value === null ? null : readAttempt(value, new Date());
      const search = queryOf(exchange);
      // Of two values, none is that of the provider.
      const [state, ...others] = new URLSearchParams(search).getAll('state');
      if (attempt === null || others.length > 0 || state !== attempt.checks.state)
        throw new SignInFailure('STATE');
      const claims = await this.#options.provider.exchange(search, attempt.checks);
      const session = await this.#createSession(exchange, claims, attempt.formerCookieHash);
      return redirect(attempt.returnTo, [cleared, session]);
    });
  }

  /** Ends the sessions that a logout token names. Throws INVALID_REQUEST for one that is not valid. */
  async logOut(exchange: Exchange, token: unknown): Promise<GatewayResponse> {
    const { sessions, origin, provider, forgetPrincipals, log } = this.#options;
    const { requestId } = exchange;
    try {
      const logout = await provider.readLogoutToken(String(token));
      const context = await origin(requestId);
      const { isNew, organizationIds } = await sessions.endByProvider.mutate(logout, { context });
      for (const id of organizationIds) forgetPrincipals(id);
      if (!isNew) throw new InvalidResponseError('the logout token was used before');
    } catch (err) {
      const isUnavailable = err instanceof ProviderUnavailableError;
      if (!isUnavailable && !(err instanceof InvalidResponseError)) throw err;
      // First: a failure past the limit is not logged.
      await this.#count(exchange);
      if (isUnavailable) throw new AppError('UNAVAILABLE', { cause: err });
      log.warn({ err, requestId }, 'logout token rejected');
      throw new AppError('INVALID_REQUEST', { message: 'The logout token is not valid' });
    }
    return { status: 200, contentType: 'application/json', entityTag: null, body: '{}', headers: [] };
  }

  /** The address at which a person signs out of the provider; null if it has none, or is down. */
  endSessionUrl(): Promise<string | null> {
    return this.#options.provider.endSessionUrl().catch(() => null);
  }

  async #count({ caller, headers }: Exchange): Promise<void> {
    await this.#options.signInLimit?.count(bucketOf(caller.address ?? ''), headers);
  }

  async #createSession(exchange: Exchange, claims: Claims, formerCookieHash: string | null): Promise<string> {
    const { cookies, sessions, origin, settings, forgetPrincipals } = this.#options;
    const { request, requestId } = exchange;
    const person = mapClaims(settings.mapping, claims);
    if (person === null) throw new SignInFailure('NOT_MAPPED');
    const cookie = newSecret();
    // It comes with the redirect if the provider is a host of the same site.
    const present = cookies.read(request, SESSION_COOKIE);
    const former = present === null ? formerCookieHash : hashSecret(present);
    const providerSession = textOf(claims['sid'], SESSION_ID_MAX);
    const outcome = await sessions.createFromProvider.mutate(
      {
        issuer: String(claims['iss']),
        subject: String(claims['sub']),
        ...(providerSession === undefined ? {} : { providerSession }),
        email: Email.safeParse(claims['email']).data ?? null,
        isEmailVerified: isEmailVerified(settings.mapping, claims),
        name: textOf(claims['name'], NAME_MAX) ?? null,
        person,
        matchesEmail: settings.matchesEmail,
        cookieHash: hashSecret(cookie),
        ...(former === null ? {} : { formerCookieHash: former }),
        ...clientOf(exchange),
      },
      { context: await origin(requestId) },
    );
    if (outcome.outcome === 'rejected') throw new SignInFailure(outcome.reason);
    // The claims may have changed the role and the groups of the person.
    forgetPrincipals(person.organizationId);
    return cookies.write(request, SESSION_COOKIE, cookie);
  }

  /**
   * Sends the browser to the console with the code of a failure, whose details are in the log. A stranger may
   * send any number of requests past the limit, which are therefore not logged.
   */
  async #orExplain(
    exchange: Exchange,
    cookies: readonly string[],
    run: () => Promise<GatewayResponse>,
  ): Promise<GatewayResponse> {
    try {
      return await run();
    } catch (error) {
      const reason = reasonOf(error);
      const { log } = this.#options;
      if (reason !== 'RATE_LIMITED')
        log.warn({ err: error, reason, requestId: exchange.requestId }, 'sign-in failed');
      await this.#report(exchange, reason).catch((err: unknown) => log.warn({ err }, 'failure not reported'));
      return redirect(`/console/?signInError=${reason}`, cookies);
    }
  }

  /** The directory reports the failures of people. This reports those of responses, within a limit. */
  async #report(exchange: Exchange, reason: SignInError): Promise<void> {
    const { reportLimit, sessions, origin, settings } = this.#options;
    if (!REPORTED.has(reason)) return;
    const isOver = await reportLimit?.count('', []).then(
      () => false,
      () => true,
    );
    if (isOver) return;
    const { organizationId } = settings.mapping;
    await sessions.reportFailure.mutate(
      { organizationId, reason, ...clientOf(exchange) },
      { context: await origin(exchange.requestId) },
    );
  }
}

const REPORTED: ReadonlySet<SignInError> = new Set([
  'STATE',
  'PROVIDER_REFUSED',
  'PROVIDER_UNAVAILABLE',
  'INVALID_RESPONSE',
  'NOT_MAPPED',
]);

/** Reads the form of a logout request. Throws UNSUPPORTED_MEDIA_TYPE for any other body. */
export async function parseForm(request: IncomingMessage, bytes: Buffer): Promise<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The request body must be application/x-www-form-urlencoded',
    });
  return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
}
