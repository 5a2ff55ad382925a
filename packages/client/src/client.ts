import { routes, type Route } from '@gatehouse/contract';
import { failureOf, send, type Sender } from './sending.js';
import { GatehouseError } from './gatehouseError.js';
import type {
  ListInput,
  ListItem,
  ListOperationId,
  OperationId,
  OperationInput,
  OperationLine,
  OperationOutput,
  StreamedOperationId,
} from './operations.js';
import { findNextPage, readItems } from './pages.js';
import { readLines, type OpenAnswer } from './readLines.js';
import { JSON_TYPE, LINES_TYPE, readBaseUrl, type CallOptions, type Input } from './requests.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retries.js';
import { keepToken, renewTokens, type FetchToken, type IssuedToken, type TokenSource } from './tokens.js';

export interface ClientOptions {
  /** Where Gatehouse is, as `https://gatehouse.example.com`. */
  baseUrl: string;
  /** An access token, or what fetches one when it is needed; it is renewed before it ends and once when it is refused. */
  accessToken?: string | FetchToken;
  /** In place of `accessToken`: what a token is issued for, as a project's id and secret and who is to act. Not for browsers. */
  credentials?: OperationInput<'issueToken'>;
  /** How often a request is sent again; `{ retries: 0 }` for never. */
  retry?: Partial<RetryPolicy>;
  /** The longest that one try may take, or the next part of a stream; 60 seconds unless given. */
  timeoutMs?: number;
  /** Stands in for the built-in `fetch`. */
  fetch?: typeof globalThis.fetch;
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
type Lists = {
  [O in ListOperationId]: (...args: Arguments<ListInput<O>>) => AsyncGenerator<ListItem<O>>;
};

/**
 * One method for each operation of the REST API. A method rejects with a GatehouseError when the answer is no success, with
 * a NoAnswerError when no whole answer came, and with the signal's reason when that is aborted.
 */
export type Client = Operations & {
  /** The same methods, giving the entity tag and the request's id beside the data. */
  withResponse: OperationsWithResponse;
  /** The operations that may take long, line by line. Leaving the loop before the end gives the operation up. */
  stream: Streams;
  /** The lists that come in pages, item by item. */
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

/** @throws GatehouseError for what is no JSON, such as the page by which a proxy asks for a sign-in */
function parseAnswer(text: string, { area }: Route, { status, headers }: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GatehouseError({
      status,
      code: null,
      area,
      message: 'The answer is not one of Gatehouse: it is no JSON',
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
    // Without a key of its own: an answer that is kept for one comes as a whole.
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
 * Makes a client: `client.shareDashboard({ id, shares })`. Works wherever there is `fetch`.
 *
 * @throws TypeError for options that make no sense
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
    .filter(({ pages }) => pages !== undefined)
    .map((route) => [route.operationId, createStream(route, sender)] as const);
}

type Operation = (input?: Input, options?: CallOptions) => Promise<unknown>;

function listsOf(operations: ReadonlyMap<string, Operation>) {
  return routes.flatMap((route) => {
    const nextPage = findNextPage(route);
    const operation = operations.get(route.operationId);
    if (!nextPage || !operation) return [];
    const list = (input: Input = {}, options: CallOptions = {}) =>
      readItems(async (place) => (await operation(place, options)) as Input, nextPage, input);
    return [[route.operationId, list] as const];
  });
}
