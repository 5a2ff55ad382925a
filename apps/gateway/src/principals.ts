import type { Principal, TokenClaims } from '@gatehouse/contract';
import { countLookup, RecentMap } from '@gatehouse/service';
import { RefusedTokenError } from './refusedToken.js';

/** Characters of access tokens that are remembered together: some 50,000 tokens of the usual length. */
const REMEMBERED_CHARACTERS = 32 * 1024 * 1024;

export interface PrincipalsOptions {
  /** Verifies an access token. Throws UNAUTHENTICATED, or UNAVAILABLE when it cannot tell. */
  verify(token: string): Promise<TokenClaims>;
  /** Who the bearer is now; null when nobody. */
  resolve(claims: TokenClaims): Promise<Principal | null>;
  /** How long an answer of `resolve` is used when nothing says that it changed. */
  lifetimeMs: number;
}

/** Counts how often what is known of an organization's people was forgotten. */
interface Organization {
  generation: number;
}

/** An access token that was found to be right. */
interface VerifiedToken {
  claims: TokenClaims;
  organization: Organization;
  expiresAtMs: number;
  known: { principal: Principal | null; generation: number; untilMs: number } | null;
  pending: { answer: Promise<Principal | null>; generation: number } | null;
}

/**
 * Who the bearers of access tokens are, remembered for a short while. Nothing that was asked before a `forget` is
 * remembered, or given to a request that came, after it.
 */
export class Principals {
  readonly #options: PrincipalsOptions;
  readonly #tokens = new RecentMap<VerifiedToken>(REMEMBERED_CHARACTERS);
  readonly #organizations = new Map<string, Organization>();

  constructor(options: PrincipalsOptions) {
    this.#options = options;
  }

  /** The bearer of a token. Throws UNAUTHENTICATED, or UNAVAILABLE while the directory cannot be asked. */
  async find(token: string): Promise<Principal> {
    const remembered = this.#tokens.get(token);
    countLookup('access_tokens', remembered !== undefined);
    const verified = remembered ?? (await this.#verify(token));
    const now = Date.now();
    if (now >= verified.expiresAtMs) {
      this.#tokens.delete(token);
      throw new RefusedTokenError(verified.claims);
    }
    const { known, organization } = verified;
    const isFresh = known !== null && known.generation === organization.generation && now < known.untilMs;
    countLookup('principals', isFresh);
    const principal = isFresh ? known.principal : await this.#resolve(verified);
    if (principal === null) throw new RefusedTokenError(verified.claims);
    return principal;
  }

  /** Forgets what is known of an organization's people. */
  forget(organizationId: string): void {
    const organization = this.#organizations.get(organizationId);
    if (organization) organization.generation += 1;
  }

  /** Forgets what is known of everyone. */
  forgetAll(): void {
    for (const organization of this.#organizations.values()) organization.generation += 1;
  }

  /** Verifies every token anew from now on: the keys have changed. */
  forgetTokens(): void {
    this.#tokens.clear();
  }

  async #verify(token: string): Promise<VerifiedToken> {
    const claims = await this.#options.verify(token);
    const { organizationId } = claims;
    const organization = this.#organizations.get(organizationId) ?? { generation: 0 };
    this.#organizations.set(organizationId, organization);
    const verified = { claims, organization, expiresAtMs: claims.exp * 1000, known: null, pending: null };
    // Of two requests that verify the same token at once, both go on with what the first one made.
    const earlier = this.#tokens.get(token);
    if (earlier) return earlier;
    this.#tokens.set(token, verified);
    return verified;
  }

  #resolve(verified: VerifiedToken): Promise<Principal | null> {
    const { generation } = verified.organization;
    if (verified.pending?.generation === generation) return verified.pending.answer;
    const answer = this.#ask(verified, generation);
    verified.pending = { answer, generation };
    return answer;
  }

  async #ask(verified: VerifiedToken, generation: number): Promise<Principal | null> {
    // Counted from the question: the answer may already be old when it comes.
    const untilMs = Date.now() + this.#options.lifetimeMs;
    try {
      const principal = await this.#options.resolve(verified.claims);
      if (verified.organization.generation === generation) {
        verified.known = { principal, generation, untilMs };
      }
      return principal;
    } finally {
      if (verified.pending?.generation === generation) verified.pending = null;
    }
  }
}
