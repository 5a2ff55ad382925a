import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidField, PAGE_CURSOR, type Principal } from '@gatehouse/contract';
import {
  count,
  inSpan,
  observeSince,
  toAppError,
  type Logger,
  type Refusals,
  type Span,
} from '@gatehouse/service';
import { readBearer } from './authenticate.js';
import type { Cors } from './cors.js';
import type { Endpoint } from './endpoint.js';
import { matchesNone, parseIfMatch } from './entityTags.js';
import { writeError } from './errorBodies.js';
import type { ForwardedCall, Forwarder } from './forward.js';
import { gatherBody } from './gatherBody.js';
import { KEPT_BYTES_MAX, readIdempotencyKey, type RunOnce } from './idempotency.js';
import { bucketOf, networkOf, type RateLimit } from './limits.js';
import type { Match } from './match.js';
import { openExchange } from './openExchange.js';
import { answerPages } from './pagedAnswer.js';
import type { Page } from './pages/pages.js';
import { readBody } from './readBody.js';
import { readInput } from './readInput.js';
import { bearerOf, bearerOfClaims } from './refusals.js';
import { RefusedTokenError } from './refusedToken.js';
import { answerError, sendAnswer, type Answer, type Exchange } from './respond.js';

const SLOW_MS = 1000;
/** A method that a caller makes up must not make a series of its own. */
const COUNTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What requests are handled with. */
export interface HandlerParts {
  match: (method: string, path: string) => Match<Endpoint | Page>;
  findPrincipal: (token: string) => Promise<Principal>;
  forwarder: Forwarder;
  runOnce: RunOnce;
  tokenLimit: RateLimit | null;
  requestLimit: RateLimit | null;
  /** Of requests without a token, for each address. */
  addressLimit: RateLimit | null;
  cors: Cors | null;
  refusals: Refusals;
  log: Logger;
  /** Requests served at once; 0 sets no limit. */
  inFlightMax: number;
}

/** A request that named a route. */
interface RoutedRequest {
  exchange: Exchange;
  endpoint: Endpoint;
  /** Percent-encoded, in the order of the path. */
  pathValues: string[];
  query: string;
}

/** Throws FORBIDDEN for a dashboard's token where a project's is needed, or that dashboard's own. */
function checkTokenType({ route }: Endpoint, principal: Principal, pathValues: readonly string[]): void {
  if (principal.tokenType === 'project' || route.tokens === 'any') return;
  const isOwnDashboard = route.tokens === 'projectOrOwnDashboard' && pathValues[0] === principal.dashboardId;
  if (isOwnDashboard && principal.dashboardId !== undefined) return;
  throw new AppError('FORBIDDEN', { message: 'This needs a project token' });
}

function answerConditionally(request: IncomingMessage, answer: Answer): Answer {
  const header = request.headers['if-none-match'];
  if (header === undefined || answer.entityTag === null || !matchesNone(header, answer.entityTag))
    return answer;
  return { ...answer, status: 304, body: '' };
}

/** Throws INVALID_REQUEST for a request without a Host, which HTTP/1.1 demands (RFC 9112, section 3.2). */
function checkHost({ request, response }: Exchange): void {
  if (request.headers.host !== undefined || request.httpVersion === '1.0') return;
  response.shouldKeepAlive = false;
  throw invalidField('Host', 'is required');
}

/** The project or dashboard that a request for a token names; nothing of it is checked yet. */
function claimedProject({ projectId, dashboardId }: Record<string, unknown>): string {
  const claimed = projectId ?? dashboardId;
  return typeof claimed === 'string' ? claimed : '';
}

/** Serves every route of the table in the same way, and the gateway's own pages beside them. */
export class Handler {
  readonly #parts: HandlerParts;
  #inFlight = 0;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** Requests that are being served. */
  get inFlight(): number {
    return this.#inFlight;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = openExchange(request, response);
    this.#inFlight += 1;
    const { traceparent } = request.headers;
    const linked = typeof traceparent === 'string' ? traceparent : undefined;
    inSpan('request', { kind: 'server', linked }, (span) => this.#serve(exchange, span))
      .catch((err: unknown) => {
        this.#parts.log.error({ err, requestId: exchange.requestId }, 'answer not sent');
        response.destroy();
      })
      .finally(() => {
        this.#inFlight -= 1;
      });
  }

  async #serve(exchange: Exchange, span: Span): Promise<void> {
    const answer = await this.#answer(exchange).catch((error: unknown) =>
      this.#answerFailure(exchange, error),
    );
    await sendAnswer(exchange, answer).finally(() => this.#record(exchange, answer.status, span));
  }

  async #answer(exchange: Exchange): Promise<Answer> {
    const { cors, match, inFlightMax } = this.#parts;
    const { request } = exchange;
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    if (cors) exchange.headers.push(...cors.headersFor(request));
    checkHost(exchange);
    const matched = match(request.method ?? '', path);
    if (matched.kind === 'unknown') throw new AppError('NOT_FOUND', { message: 'There is no such route' });
    if (matched.kind === 'otherMethod') return this.#answerOtherMethod(exchange, matched.allow);
    const { target, values } = matched;
    exchange.operation = target.route.operationId;
    exchange.path = target.route.path;
    exchange.resourceId = values.at(-1) ?? null;
    if ('serve' in target) return answerConditionally(exchange.request, await target.serve());
    exchange.area = target.route.area;
    exchange.headers.push(...target.deprecationHeaders);
    if (inFlightMax > 0 && this.#inFlight > inFlightMax) throw new AppError('UNAVAILABLE');
    const query = mark < 0 ? '' : url.slice(mark + 1);
    return this.#answerRoute({ exchange, endpoint: target, pathValues: values, query });
  }

  #answerOtherMethod(exchange: Exchange, allow: string): Answer {
    const preflight = this.#parts.cors?.answerPreflight(exchange.request, allow);
    if (preflight) return preflight;
    exchange.headers.push('Allow', allow);
    throw new AppError('METHOD_NOT_ALLOWED');
  }

  async #answerRoute(routed: RoutedRequest): Promise<Answer> {
    const { exchange, endpoint, pathValues, query } = routed;
    const { request, response } = exchange;
    const { route } = endpoint;
    const principal =
      route.tokens === 'none' ? await this.#admitStranger(exchange) : await this.#admit(routed);
    const body = await readBody(request, response, route.bodyLimit);
    if (route.tokens === 'none' && route.method === 'POST') {
      await this.#parts.tokenLimit?.count(bucketOf(claimedProject(body)), exchange.headers);
    }
    const input = readInput(endpoint, { pathValues, query, body });
    this.#noteDeprecatedFields(exchange, endpoint, input);
    const ifMatch = endpoint.checksVersion ? parseIfMatch(request.headers['if-match']) : undefined;
    const call = { route, principal, input, requestId: exchange.requestId, ifMatch };
    const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) return this.#answerOnce(exchange, call, { key: String(key), body });
    const answer = await this.#forward(exchange, call);
    return route.method === 'GET' ? answerConditionally(request, answer) : answer;
  }

  #noteDeprecatedFields(exchange: Exchange, endpoint: Endpoint, input: Record<string, unknown>): void {
    if (endpoint.deprecatedFields.size === 0 || endpoint.deprecationHeaders.length > 0) return;
    const [used] = [...endpoint.deprecatedFields].filter(([field]) => Object.hasOwn(input, field));
    if (used) exchange.headers.push(...used[1]);
  }

  /** Nobody known; counted by address before anything of the request is read. */
  async #admitStranger({ request, headers }: Exchange): Promise<null> {
    const network = networkOf(request.socket.remoteAddress ?? '');
    await this.#parts.addressLimit?.count(bucketOf(network), headers);
    return null;
  }

  /** Who asks; counted against its project's limit, and refused where its token does not reach. */
  async #admit({ exchange, endpoint, pathValues }: RoutedRequest): Promise<Principal> {
    const principal = await this.#parts.findPrincipal(readBearer(exchange.request.headers.authorization));
    exchange.principal = principal;
    await this.#parts.requestLimit?.count(principal.projectId, exchange.headers);
    checkTokenType(endpoint, principal, pathValues);
    return principal;
  }

  #forward(exchange: Exchange, call: ForwardedCall): Promise<Answer> {
    const { forwarder, findPrincipal } = this.#parts;
    const { authorization, accept } = exchange.request.headers;
    const { pages } = call.route;
    if (!pages) return forwarder.forward(call);
    return answerPages({
      route: { ...call.route, pages },
      accept,
      // Who is shut out in between gets no further page.
      ask: async (cursor) =>
        forwarder.call({
          ...call,
          principal: call.principal && (await findPrincipal(readBearer(authorization))),
          input: { ...call.input, ...(cursor !== undefined && { [PAGE_CURSOR]: cursor }) },
        }),
      explain: (error) => this.#explain(exchange, error),
    });
  }

  async #answerOnce(
    exchange: Exchange,
    call: ForwardedCall,
    { key, body }: { key: string; body: Record<string, unknown> },
  ): Promise<Answer> {
    const { forwarder, runOnce } = this.#parts;
    const { requestId, request } = exchange;
    const keyed = {
      key: readIdempotencyKey(key),
      principal: call.principal,
      method: call.route.method,
      path: request.url ?? '',
      body,
      origin: await forwarder.ownOrigin(requestId),
    };
    const run = (operationKey: string) =>
      this.#forward(exchange, { ...call, operationKey })
        .then((answer) => gatherBody(answer, KEPT_BYTES_MAX))
        .catch((error: unknown) => this.#answerFailure(exchange, error));
    return runOnce(keyed, run);
  }

  #answerFailure(exchange: Exchange, error: unknown): Answer {
    return answerError(exchange, this.#noteFailure(exchange, error));
  }

  /** The error body of what failed after its answer had begun, always in the form of the area. */
  #explain(exchange: Exchange, error: unknown): string {
    const { area, requestId } = exchange;
    return writeError(this.#noteFailure(exchange, error), { area, isProblem: false, requestId }).body;
  }

  /** Logs a failure that is of interest, and gives what a caller may know of it. */
  #noteFailure(exchange: Exchange, error: unknown): AppError {
    const known = toAppError(error);
    const { requestId, operation } = exchange;
    this.#noteRefusal(exchange, known);
    // What failed inside of a service, that service has logged.
    if (!(error instanceof AppError))
      this.#parts.log.error({ err: error, requestId, operation }, 'request failed');
    else if (known.code === 'UNAVAILABLE' && known.cause !== undefined) {
      this.#parts.log.warn({ err: known.cause, requestId, operation }, 'service not reached');
    }
    return known;
  }

  /** Keeps what a known bearer was refused: by a token that is good no more, or for lack of permission. */
  #noteRefusal({ principal, requestId, operation, resourceId }: Exchange, error: AppError): void {
    const { code, status } = error;
    const about = { requestId, operation, status, code, resourceId };
    if (error instanceof RefusedTokenError)
      this.#parts.refusals.note({ ...about, bearer: bearerOfClaims(error.claims) });
    else if (code === 'FORBIDDEN' && principal)
      this.#parts.refusals.note({ ...about, bearer: bearerOf(principal) });
  }

  #record({ request, operation, path, requestId, startedMs }: Exchange, status: number, span: Span): void {
    const { log } = this.#parts;
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
      log[level]({ requestId, operation, method, status, durationMs }, 'answered');
  }
}
