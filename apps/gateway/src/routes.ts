import { METHODS, type IncomingMessage } from 'node:http';
import { AppError, requestsIn, type Route } from '@gatehouse/contract';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify';
import createRouter from 'find-my-way';
import type { Admission } from './admission/admission.js';
import type { Endpoint } from './endpoint.js';
import { noSuchRoute } from './errorBodies.js';
import { TOKEN_JSON_LIMITS } from './jsonReader.js';
import { PROBES, type Page } from './pages/pages.js';
import { isTokenRequest, type Authentication } from './plugins/authentication.js';
import type { Exchanges } from './plugins/exchanges.js';
import { announcesBody, BodyReader, parseBody } from './readBody.js';
import { FIXED_HEADERS, respondConditionally, type GatewayResponse, type Exchange } from './respond.js';
import type { ParsedRequest, RouteRunner } from './runRoute.js';
import { runOperation, type SessionOperation } from './sessions/runOperation.js';
import type { TokenLimits } from './tokenLimits.js';

/** What a path of the gateway serves: a route of the table, a page, or the session of the console. */
export type Target = Endpoint | Page | SessionOperation;

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
    /** Set by the CORS plugin on a preflight request that it allows. */
    corsPreflightEnabled?: boolean;
  }
  interface FastifyContextConfig {
    /** The methods of a path, set on the route that rejects all others. */
    allow?: string;
  }
}

/** A path of the route table as Fastify writes it. */
function fastifyPath(path: string): string {
  return path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * The target of a request as the router reads it. Paths are compared as they are written: an encoded letter
 * of a static segment makes another path, and parameters stay encoded. The router therefore gets escaped
 * percent signs, and a path that it cannot match instead of one that does not begin with a slash.
 */
export function escapeTarget({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  if (!url.startsWith('/')) return '//';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!path.includes('%') && !path.includes('#')) return path;
  return path.replaceAll('%', '%25').replaceAll('#', '%23');
}

function checkValues(values: readonly (string | undefined)[]): void {
  if (values.includes('')) throw noSuchRoute();
}

/**
 * The values of the path of a request, percent-encoded, in the order of the path.
 * Throws NOT_FOUND if one is empty: Fastify matches a parameter with an empty segment.
 */
export function pathValuesOf({ params }: FastifyRequest): string[] {
  const values = Object.values(params as Record<string, string>);
  checkValues(values);
  return values;
}

/** Registers one target at its place. */
export type AddTarget = (target: Target, place: { method: HTTPMethods[]; url: string }) => void;

/** Whether two paths, by their segments, match a common request. The other may end with any segments. */
function overlap(path: readonly string[], other: readonly string[]): boolean {
  const end = other.at(-1) === '*' ? other.length - 1 : Infinity;
  if (path.length > end) return overlap(path.slice(0, end), other.slice(0, end));
  return path.length === other.length && path.every((segment, index) => meet(segment, other[index] ?? ''));
}

const isParameter = (segment: string) => segment.startsWith(':') && !segment.startsWith('::');
const meet = (one: string, other: string) => one === other || isParameter(one) || isParameter(other);

/**
 * Registers every target, and routes that reject the other methods of its path with 405.
 *
 * A path has a route for preflight requests, and for the methods of the paths that it overlaps: with it, a
 * static segment takes precedence over a parameter for every method. All other methods share one route.
 */
export function registerTargets(app: FastifyInstance, targets: readonly Target[], add: AddTarget): void {
  const byPath = new Map<string, HTTPMethods[]>();
  for (const target of targets) {
    const { method, path } = target.route;
    const methods: HTTPMethods[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    const url = fastifyPath(path);
    byPath.set(url, [...(byPath.get(url) ?? []), ...methods]);
    add(target, { method: methods, url });
  }
  const paths = [...byPath].map(([url, methods]) => ({ url, methods, segments: url.split('/') }));
  for (const { url, methods, segments } of paths) {
    const overlapping = paths.flatMap((other) => (overlap(segments, other.segments) ? other.methods : []));
    const others = [...new Set(['OPTIONS', ...overlapping])].filter((method) => !methods.includes(method));
    const config = { allow: methods.join(', ') };
    app.route({ method: others, url, config, onRequest: rejectMethod, handler: rejectMethod });
  }
  registerOtherMethods(app, byPath);
}

/** Responds to an allowed preflight request; rejects everything else. */
async function rejectMethod(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  pathValuesOf(request);
  if (request.corsPreflightEnabled) return void reply.headers(FIXED_HEADERS).code(204).send();
  throw methodNotAllowed(request, request.routeOptions.config.allow ?? '');
}

function methodNotAllowed({ exchange }: FastifyRequest, allow: string): AppError {
  exchange.headers.push('Allow', allow);
  return new AppError('METHOD_NOT_ALLOWED');
}

/** Routes for every method of every path would take a third of the time of a start. */
function registerOtherMethods(app: FastifyInstance, byPath: ReadonlyMap<string, readonly string[]>): void {
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const paths = createRouter({ maxParamLength: Infinity });
  for (const [url, methods] of byPath) paths.on('GET', url, () => {}, methods.join(', '));
  const reject = async (request: FastifyRequest): Promise<void> => {
    const found = paths.find('GET', request.url);
    if (!found) throw noSuchRoute();
    checkValues(Object.values(found.params));
    throw methodNotAllowed(request, String(found.store));
  };
  // The CORS plugin has such a route for preflight requests.
  const method = app.supportedMethods.filter((supported) => supported !== 'OPTIONS');
  app.route({ method, url: '/*', onRequest: reject, handler: reject });
}

type Body = Record<string, unknown>;

const NO_FIELDS: Body = {};

/** The server, and the contexts in it whose routes are pages, and operations of the console's session. */
interface Apps {
  app: FastifyInstance;
  pagesApp: FastifyInstance;
  sessionsApp: FastifyInstance;
}

/** The method and path of a route, as Fastify registers them. */
type Place = Pick<RouteOptions, 'method' | 'url'>;

/** Records which target a request names. */
function nameExchange(request: FastifyRequest, { route }: Target): void {
  const { exchange } = request;
  const values = pathValuesOf(request);
  exchange.operation = route.operationId;
  exchange.path = route.path;
  exchange.pathValues = values;
  exchange.resourceId = values.at(-1) ?? null;
}

function attemptOf({ caller, headers, requestId }: Exchange) {
  return { address: caller.address ?? '', headers, requestId };
}

export interface RouteServerOptions {
  authentication: Authentication;
  exchanges: Exchanges;
  runner: RouteRunner;
  admission: Admission;
  tokenLimits: TokenLimits;
}

/** Serves the targets. Each route passes the same steps: authenticate, limit, read, take a place, run. */
export class RouteServer {
  readonly #options: RouteServerOptions;
  readonly #bodies: BodyReader;

  constructor(options: RouteServerOptions) {
    this.#options = options;
    this.#bodies = new BodyReader(options.admission.bodies);
  }

  /** Registers the targets of the server. */
  register({ app, pagesApp, sessionsApp }: Apps, targets: readonly Target[]): void {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', ({ exchange }: FastifyRequest) => this.#readBody(exchange));
    sessionsApp.removeAllContentTypeParsers();
    // The handler of a session operation reads its body.
    sessionsApp.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
    const { admission } = this.#options;
    registerTargets(app, targets, (target, place) => {
      if ('serve' in target) {
        this.#addOpen(pagesApp, target, { place, serve: (exchange) => this.#servePage(exchange, target) });
      } else if ('run' in target) {
        const serve = (exchange: Exchange) =>
          runOperation(target, exchange, { admission, bodies: this.#bodies });
        this.#addOpen(sessionsApp, target, { place, serve });
      } else this.#addEndpoint(app, target, place);
    });
  }

  /** Adds a target without a token. */
  #addOpen(
    app: FastifyInstance,
    target: Page | SessionOperation,
    { place, serve }: { place: Place; serve: (exchange: Exchange) => Promise<GatewayResponse> },
  ): void {
    app.route({
      ...place,
      onRequest: async (request) => nameExchange(request, target),
      handler: this.#handle(({ exchange }) => serve(exchange)),
    });
  }

  #addEndpoint(app: FastifyInstance, endpoint: Endpoint, place: Place): void {
    const authenticate = this.#options.authentication.hookOf(endpoint);
    app.route({
      ...place,
      onRequest(request) {
        nameExchange(request, endpoint);
        const { exchange } = request;
        exchange.area = endpoint.route.area;
        exchange.route = endpoint.route;
        exchange.headers.push(...endpoint.deprecationHeaders);
        return authenticate(request);
      },
      handler: this.#handle((request) => this.#serveEndpoint(request, endpoint)),
    });
  }

  /** Not an async handler: Fastify would wait for the end of each response with listeners of its own. */
  #handle(work: (request: FastifyRequest) => Promise<GatewayResponse>): RouteHandlerMethod {
    const { exchanges } = this.#options;
    return (request, reply) => {
      work(request).then(
        (response) => exchanges.send(reply, response),
        (error: unknown) => exchanges.fail(reply, error),
      );
    };
  }

  async #servePage(exchange: Exchange, page: Page): Promise<GatewayResponse> {
    if (!PROBES.has(page.route.operationId)) await this.#options.admission.pace.wait(exchange.caller, 'page');
    return respondConditionally(exchange.request, await page.serve(exchange.request));
  }

  /**
   * Reads and parses the body. A place is for a request that can run, so the request takes it only when its
   * whole body has arrived. A body of a request for a token that cannot be parsed counts as a failure.
   */
  async #readBody(exchange: Exchange): Promise<Body> {
    const { request, route } = exchange;
    if (!route) throw new AppError('NOT_FOUND');
    const held = await this.#bodies.read(exchange, route.bodyLimit);
    exchange.releases.push(held.release);
    exchange.bodyBytes = held.bytes.length;
    if (!isTokenRequest(route)) {
      await this.#enter(exchange, route);
      return parseBody(request, held.bytes);
    }
    await this.#options.admission.waitToParse(exchange, held.bytes.length);
    return parseBody(request, held.bytes, TOKEN_JSON_LIMITS).catch(async (error: unknown) => {
      await this.#options.tokenLimits.countFailure({ ...attemptOf(exchange), body: {} });
      throw error;
    });
  }

  #enter(exchange: Exchange, route: Route): Promise<void> {
    // A request for a token has waited for its body already.
    const bodyBytes = isTokenRequest(route) ? 0 : exchange.bodyBytes;
    return this.#options.admission.enter(exchange, route.lane, bodyBytes);
  }

  async #serveEndpoint(request: FastifyRequest, endpoint: Endpoint): Promise<GatewayResponse> {
    const { exchange } = request;
    const { route } = endpoint;
    // Fastify calls the parser neither for a request without a body nor for a GET.
    const isUnread = request.body === undefined && announcesBody(exchange.request);
    const body = isUnread
      ? await this.#readBody(exchange)
      : ((request.body as Body | undefined) ?? NO_FIELDS);
    const parsed = { exchange, endpoint, body };
    await this.#options.authentication.countRequests(exchange, requestsIn(route, body));
    if (isTokenRequest(route)) return this.#issueToken(parsed);
    if (!exchange.place) await this.#enter(exchange, route);
    await this.#options.authentication.renew(exchange);
    return this.#options.runner.run(parsed);
  }

  /** Serves a request for a token in a place of its organization if its secret was right before. */
  async #issueToken(parsed: ParsedRequest): Promise<GatewayResponse> {
    const { runner, tokenLimits } = this.#options;
    const { exchange, endpoint, body } = parsed;
    const attempt = { ...attemptOf(exchange), body };
    exchange.caller = tokenLimits.callerOf(body, exchange.caller);
    await this.#enter(exchange, endpoint.route);
    return tokenLimits.run(attempt, () => runner.run(parsed));
  }
}
