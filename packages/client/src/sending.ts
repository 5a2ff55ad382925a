import { startDeadline, untilAborted, wait, type Deadline } from './deadline.js';
import { GatehouseError, readError } from './gatehouseError.js';
import { NoAnswerError } from './noAnswerError.js';
import { bodyOf, JSON_TYPE, newIdempotencyKey, urlOf, type CallOptions, type Input } from './requests.js';
import { findDelayMs, isWorthRetrying, type RetryPolicy } from './retries.js';
import type { Route } from './route.js';
import type { TokenSource } from './tokens.js';

/** What all requests of a client share. */
export interface Sender {
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  tokens: TokenSource | null;
  retryPolicy: RetryPolicy;
  timeoutMs: number;
}

/** One request of an operation, which may be sent several times. */
interface Request {
  url: string;
  method: string;
  headers: Headers;
  body: string | undefined;
  route: Route;
  signal: AbortSignal | undefined;
  isRepeatable: boolean;
}

/** How an operation is called. */
export interface Call {
  route: Route;
  /** The media type to request. */
  accept: string;
  input: Input;
  options: CallOptions;
  /** Whether a POST gets an idempotency key of its own, so that it may be repeated. */
  isKeyed: boolean;
}

/** Reads a successful response. The caller clears the deadline after reading the whole body. */
export type ReadAnswer<T> = (response: Response, deadline: Deadline) => Promise<T>;

function prepareRequest({ baseUrl, retryPolicy }: Sender, call: Call): Request {
  const { route, accept, input, options, isKeyed } = call;
  const { method } = route;
  const makesKey = isKeyed && method === 'POST' && retryPolicy.retries > 0;
  const key = options.idempotencyKey ?? (makesKey ? newIdempotencyKey() : undefined);
  const body = bodyOf(route, input);
  const headers = new Headers({
    // If a problem is requested, an error has the same form in every area.
    Accept: `${accept}, application/problem+json`,
  });
  if (body !== undefined) headers.set('Content-Type', JSON_TYPE);
  if (options.ifMatch !== undefined) headers.set('If-Match', options.ifMatch);
  if (key !== undefined) headers.set('Idempotency-Key', key);
  const isRepeatable = method === 'GET' || key !== undefined || route.isStreamed;
  return {
    url: urlOf(route, baseUrl, input),
    method,
    headers,
    body,
    route,
    signal: options.signal,
    isRepeatable,
  };
}

/** The data that explains a failed request. */
export interface Attempt {
  deadline: Deadline;
  signal: AbortSignal | undefined;
  /** Whether a response had begun. */
  hasBegun: boolean;
}

/**
 * The reason of a failed request: the server's error, the reason of the caller's signal, or an incomplete
 * response.
 */
export function failureOf(error: unknown, { deadline, signal, hasBegun }: Attempt): unknown {
  if (error instanceof GatehouseError || error instanceof NoAnswerError) return error;
  if (signal?.aborted) return signal.reason;
  if (deadline.hasPassed()) return new NoAnswerError('timedOut', error);
  return new NoAnswerError(hasBegun ? 'incomplete' : 'unreachable', error);
}

/** Edge runtimes have no cookies, and some of them reject the option. */
function withoutCookies(): Pick<RequestInit, 'credentials'> {
  return 'credentials' in Request.prototype ? { credentials: 'omit' } : {};
}

/**
 * Gatehouse never redirects, and following a redirect would send secrets to another server. The option
 * `redirect: 'error'` of `fetch` does the same, but edge runtimes reject it.
 *
 * @throws TypeError for a redirect; browsers hide its status
 */
async function rejectRedirect({ type, status, body }: Response): Promise<void> {
  if (type !== 'opaqueredirect' && !(status >= 300 && status < 400)) return;
  await body?.cancel();
  throw new TypeError('The response is a redirect');
}

async function sendOnce<T>(
  { fetch, timeoutMs }: Sender,
  { url, method, headers, body, route, signal }: Request,
  read: ReadAnswer<T>,
): Promise<T> {
  const deadline = startDeadline(timeoutMs, signal);
  let hasBegun = false;
  try {
    const response = await fetch(url, {
      method,
      headers,
      signal: deadline.signal,
      redirect: 'manual',
      ...withoutCookies(),
      ...(body !== undefined && { body }),
    });
    await rejectRedirect(response);
    hasBegun = true;
    if (!response.ok) throw await readError(response, route.area);
    return await read(response, deadline);
  } catch (error) {
    deadline.end();
    throw failureOf(error, { deadline, signal, hasBegun });
  }
}

/** Adds a token to the headers; returns null if the operation takes none or the client has none. */
async function authorize({ tokens }: Sender, { route, headers, signal }: Request): Promise<string | null> {
  if (route.isPublic || tokens === null) return null;
  const token = await untilAborted(tokens.get(), signal);
  headers.set('Authorization', `Bearer ${token}`);
  return token;
}

/** Whether a rejected request may be sent with another token. */
async function hasOtherToken({ tokens }: Sender, { signal }: Request, refused: string): Promise<boolean> {
  return tokens !== null && (await untilAborted(tokens.replace(refused), signal)) !== null;
}

function findRetryDelayMs(
  { retryPolicy }: Sender,
  { isRepeatable }: Request,
  [error, tries]: [unknown, number],
) {
  const answer = error instanceof GatehouseError ? error : null;
  const isWorthIt = answer
    ? isWorthRetrying(answer, isRepeatable)
    : error instanceof NoAnswerError && isRepeatable;
  if (!isWorthIt) return null;
  return findDelayMs(
    retryPolicy,
    { tries, retryAfterSeconds: answer?.retryAfterSeconds ?? null },
    Math.random(),
  );
}

/**
 * Sends a request until it succeeds or a retry makes no sense. A rejected token is replaced once.
 *
 * @throws GatehouseError for an error response, NoAnswerError if no complete response arrived, or the reason
 * of the caller's signal once it is aborted
 */
export async function send<T>(sender: Sender, call: Call, read: ReadAnswer<T>): Promise<T> {
  const request = prepareRequest(sender, call);
  let isTokenReplaced = false;
  for (let tries = 1; ;) {
    const token = await authorize(sender, request);
    try {
      return await sendOnce(sender, request, read);
    } catch (error) {
      const isRefusedToken = error instanceof GatehouseError && error.status === 401 && token !== null;
      if (isRefusedToken && !isTokenReplaced && (await hasOtherToken(sender, request, token))) {
        isTokenReplaced = true;
        continue;
      }
      const delayMs = findRetryDelayMs(sender, request, [error, tries]);
      if (delayMs === null) throw error;
      await wait(delayMs, request.signal);
      tries += 1;
    }
  }
}
