import {
  AppError,
  invalidField,
  isExactNumber,
  PAGE_CURSOR,
  recordPathOf,
  shownPath,
  type FieldError,
  type Principal,
  type Route,
  type SystemCaller,
  findProcedure,
} from '@gatehouse/contract';
import {
  type CallOrigin,
  callProcedure,
  type IfMatch,
  type InternalTokenSigner,
  type ServiceClients,
} from '@gatehouse/service';
import type { Admission } from './admission/admission.js';
import type { Endpoint, QueryType } from './endpoint.js';
import { cachingOf, parseIfMatch } from './entityTags.js';
import { NO_OPTIONS, readOptions, type RequestOptions } from './options.js';
import { respondWithPages } from './pagedResponse.js';
import type { Exchanges } from './plugins/exchanges.js';
import { readIdempotencyKey, type RunOnce } from './plugins/idempotency.js';
import { type Exchange, type GatewayResponse, respondConditionally } from './respond.js';

/** The same object for all calls of the gateway itself, so that its internal token is created once. */
const GATEWAY: SystemCaller = { kind: 'system', name: 'gateway' };

export interface ForwardOptions {
  services: ServiceClients;
  signer: InternalTokenSigner;
  /** Evicts the principals of an organization. */
  forgetPrincipals: (organizationId: string) => void;
}

export interface ForwardedCall {
  route: Route;
  /** The route at the path of the record in the response; null for a read, and without a record. */
  recordRoute: Route | null;
  /** Null for a route without a token: the gateway then calls for itself. */
  principal: Principal | null;
  input: Record<string, unknown>;
  requestId: string;
  ifMatch: IfMatch | undefined;
  validateOnly?: boolean;
  /** Reduces the output to the chosen fields; null for all of it. */
  select?: RequestOptions['select'];
  /** The key of an operation that may run again. */
  operationKey?: string;
}

/** Calls the procedures of routes on behalf of principals. */
export interface Forwarder {
  /** The output of the procedure. */
  call(call: ForwardedCall): Promise<unknown>;
  /** The same as the response to the request. */
  forward(call: ForwardedCall): Promise<GatewayResponse>;
  /** The origin of a call by the gateway itself. */
  ownOrigin(requestId: string): Promise<CallOrigin>;
  /** Evicts the principals of an organization. */
  forgetPrincipals: ForwardOptions['forgetPrincipals'];
}

function successResponse(call: ForwardedCall, output: unknown): GatewayResponse {
  const { route, recordRoute, input } = call;
  const body = JSON.stringify(output);
  const success = { status: route.success, contentType: 'application/json' };
  // Neither a tag nor a place: the record does not exist, or not like this.
  if (call.validateOnly) return { ...success, entityTag: null, body, headers: [] };
  const location =
    route.success === 201 && recordRoute ? recordPathOf(recordRoute, { route, input, output }) : null;
  return {
    ...success,
    // The tag of the whole record, so that it also fits a write.
    ...cachingOf(call, output, body),
    body: call.select ? JSON.stringify(call.select(output)) : body,
    headers: location === null ? [] : ['Location', location],
  };
}

export function createForwarder({ services, signer, forgetPrincipals }: ForwardOptions): Forwarder {
  const call = async (forwarded: ForwardedCall) => {
    const { route, recordRoute: _recordRoute, select: _select, principal, input, ...along } = forwarded;
    const token = await signer.sign(principal ?? GATEWAY);
    try {
      return await callProcedure(services, route.procedure, { origin: { token, ...along }, input });
    } finally {
      // After a failure too: a call that timed out may have succeeded.
      if (route.changesPrincipals && principal) forgetPrincipals(principal.organizationId);
    }
  };
  return {
    call,
    forward: async (forwarded) => successResponse(forwarded, await call(forwarded)),
    forgetPrincipals,
    ownOrigin: async (requestId) => ({ token: await signer.sign(GATEWAY), requestId }),
  };
}

/** The parts of a request that form the input of an operation. */
export interface InputParts {
  /** Percent-encoded, in the order of the path. */
  pathValues: readonly string[];
  /** The text after the question mark; empty if there is none. */
  query: string;
  body: Record<string, unknown>;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Decodes percent-encoding. Throws INVALID_REQUEST naming the field if it is malformed or not UTF-8. */
function decode(field: string, encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidField(field, 'is not valid percent-encoded UTF-8', 'format');
  }
}

/** Text that does not have the form of its type stays text, so that the schema rejects it by its own rule. */
function coerce(text: string, type: QueryType): unknown {
  if (type === 'number' && NUMBER.test(text) && isExactNumber(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readQuery(endpoint: Endpoint, query: string, input: Record<string, unknown>): void {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const encodedName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decode('query', encodedName.replaceAll('+', ' '));
    const type = endpoint.queryTypes.get(name);
    if (type === undefined)
      faults.push({ field: shownPath([name]), message: 'is not a known query parameter', code: 'unknown' });
    else if (seen.has(name))
      faults.push({ field: shownPath([name]), message: 'is given more than once', code: 'duplicate' });
    else {
      seen.add(name);
      input[name] = coerce(decode(name, pair.slice(encodedName.length + 1).replaceAll('+', ' ')), type);
    }
  }
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/** Rejects fields that belong outside the body. The schema of the operation rejects unknown fields later. */
function checkBodyFields(endpoint: Endpoint, body: Record<string, unknown>): void {
  const faults = [...endpoint.outsideBody].flatMap(([field, message]): FieldError[] =>
    Object.hasOwn(body, field) ? [{ field, message, code: 'unknown' }] : [],
  );
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/** The input of an operation, and the options of the request. */
export interface ReadInput {
  input: Record<string, unknown>;
  options: RequestOptions;
}

/**
 * Builds the input of an operation from path, query and body. Throws INVALID_REQUEST naming every query
 * parameter that is unknown or duplicated, and every body field that belongs elsewhere.
 */
export function readInput(endpoint: Endpoint, parts: InputParts): ReadInput {
  const { pathValues, query, body } = parts;
  checkBodyFields(endpoint, body);
  const input: Record<string, unknown> = { ...body };
  endpoint.pathFields.forEach((field, index) => {
    input[field] = decode(field, pathValues[index] ?? '');
  });
  if (query === '') return { input, options: NO_OPTIONS };
  const parameters: Record<string, unknown> = {};
  readQuery(endpoint, query, parameters);
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters))
    (endpoint.optionNames.has(name) ? options : input)[name] = value;
  return { input, options: readOptions(endpoint.selectable, options) };
}

/** A request whose caller is known, and whose body has been parsed. */
export interface ParsedRequest {
  exchange: Exchange;
  endpoint: Endpoint;
  body: Record<string, unknown>;
}

export interface RouteRunnerOptions {
  exchanges: Exchanges;
  forwarder: Forwarder;
  runOnce: RunOnce;
  admission: Admission;
}

/** The path and the query of a request as they are written. */
function splitUrl({ url }: Exchange): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Throws UNAUTHENTICATED if the access of the caller has ended, and for a request without a caller. */
async function authenticateAgain({ findPrincipal }: Exchange): Promise<Principal> {
  if (!findPrincipal) throw new AppError('UNAUTHENTICATED');
  return findPrincipal();
}

function noteDeprecatedFields(exchange: Exchange, endpoint: Endpoint, input: Record<string, unknown>): void {
  if (endpoint.deprecatedFields.size === 0 || endpoint.deprecationHeaders.length > 0) return;
  const [used] = [...endpoint.deprecatedFields].filter(([field]) => Object.hasOwn(input, field));
  if (used) exchange.headers.push(...used[1]);
}

/**
 * Runs the procedure of a route: once for each idempotency key, and page by page where the route has pages.
 */
export class RouteRunner {
  readonly #options: RouteRunnerOptions;

  constructor(options: RouteRunnerOptions) {
    this.#options = options;
  }

  /** Throws INVALID_REQUEST for an input that does not fit the route, and what the procedure throws. */
  async run({ exchange, endpoint, body }: ParsedRequest): Promise<GatewayResponse> {
    const { request, requestId, principal = null, pathValues } = exchange;
    const { route } = endpoint;
    const parts = { pathValues, query: splitUrl(exchange)[1], body };
    const { input, options } = readInput(endpoint, parts);
    noteDeprecatedFields(exchange, endpoint, input);
    const ifMatch = endpoint.checksVersion ? parseIfMatch(request.headers['if-match']) : undefined;
    const call = {
      route,
      recordRoute: endpoint.recordRoute,
      principal,
      input,
      requestId,
      ifMatch,
      ...options,
    };
    const key = route.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    // A dry run leaves its key unused, and is never the response of a real run.
    if (key !== undefined && options.validateOnly) readIdempotencyKey(String(key));
    else if (key !== undefined) return this.#runOnce(exchange, call, { key: String(key), body });
    const response = await this.#forward(exchange, call);
    return route.method === 'GET' ? respondConditionally(request, response) : response;
  }

  #forward(exchange: Exchange, call: ForwardedCall): Promise<GatewayResponse> {
    const { exchanges, forwarder } = this.#options;
    const { accept } = exchange.request.headers;
    const { pages } = call.route;
    if (!pages) return forwarder.forward(call);
    return respondWithPages({
      route: { ...call.route, pages },
      accept,
      // A caller whose access ends between two pages gets no further page.
      loadPage: async (cursor) =>
        forwarder.call({
          ...call,
          principal: call.principal && (await authenticateAgain(exchange)),
          input: { ...call.input, ...(cursor !== undefined && { [PAGE_CURSOR]: cursor }) },
        }),
      explain: (error) => exchanges.explain(exchange, error),
    });
  }

  async #runOnce(
    exchange: Exchange,
    call: ForwardedCall,
    { key, body }: { key: string; body: Record<string, unknown> },
  ): Promise<GatewayResponse> {
    const { admission, exchanges, forwarder, runOnce } = this.#options;
    const keyed = {
      key: readIdempotencyKey(key),
      principal: call.principal,
      method: call.route.method,
      // In one form: decoded, which the input proved possible, and without the query, which holds no input.
      path: decodeURIComponent(splitUrl(exchange)[0]),
      body,
      // The former response of a query would be a decision on facts of up to a day ago.
      isReplayable: findProcedure(call.route.procedure).changes,
      origin: () => forwarder.ownOrigin(exchange.requestId),
      park: () => admission.park(exchange),
      findAgain: async () => call.principal && authenticateAgain(exchange),
    };
    const run = (operationKey: string) =>
      this.#forward(exchange, { ...call, operationKey }).catch((error: unknown) =>
        exchanges.failureResponse(exchange, error),
      );
    return runOnce(keyed, run);
  }
}
