import { AppError, type Principal, type Route, type TokenClaims } from '@gatehouse/contract';
import { countLookup, findAppError, startClocks } from '@gatehouse/service';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Admission } from '../admission/admission.js';
import { memberOf, type Caller } from '../admission/caller.js';
import { RefusedTokenError } from '../authenticate.js';
import type { Endpoint } from '../endpoint.js';
import { bucketOf, type RateLimit } from '../limits.js';
import type { Exchange } from '../respond.js';
import type { CredentialsReader } from '../sessions/credentials.js';

/** Characters of all cached access tokens together: about 50,000 tokens of the usual length. */
const CACHED_CHARACTERS = 32 * 1024 * 1024;
/** The memory of one group of a principal, in characters. A user may be in thousands of groups. */
const GROUP_CHARACTERS = 64;

/** The size of a cached token with its principal. What the token carries itself is as long as the token. */
function sizeOf(token: string, { known }: VerifiedToken): number {
  const principal = known?.principal;
  const groups = principal && 'groupIds' in principal ? principal.groupIds.length : 0;
  return token.length + groups * GROUP_CHARACTERS;
}

/** The longest time from the arrival of a request to its operation in which its first principal is used. */
const WAIT_MS = 1000;

export interface PrincipalsOptions {
  /** Verifies an access token. Throws UNAUTHENTICATED, or UNAVAILABLE if it cannot decide. */
  verify(token: string): Promise<TokenClaims>;
  /** The current principal of the bearer; null if there is none. */
  resolve(claims: TokenClaims): Promise<Principal | null>;
  /** The longest time that a result of `resolve` is used, in milliseconds. Events evict it earlier. */
  lifetimeMs: number;
}

/** Counts the evictions of an organization's principals. */
interface Organization {
  generation: number;
}

/** A lookup in progress. Its result may lack every change since its request. */
interface Lookup {
  result: Promise<Principal | null>;
  generation: number;
  isYoung: () => boolean;
}

/** An access token with a valid signature. */
interface VerifiedToken {
  claims: TokenClaims;
  organization: Organization;
  expiresAtMs: number;
  known: { principal: Principal | null; generation: number; isYoung: () => boolean } | null;
  pending: Lookup | null;
}

/** Whether the cached principal of a token may be used. */
function isFresh({ known, organization }: VerifiedToken): boolean {
  return known !== null && known.generation === organization.generation && known.isYoung();
}

/**
 * The principals of access tokens, cached briefly. A result that was requested before a `forget` is neither
 * cached nor returned to a request that arrives after it.
 */
export class Principals {
  readonly #options: PrincipalsOptions;
  readonly #tokens = new LRUCache<string, VerifiedToken>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (verified, token) => sizeOf(token, verified),
  });
  readonly #organizations = new Map<string, Organization>();

  constructor(options: PrincipalsOptions) {
    this.#options = options;
  }

  /** The principal of a token. Throws UNAUTHENTICATED, or UNAVAILABLE while the directory is unreachable. */
  async find(token: string): Promise<Principal> {
    const cached = this.#tokens.get(token);
    countLookup('access_tokens', cached !== undefined);
    const verified = cached ?? (await this.#verify(token));
    const now = Date.now();
    if (now >= verified.expiresAtMs) {
      this.#tokens.delete(token);
      throw new RefusedTokenError(verified.claims);
    }
    const { known } = verified;
    const isKnown = known !== null && isFresh(verified);
    countLookup('principals', isKnown);
    const principal = isKnown ? known.principal : await this.#resolve(token, verified);
    if (principal === null) throw new RefusedTokenError(verified.claims);
    return principal;
  }

  /**
   * The caller with a cached token, and whether its principal is cached too. Null for any other token.
   * Never calls the directory.
   */
  peek(token: string): { caller: Caller; isFresh: boolean } | null {
    const verified = this.#tokens.get(token);
    if (!verified) return null;
    return { caller: memberOf(verified.claims.organizationId, verified.claims), isFresh: isFresh(verified) };
  }

  /** Evicts the principals of an organization. */
  forget(organizationId: string): void {
    const organization = this.#organizations.get(organizationId);
    if (organization) organization.generation += 1;
  }

  /** Evicts all principals. */
  forgetAll(): void {
    for (const organization of this.#organizations.values()) organization.generation += 1;
  }

  /** Evicts all tokens, so that each is verified again: the keys have changed. */
  forgetTokens(): void {
    this.#tokens.clear();
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const claims = await this.#options.verify(token);
    const { organizationId } = claims;
    const organization = this.#organizations.get(organizationId) ?? { generation: 0 };
    this.#organizations.set(organizationId, organization);
    const verified = { claims, organization, expiresAtMs: claims.exp * 1000, known: null, pending: null };
    // Two requests that verify the same token at once share the result of the first one.
    const earlier = this.#tokens.get(token);
    if (earlier) return earlier;
    this.#tokens.set(token, verified);
    return verified;
  }

  #resolve(token: string, verified: VerifiedToken): Promise<Principal | null> {
    const { generation } = verified.organization;
    const { pending } = verified;
    if (pending?.generation === generation && pending.isYoung()) return pending.result;
    // Counted from the request: the result may already be old when it arrives.
    const elapsedMs = startClocks();
    const isYoung = () => elapsedMs() < this.#options.lifetimeMs;
    const result = this.#options.resolve(verified.claims);
    const lookup: Lookup = { result, generation, isYoung };
    verified.pending = lookup;
    return this.#finish(token, verified, lookup);
  }

  async #finish(token: string, verified: VerifiedToken, lookup: Lookup): Promise<Principal | null> {
    const { result, generation, isYoung } = lookup;
    try {
      const principal = await result;
      const isLatest = verified.pending === lookup;
      if (isLatest && verified.organization.generation === generation) {
        verified.known = { principal, generation, isYoung };
        this.#measure(token, verified);
      }
      return principal;
    } finally {
      if (verified.pending === lookup) verified.pending = null;
    }
  }

  /** Counts the principal of a cached token. The cache measures an entry only when it is added. */
  #measure(token: string, verified: VerifiedToken): void {
    if (this.#tokens.peek(token) !== verified) return;
    this.#tokens.delete(token);
    this.#tokens.set(token, verified);
  }
}

export interface AuthenticationOptions {
  credentials: CredentialsReader;
  principals: Pick<Principals, 'find' | 'peek'>;
  admission: Admission;
  requestLimit: RateLimit | null;
  /** For each address: requests without a valid token, except those for a token. */
  addressLimit: RateLimit | null;
}

function callerOf(principal: Principal): Caller {
  const { organizationId, dashboardId } = principal;
  if (principal.kind === 'tenantUser') return memberOf(organizationId, { tenantId: principal.tenantId });
  return memberOf(organizationId, principal.kind === 'anonymous' ? { dashboardId } : {});
}

/** A request for a token carries a secret instead of a token. */
export function isTokenRequest({ tokens, method }: Route): boolean {
  return tokens === 'none' && method === 'POST';
}

/**
 * Throws FORBIDDEN for a dashboard's token where a project's is required, or that dashboard's own, and for a
 * compiler's token on every other route.
 */
function checkTokenType({ route }: Endpoint, principal: Principal, [id]: readonly string[]): void {
  if (principal.kind === 'compiler') {
    if (route.tokens === 'projectOrCompiler') return;
    throw new AppError('FORBIDDEN', { message: 'A token with the scope sql:compile compiles SQL only' });
  }
  if (principal.tokenType === 'project' || route.tokens === 'any') return;
  const isOwnDashboard = route.tokens === 'projectOrOwnDashboard' && id === principal.dashboardId;
  if (isOwnDashboard && principal.dashboardId !== undefined) return;
  throw new AppError('FORBIDDEN', { message: 'This needs a project token' });
}

/** Resolves the caller of a request and counts the request against its limit, before its body is read. */
export class Authentication {
  readonly #options: AuthenticationOptions;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /** The hook of an endpoint. */
  hookOf(endpoint: Endpoint): (request: FastifyRequest) => Promise<void> {
    const { route } = endpoint;
    if (isTokenRequest(route)) return async () => {};
    if (route.tokens === 'none') return ({ exchange }) => this.#countStranger(exchange);
    return ({ exchange }) => this.#authenticate(exchange, endpoint);
  }

  async #countStranger({ caller, headers }: Exchange): Promise<void> {
    await this.#options.addressLimit?.count(bucketOf(caller.address ?? ''), headers);
  }

  async #authenticate(exchange: Exchange, endpoint: Endpoint): Promise<void> {
    const { admission, requestLimit } = this.#options;
    const principal = await this.#findPrincipal(exchange).catch(async (error: unknown) => {
      if (findAppError(error)?.code === 'UNAUTHENTICATED') await this.#countStranger(exchange);
      throw error;
    });
    exchange.principal = principal;
    exchange.caller = callerOf(principal);
    admission.unread.check(exchange.caller);
    await requestLimit?.count(principal.projectId, exchange.headers);
    checkTokenType(endpoint, principal, exchange.pathValues);
  }

  /**
   * Resolves the caller again before the operation of a request that has waited, for its body or for a place.
   * Throws UNAUTHENTICATED if the access of the caller has ended meanwhile.
   */
  async renew(exchange: Exchange): Promise<void> {
    const { findPrincipal, startedMs } = exchange;
    if (findPrincipal && performance.now() - startedMs > WAIT_MS) exchange.principal = await findPrincipal();
  }

  /** Counts a request that costs as much as several: see `requestsIn`. The first one is already counted. */
  async countRequests({ principal, headers }: Exchange, count: number): Promise<void> {
    if (!principal || count <= 1) return;
    await this.#options.requestLimit?.count(principal.projectId, headers, count - 1);
  }

  /**
   * The bearer of the token, or of the session. A lookup takes a place: of the organization once the token is
   * verified.
   */
  async #findPrincipal(exchange: Exchange): Promise<Principal> {
    const { admission, credentials, principals } = this.#options;
    const { known: token, find } = credentials.read(exchange);
    exchange.findPrincipal = async () => principals.find(await find());
    const known = token === null ? null : principals.peek(token);
    if (known?.isFresh) return exchange.findPrincipal();
    const leave = await admission.lanes.enter('short', known?.caller ?? exchange.caller);
    try {
      return await exchange.findPrincipal();
    } finally {
      leave();
    }
  }
}
