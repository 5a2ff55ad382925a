import {
  createRemoteJWKSet,
  customFetch as customKeyFetch,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import * as openid from 'openid-client';
import { createBoundedFetch, ProviderUnavailableError, type BoundedFetch } from './boundedFetch.js';
import type { Claims } from './mapping.js';
import type { OidcSettings } from './settings.js';

/** Signatures by keys that the provider publishes: neither `none`, nor a shared secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const TIMEOUT_SECONDS = 5;
/** The discovery document is read again after this time. */
const DISCOVERY_MS = 10 * 60_000;
/** The time between two attempts to reach a provider that is down. */
const RETRY_MS = 1000;
/** The time between two requests for the keys, for a key that is not known. */
const KEYS_COOLDOWN_MS = 1000;
const CLOCK_TOLERANCE_SECONDS = 30;
const LOGOUT_TOKEN_AGE_SECONDS = 600;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LOGOUT_TYPES: readonly (string | undefined)[] = [undefined, 'jwt', 'logout+jwt'];

/** What binds a response of the provider to the browser that has started the sign-in. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The sessions that a provider ends. */
export interface ProviderLogout {
  issuer: string;
  subject?: string;
  providerSession?: string;
  tokenId: string;
  /** ISO 8601. */
  expiresAt: string;
}

/** The provider as its discovery document describes it. */
interface Discovered {
  config: openid.Configuration;
  keys: JWTVerifyGetKey;
  /** Who must have issued a token, and for whom. */
  expected: { issuer: string; audience: string };
}

/** A response of the provider that is not valid, or not for this gateway. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** A response in which the provider, or the person there, rejects the sign-in. */
export class ProviderRefusedError extends Error {
  override readonly name = 'ProviderRefusedError';
}

/** Signs people in at an OpenID provider, by the authorization code flow with PKCE. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #fetch: BoundedFetch;
  #discovered: { result: Promise<Discovered>; untilMs: number } | null = null;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#fetch = createBoundedFetch(settings.hosts);
  }

  get redirectUri(): string {
    return `${this.#settings.publicUrl}/console/session/callback`;
  }

  /** The address at which a person signs in. Throws ProviderUnavailableError. */
  async authorizationUrl({ state, nonce, codeVerifier }: SignInChecks): Promise<string> {
    const { config } = await this.#discover();
    return openid.buildAuthorizationUrl(config, {
      redirect_uri: this.redirectUri,
      scope: this.#settings.scope,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Exchanges the code of a response for an ID token, and returns its claims.
   *
   * @param search the query of the response, with its question mark
   * @throws ProviderRefusedError, ProviderUnavailableError, InvalidResponseError
   */
  async exchange(search: string, { state, nonce, codeVerifier }: SignInChecks): Promise<Claims> {
    const { config, keys, expected } = await this.#discover();
    const checks = {
      pkceCodeVerifier: codeVerifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    };
    const address = new URL(this.redirectUri + search);
    const tokens = await openid.authorizationCodeGrant(config, address, checks).catch(explain);
    // The library checks the claims. The signature is checked here, with keys that may just have changed.
    return verify(tokens.id_token ?? '', keys, expected);
  }

  /** Checks a logout token (OpenID Connect Back-Channel Logout 1.0). Throws as `exchange` does. */
  async readLogoutToken(token: string): Promise<ProviderLogout> {
    const { keys, expected } = await this.#discover();
    const claims = await verify(token, keys, {
      ...expected,
      maxTokenAge: LOGOUT_TOKEN_AGE_SECONDS,
      requiredClaims: ['iat', 'jti', 'events'],
      types: LOGOUT_TYPES,
    });
    return toLogout(claims);
  }

  /** The address at which a person signs out of the provider; null if it has none. */
  async endSessionUrl(): Promise<string | null> {
    const { config } = await this.#discover();
    if (config.serverMetadata().end_session_endpoint === undefined) return null;
    // Without `id_token_hint`: the page must not see a token.
    const post_logout_redirect_uri = `${this.#settings.publicUrl}/console/`;
    return openid.buildEndSessionUrl(config, { post_logout_redirect_uri }).href;
  }

  /** One request at a time. A failure is not kept for long, and meanwhile costs no request. */
  #discover(): Promise<Discovered> {
    const known = this.#discovered;
    if (known && Date.now() < known.untilMs) return known.result;
    const result = this.#requestDiscovery();
    const entry = { result, untilMs: Date.now() + DISCOVERY_MS };
    this.#discovered = entry;
    result.catch(() => {
      entry.untilMs = Date.now() + RETRY_MS;
    });
    return result;
  }

  async #requestDiscovery(): Promise<Discovered> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const isPlain = issuer.protocol === 'http:';
    const authentication =
      clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret);
    const config = await openid
      .discovery(issuer, clientId, {}, authentication, {
        timeout: TIMEOUT_SECONDS,
        [openid.customFetch]: (url, options) => this.#fetch(url, options as RequestInit),
        execute: isPlain ? [openid.allowInsecureRequests] : [],
      })
      .catch(explain);
    const { issuer: stated, jwks_uri } = config.serverMetadata();
    // The library accepts some other issuers of known providers.
    if (stated !== issuerOf(issuer) && stated !== issuer.href)
      throw new InvalidResponseError(`the provider states another issuer: ${stated}`);
    if (jwks_uri === undefined) throw new InvalidResponseError('the provider states no jwks_uri');
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: TIMEOUT_SECONDS * 1000,
      cooldownDuration: KEYS_COOLDOWN_MS,
      [customKeyFetch]: this.#fetch,
    });
    return { config, keys, expected: { issuer: stated, audience: clientId } };
  }
}

/** An issuer is compared as text. The parser of addresses adds a slash to one without a path. */
function issuerOf({ href, pathname }: URL): string {
  return pathname === '/' ? href.slice(0, -1) : href;
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  { types, ...options }: Parameters<typeof jwtVerify>[2] & { types?: readonly (string | undefined)[] },
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      ...options,
    });
    if (types && !types.includes(protectedHeader.typ?.toLowerCase()))
      throw new InvalidResponseError('the token is of another type');
    return payload;
  } catch (cause) {
    return explain(cause);
  }
}

function toLogout({ iss = '', sub, sid, jti = '', iat = 0, exp, nonce, events }: JWTPayload): ProviderLogout {
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT);
  const isNamed = typeof sub === 'string' || typeof sid === 'string';
  // An ID token has a nonce, and must not be taken for a logout token.
  if (!isLogout || nonce !== undefined || !isNamed) throw new InvalidResponseError('this is no logout token');
  const last = iat + LOGOUT_TOKEN_AGE_SECONDS + CLOCK_TOLERANCE_SECONDS;
  return {
    issuer: iss,
    ...(typeof sub === 'string' ? { subject: sub } : {}),
    ...(typeof sid === 'string' ? { providerSession: sid } : {}),
    tokenId: jti,
    expiresAt: new Date(Math.max(last, exp ?? 0) * 1000).toISOString(),
  };
}

/** Converts the failures of the libraries into those of the provider. */
function explain(cause: unknown): never {
  for (let error: unknown = cause; error instanceof Error; error = error.cause) {
    if (error instanceof ProviderUnavailableError || error instanceof InvalidResponseError) throw error;
    if (error instanceof openid.AuthorizationResponseError)
      throw new ProviderRefusedError('the provider rejects the sign-in', { cause });
  }
  throw new InvalidResponseError('the response of the provider is not valid', { cause });
}
