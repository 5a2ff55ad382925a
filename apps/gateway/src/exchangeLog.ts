import type { AppError, Principal, TokenClaims } from '@gatehouse/contract';
import {
  count,
  observeSince,
  toAppError,
  type Logger,
  type RefusedBearer,
  type Refusals,
  findAppError,
} from '@gatehouse/service';
import { RefusedTokenError } from './authenticate.js';
import type { Exchange } from './respond.js';

const SLOW_MS = 1000;
/** Other methods share one label value: a caller that invents methods must not create metric series. */
const COUNTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Returns the caller of a rejected request from its principal. */
function bearerOf(principal: Principal): RefusedBearer {
  const { organizationId, projectId, tokenId, kind: actorKind } = principal;
  return {
    organizationId,
    projectId,
    tokenId,
    actorKind,
    actorId: 'userId' in principal ? principal.userId : projectId,
  };
}

/** The kind of the caller of a token that acts as no user. */
const ACTOR_KINDS = { project: 'service', dashboard: 'anonymous', compiler: 'compiler' } as const;

/** Returns the caller of a rejected request from the claims of its token, if the bearer no longer exists. */
function bearerOfClaims(claims: TokenClaims): RefusedBearer {
  const { organizationId, projectId, jti: tokenId, orgUserId, tenantUserId, type } = claims;
  const withoutUser = ACTOR_KINDS[type];
  const withUser = orgUserId === undefined ? 'tenantUser' : 'orgUser';
  const userId = orgUserId ?? tenantUserId;
  const actorKind = userId === undefined ? withoutUser : withUser;
  return { organizationId, projectId, tokenId, actorKind, actorId: userId ?? projectId };
}

/** Records the outcome of requests in the log, the metrics, the trace and the rejected-request events. */
export class ExchangeLog {
  readonly #log: Logger;
  readonly #refusals: Refusals;

  constructor(log: Logger, refusals: Refusals) {
    this.#log = log;
    this.#refusals = refusals;
  }

  /** Logs a failure if it is relevant and returns the error that the caller may see. */
  noteFailure(exchange: Exchange, error: unknown): AppError {
    const known = toAppError(error);
    const { requestId, operation } = exchange;
    this.#noteRefusal(exchange, known);
    // A service logs its own failures.
    if (!findAppError(error)) this.#log.error({ err: error, requestId, operation }, 'request failed');
    else if (known.code === 'UNAVAILABLE' && known.cause !== undefined) {
      this.#log.warn({ err: known.cause, requestId, operation }, 'service unreachable');
    }
    return known;
  }

  /** Records a rejected request of a known bearer: its token is no longer valid, or it lacks a permission. */
  #noteRefusal({ principal, requestId, operation, resourceId }: Exchange, error: AppError): void {
    const { code, status } = error;
    const facts = { requestId, operation, status, code, resourceId };
    if (error instanceof RefusedTokenError)
      this.#refusals.note({ ...facts, bearer: bearerOfClaims(error.claims) });
    else if (code === 'FORBIDDEN' && principal)
      this.#refusals.note({ ...facts, bearer: bearerOf(principal) });
  }

  /** Records the status and the duration of a request. */
  record({ request, operation, path, requestId, startedMs, span }: Exchange, status: number): void {
    const log = this.#log;
    const method = request.method ?? '';
    const counted = COUNTED_METHODS.includes(method) ? method : 'other';
    count('httpRequests', { route: path, method: counted, status: String(status) });
    observeSince('httpDuration', { route: path, method: counted }, startedMs);
    span.rename(`${counted} ${path}`);
    span.set({ 'http.request.method': counted, 'http.route': path, 'http.response.status_code': status });
    if (status >= 500) span.fail(String(status));
    const durationMs = Math.round(performance.now() - startedMs);
    const level = status >= 500 || durationMs >= SLOW_MS ? 'info' : 'debug';
    if (log.isLevelEnabled(level))
      log[level]({ requestId, operation, method, status, durationMs }, 'request completed');
  }
}
