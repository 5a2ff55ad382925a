import { pathParameters, routes, type Route } from '@gatehouse/contract';
import { readError } from './gatehouseError.js';
import type {
  OperationId,
  OperationInput,
  OperationLine,
  OperationOutput,
  StreamedOperationId,
} from './operations.js';
import { readLines } from './readLines.js';

export interface ClientOptions {
  /** Where Gatehouse is, as `https://gatehouse.example.com`. */
  baseUrl: string;
  /** An access token, or what gives one for each request; not needed for operations that take none. */
  accessToken?: string | (() => Promise<string>);
  /** Stands in for the built-in `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** What goes along with one call. */
export interface CallOptions {
  /** Entity tag as answered; when the record has another by now, nothing is changed: PRECONDITION_FAILED. */
  ifMatch?: string;
  /** Makes a POST safe to repeat: the same key and input within 24 hours answer the first answer again. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** An answer with what its headers say. */
export interface Answer<T> {
  data: T;
  /** The entity tag of the record; null where the answer has none. */
  etag: string | null;
  requestId: string | null;
  /** True when this is the answer to an earlier request with the same idempotency key. */
  isReplayed: boolean;
}

type Arguments<I> =
  Record<string, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

type Operations = {
  [O in OperationId]: (...args: Arguments<OperationInput<O>>) => Promise<OperationOutput<O>>;
};
type OperationsWithResponse = {
  [O in OperationId]: (...args: Arguments<OperationInput<O>>) => Promise<Answer<OperationOutput<O>>>;
};

type Streams = {
  [O in StreamedOperationId]: (...args: Arguments<OperationInput<O>>) => AsyncGenerator<OperationLine<O>>;
};

/**
 * One method for each operation of the REST API. A method rejects with a GatehouseError when the answer is no success, and
 * as `fetch` does when there is no answer.
 */
export type Client = Operations & {
  /** The same methods, giving the entity tag and the request's id beside the data. */
  withResponse: OperationsWithResponse;
  /** The operations that may take long, line by line. Leaving the loop before the end gives the operation up. */
  stream: Streams;
};

type Input = Record<string, unknown>;

function urlOf(route: Route, baseUrl: string, input: Input): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_braces, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const given = route.query.filter((name) => input[name] !== undefined);
  const query = new URLSearchParams(
    given.map((name): [string, string] => [name, String(input[name])]),
  ).toString();
  return baseUrl.replace(/\/+$/, '') + path + (query === '' ? '' : `?${query}`);
}

function bodyOf(route: Route, input: Input): string | undefined {
  const elsewhere = new Set([...pathParameters(route.path), ...route.query]);
  const fields = Object.entries(input).filter(([name, value]) => !elsewhere.has(name) && value !== undefined);
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
}

async function headersOf(
  route: Route,
  { accessToken }: ClientOptions,
  { ifMatch, idempotencyKey }: CallOptions,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (route.tokens !== 'none' && accessToken !== undefined) {
    const token = typeof accessToken === 'string' ? accessToken : await accessToken();
    headers['Authorization'] = `Bearer ${token}`;
  }
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  return headers;
}

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

/** Sends requests of a route. Rejects with a GatehouseError unless the answer is a success. */
function createSend(route: Route, client: ClientOptions) {
  const send = client.fetch ?? globalThis.fetch;
  return async (accept: string, input: Input, options: CallOptions): Promise<Response> => {
    const body = bodyOf(route, input);
    const response = await send(urlOf(route, client.baseUrl, input), {
      method: route.method,
      headers: {
        // Asked for as a problem, an error has the same form in every area.
        Accept: `${accept}, application/problem+json`,
        ...(await headersOf(route, client, options)),
        ...(body !== undefined && { 'Content-Type': JSON_TYPE }),
      },
      ...(body !== undefined && { body }),
      ...(options.signal && { signal: options.signal }),
    });
    if (!response.ok) throw await readError(response);
    return response;
  };
}

function createCall(route: Route, client: ClientOptions) {
  const send = createSend(route, client);
  return async (input: Input = {}, options: CallOptions = {}): Promise<Answer<unknown>> => {
    const response = await send(JSON_TYPE, input, options);
    return {
      data: await response.json(),
      etag: response.headers.get('ETag'),
      requestId: response.headers.get('X-Request-Id'),
      isReplayed: response.headers.get('Idempotency-Replayed') === 'true',
    };
  };
}

function createStream(route: Route, client: ClientOptions) {
  const send = createSend(route, client);
  return async function* (input: Input = {}, options: CallOptions = {}) {
    yield* readLines(await send(LINES_TYPE, input, options));
  };
}

/** Makes a client: `client.shareDashboard({ id, shares })`. Works wherever there is `fetch`. */
export function createClient(options: ClientOptions): Client {
  const calls = routes.map((route) => [route.operationId, createCall(route, options)] as const);
  const operations = calls.map(([name, call]) => {
    const operation = async (input?: Input, callOptions?: CallOptions) =>
      (await call(input, callOptions)).data;
    return [name, operation] as const;
  });
  const streams = routes
    .filter(({ pages }) => pages !== undefined)
    .map((route) => [route.operationId, createStream(route, options)] as const);
  return {
    ...Object.fromEntries(operations),
    withResponse: Object.fromEntries(calls),
    stream: Object.fromEntries(streams),
  } as unknown as Client;
}
