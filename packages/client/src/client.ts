import type { Operations, StreamLines } from './generated/operations.js';
import { GatehouseError } from './gatehouseError.js';
import type {
  ListInput,
  ListItem,
  ListOperationId,
  OperationInput,
  OperationLine,
  OperationOutput,
} from './operations.js';
import { isPaged, readItems } from './pages.js';
import { readLines, type OpenAnswer } from './readLines.js';
import { JSON_TYPE, LINES_TYPE, readBaseUrl, type CallOptions, type Input } from './requests.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retries.js';
import { routes, type Route } from './route.js';
import { failureOf, send, type Sender } from './sending.js';
import { keepToken, renewTokens, type FetchToken, type IssuedToken, type TokenSource } from './tokens.js';

export interface ClientOptions {
  /** The base URL of Gatehouse, as `https://gatehouse.example.com`. */
  baseUrl: string;
  /**
   * An access token, or a function that fetches one on demand. It is renewed before it expires, and once
   * after a rejection.
   */
  accessToken?: string | FetchToken;
  /**
   * Instead of `accessToken`: the credentials that tokens are issued for, as a project's id and secret and
   * the user to act as. Not for browsers.
   */
  credentials?: OperationInput<'issueToken'>;
  /** How often a request is sent again; `{ retries: 0 }` for never. */
  retry?: Partial<RetryPolicy>;
  /** The time limit of one attempt, or of the next part of a stream; 60 seconds by default. */
  timeoutMs?: number;
  /** Replaces the built-in `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** A response with the values of its headers. */
export interface Answer<T> {
  /** The body. */
  data: T;
  /** The entity tag of the record; null if the response has none. */
  etag: string | null;
  /** Identifies the request in the logs of the server. */
  requestId: string | null;
  /** True if this is the response to an earlier request with the same idempotency key. */
  isReplayed: boolean;
}

type Arguments<I> =
  Record<string, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

// Mapped over the keys of an interface, so that the methods keep its documentation.
type OperationsWithResponse = {
  [O in keyof Operations]: (...args: Parameters<Operations[O]>) => Promise<Answer<OperationOutput<O>>>;
};
type Streams = {
  [O in keyof StreamLines]: (...args: Parameters<Operations[O]>) => AsyncGenerator<OperationLine<O>>;
};
type Lists = {
  [O in ListOperationId]: (...args: Arguments<ListInput<O>>) => AsyncGenerator<ListItem<O>>;
};

/**
 * One method for each operation of the REST API. A method rejects with a GatehouseError for an error
 * response, with a NoAnswerError if no complete response arrived, and with the signal's reason when that is
 * aborted.
 */
export type Client = Operations & {
  /** The same methods, which return the entity tag and the request's id beside the data. */
  withResponse: OperationsWithResponse;
  /** The operations that may take long, line by line. Leaving the loop early cancels the operation. */
  stream: Streams;
  /** The lists that have pages, item by item. */
  items: Lists;
};

function createCall(route: Route, sender: Sender) {
  return async (input: Input = {}, options: CallOptions = {}): Promise<Answer<unknown>> => {
    const call = { route, accept: JSON_TYPE, input, options, isKeyed: true };
    return send(sender, call, async (response, deadline) => {
      const text = await response.text();
      deadline.end();
      return {
        data: parseAnswer(text, route, response),
        etag: response.headers.get('ETag'),
        requestId: response.headers.get('X-Request-Id'),
        isReplayed: response.headers.get('Idempotency-Replayed') === 'true',
      };
    });
  };
}

/** @throws GatehouseError for a response that is not JSON, such as the sign-in page of a proxy */
function parseAnswer(text: string, { area }: Route, { status, headers }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GatehouseError({
      status,
      code: null,
      area,
      message: 'The response does not come from Gatehouse: it is not JSON',
      fieldErrors: [],
      blockedBy: [],
      details: {},
      requestId: headers.get('X-Request-Id'),
      retryAfterSeconds: null,
    });
  }
}

function createStream(route: Route, sender: Sender) {
  return async function* (input: Input = {}, options: CallOptions = {}) {
    // Without a key of its own: a response that is stored for a key is not streamed.
    const call = { route, accept: LINES_TYPE, input, options, isKeyed: false };
    const open = async (response: Response, deadline: OpenAnswer['deadline']) => ({ response, deadline });
    const answer = await send(sender, call, open);
    try {
      yield* readLines(answer, route.area);
    } catch (error) {
      throw failureOf(error, { deadline: answer.deadline, signal: options.signal, hasBegun: true });
    }
  };
}

function createTokenSource(
  { accessToken, credentials }: ClientOptions,
  issueToken: (input: Input) => Promise<Answer<unknown>>,
): TokenSource | null {
  if (accessToken !== undefined && credentials !== undefined)
    throw new TypeError('accessToken and credentials do not go together');
  if (typeof accessToken === 'string') return keepToken(accessToken);
  if (accessToken !== undefined) return renewTokens(accessToken);
  if (credentials === undefined) return null;
  return renewTokens(async () => (await issueToken(credentials)).data as IssuedToken);
}

/**
 * Creates a client: `client.shareDashboard({ id, shares })`. It works in every environment that has `fetch`.
 *
 * @throws TypeError for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const sender: Sender = {
    baseUrl: readBaseUrl(options.baseUrl),
    fetch: options.fetch ?? globalThis.fetch,
    tokens: null,
    retryPolicy: { ...DEFAULT_RETRY_POLICY, ...options.retry },
    timeoutMs: options.timeoutMs ?? 60_000,
  };
  const calls = new Map(routes.map((route) => [route.operationId, createCall(route, sender)]));
  const operations = [...calls].map(([name, call]) => {
    const operation = async (input?: Input, callOptions?: CallOptions) =>
      (await call(input, callOptions)).data;
    return [name, operation] as const;
  });
  const issueToken = calls.get('issueToken');
  if (issueToken) sender.tokens = createTokenSource(options, issueToken);
  return {
    ...Object.fromEntries(operations),
    withResponse: Object.fromEntries(calls),
    stream: Object.fromEntries(streamsOf(sender)),
    items: Object.fromEntries(listsOf(new Map(operations))),
  } as unknown as Client;
}

function streamsOf(sender: Sender) {
  return routes
    .filter(({ isStreamed }) => isStreamed)
    .map((route) => [route.operationId, createStream(route, sender)] as const);
}

type Operation = (input?: Input, options?: CallOptions) => Promise<unknown>;

function listsOf(operations: ReadonlyMap<string, Operation>) {
  return routes.flatMap((route) => {
    const operation = operations.get(route.operationId);
    if (!isPaged(route) || !operation) return [];
    const list = (input: Input = {}, options: CallOptions = {}) =>
      readItems(async (place) => (await operation(place, options)) as Input, input);
    return [[route.operationId, list] as const];
  });
}
