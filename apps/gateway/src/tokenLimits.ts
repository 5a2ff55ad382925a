import { createHmac, randomBytes } from 'node:crypto';
import { findAppError } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { memberOf, type Caller } from './admission/caller.js';
import { bucketOf, type RateLimit } from './limits.js';

/** The maximum number of credentials whose organizations are cached. */
const VERIFIED_MAX = 20_000;

export interface TokenLimitsOptions {
  /** Issued tokens per project or dashboard. */
  issued: RateLimit | null;
  /** Failed requests per address. */
  failed: RateLimit | null;
  /** Failed requests per address and claimed project or dashboard. */
  guessed: RateLimit | null;
  /** Rejects with the error of a token request if the secret is wrong. */
  checkSecret(body: Record<string, unknown>, requestId: string): Promise<void>;
}

export interface TokenAttempt {
  /** The network of the caller. */
  address: string;
  body: Record<string, unknown>;
  requestId: string;
  /** The response headers. The headers of the limits are added to them. */
  headers: string[];
}

/** Returns the unverified project or dashboard id of a token request. */
function claimOf({ projectId, dashboardId }: Record<string, unknown>): string {
  const claimed = projectId ?? dashboardId;
  return typeof claimed === 'string' ? claimed : '';
}

/** Returns true for a rejection that the request itself caused. */
function isFailure(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Returns the organization of a token that the platform has just issued. */
function organizationOf(responseBody: string): string | null {
  const { accessToken } = JSON.parse(responseBody) as { accessToken?: string };
  const payload = accessToken?.split('.')[1];
  if (payload === undefined) return null;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { organizationId?: string };
  return claims.organizationId ?? null;
}

/**
 * Limits token requests. Failures count against the address of the caller, never against the claimed
 * project: a project id is in every token, so any caller could otherwise lock a project out. An exhausted
 * failure limit rejects only further failures, and the response does not depend on whether the project
 * exists. Only issued tokens count against the project.
 */
export class TokenLimits {
  readonly #options: TokenLimitsOptions;
  readonly #key = randomBytes(32);
  /** The organizations of credentials that were valid before. The directory still checks them each time. */
  readonly #verified = new LRUCache<string, string>({ maxSize: VERIFIED_MAX, sizeCalculation: () => 1 });

  constructor(options: TokenLimitsOptions) {
    this.#options = options;
  }

  /**
   * Returns the caller whose share a request uses: its organization if these credentials were valid before,
   * otherwise `fallback`.
   */
  callerOf(body: Record<string, unknown>, fallback: Caller): Caller {
    const organizationId = this.#verified.get(this.#digest(body));
    return organizationId === undefined ? fallback : memberOf(organizationId);
  }

  /**
   * Issues a token within the limits.
   *
   * @throws RATE_LIMITED for a correct secret when the limit of the project is reached, and for a failure
   * when the limit of the address is reached
   */
  async run<T extends { status: number; body: unknown }>(
    attempt: TokenAttempt,
    issue: () => Promise<T>,
  ): Promise<T> {
    const { body, headers, requestId } = attempt;
    const claim = claimOf(body);
    // A sign-in code names no project: the request for the code was counted.
    const issued = claim === '' ? null : this.#options.issued;
    try {
      if (await issued?.isSpent(claim)) {
        await this.#options.checkSecret(body, requestId);
        await issued?.count(claim, headers);
      }
      const response = await issue();
      if (isFailure(response.status)) await this.countFailure(attempt);
      if (response.status >= 400) return response;
      await issued?.count(claim, headers);
      this.#cacheOrganization(body, response.body);
      return response;
    } catch (error) {
      const known = findAppError(error);
      if (known && isFailure(known.status)) await this.countFailure(attempt);
      throw error;
    }
  }

  /** Counts a failed request. Throws RATE_LIMITED past a limit, which replaces the original error. */
  async countFailure({ address, body, headers }: TokenAttempt): Promise<void> {
    const { failed, guessed } = this.#options;
    this.#verified.delete(this.#digest(body));
    await failed?.count(bucketOf(address), headers);
    // No headers here: each limit header may occur once, and must not depend on the claimed project.
    await guessed?.count(bucketOf(`${address} ${claimOf(body)}`), []);
  }

  #cacheOrganization(body: Record<string, unknown>, responseBody: unknown): void {
    const organizationId = typeof responseBody === 'string' ? organizationOf(responseBody) : null;
    if (organizationId !== null) this.#verified.set(this.#digest(body), organizationId);
  }

  #digest({ projectId, projectSecret, dashboardId, dashboardSecret }: Record<string, unknown>): string {
    const credentials = JSON.stringify([projectId, projectSecret, dashboardId, dashboardSecret]);
    return createHmac('sha256', this.#key).update(credentials).digest('base64url');
  }
}
