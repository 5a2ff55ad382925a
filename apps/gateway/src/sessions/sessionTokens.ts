import { hashSecret } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';

/** Characters of all cached tokens together: about 20,000 tokens of the usual length. */
const CACHED_CHARACTERS = 16 * 1024 * 1024;
/** A token that ends so soon is replaced. */
const MARGIN_MS = 1000;

/** An access token that the directory has issued for a session. */
export interface SessionToken {
  accessToken: string;
  /** ISO 8601. */
  expiresAt: string;
  organizationId: string;
}

/** Requests a token for the session of a cookie in a project, by default the first. */
export type IssueSessionToken = (
  session: { cookieHash: string; projectId?: string },
  requestId: string,
) => Promise<SessionToken>;

/**
 * The access tokens of sessions, in memory only: no browser receives one. The token of an ended session stays
 * here and is worthless, because its bearer is looked up like that of every other token.
 */
export class SessionTokens {
  readonly #issue: IssueSessionToken;
  readonly #tokens = new LRUCache<string, SessionToken>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ accessToken }) => accessToken.length,
  });
  readonly #pending = new Map<string, Promise<SessionToken>>();

  constructor(issue: IssueSessionToken) {
    this.#issue = issue;
  }

  /** The cached token of a session; null if there is none, or if it ends. */
  peek(cookie: string, projectId: string | undefined): SessionToken | null {
    const token = this.#tokens.get(keyOf(cookie, projectId));
    return token && Date.parse(token.expiresAt) - MARGIN_MS > Date.now() ? token : null;
  }

  /**
   * The token of a session. Concurrent requests share one call.
   *
   * @throws UNAUTHENTICATED without a live session, FORBIDDEN for a project that it does not reach
   */
  async find(cookie: string, projectId: string | undefined, requestId: string): Promise<SessionToken> {
    const known = this.peek(cookie, projectId);
    if (known) return known;
    const key = keyOf(cookie, projectId);
    const pending = this.#pending.get(key) ?? this.#request(key, { cookie, projectId, requestId });
    this.#pending.set(key, pending);
    return pending;
  }

  async #request(
    key: string,
    { cookie, projectId, requestId }: { cookie: string; projectId: string | undefined; requestId: string },
  ): Promise<SessionToken> {
    try {
      const cookieHash = hashSecret(cookie);
      const token = await this.#issue(
        projectId === undefined ? { cookieHash } : { cookieHash, projectId },
        requestId,
      );
      this.#tokens.set(key, token);
      return token;
    } finally {
      this.#pending.delete(key);
    }
  }
}

/** The hash, so that the memory holds no cookie. */
function keyOf(cookie: string, projectId: string | undefined): string {
  return `${hashSecret(cookie)} ${projectId ?? ''}`;
}
