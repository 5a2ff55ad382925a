import { readLines } from './lines.js';

const PROBLEM = 'application/problem+json';

/** The problem that a failed request returns, in the form of RFC 9457. */
interface Problem {
  code?: string;
  detail?: string;
  requestId?: string;
  fieldErrors?: { field: string; message: string }[];
}

/** A request that was rejected, or that received no response. */
export class ApiError extends Error {
  readonly code: string;
  readonly requestId: string | null;
  readonly fieldErrors: readonly { field: string; message: string }[];

  constructor({ code, detail, requestId, fieldErrors }: Problem) {
    super(detail ?? 'The request failed');
    this.code = code ?? 'UNKNOWN';
    this.requestId = requestId ?? null;
    this.fieldErrors = fieldErrors ?? [];
  }
}

interface Call {
  method?: 'GET' | 'POST';
  body?: object;
  headers?: Readonly<Record<string, string>>;
}

/** Requests with the caller's token. The token is kept in memory only: reloading the page discards it. */
export interface Api {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /**
   * Yields the lines of an NDJSON response as they arrive.
   * @throws ApiError if a line contains an error
   */
  postForLines(path: string, body: object): AsyncGenerator<{ type: string }>;
}

/**
 * Sends requests until the signal aborts them.
 *
 * @throws ApiError for each request that is rejected
 */
export function createApi(accessToken: string | null, signal?: AbortSignal): Api {
  const send = async (path: string, { method = 'GET', body, headers: more = {} }: Call) => {
    const headers = new Headers({ accept: `application/json, ${PROBLEM}`, ...more });
    if (accessToken !== null) headers.set('authorization', `Bearer ${accessToken}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(path, { method, headers, ...content, ...(signal && { signal }) });
    if (!response.ok) throw await readError(response);
    return response;
  };
  return {
    get: async <Answer>(path: string) => (await send(path, {})).json() as Promise<Answer>,
    post: async <Answer>(path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      (await send(path, { method: 'POST', body, headers })).json() as Promise<Answer>,
    postForLines: async function* (path, body) {
      const { body: stream } = await send(path, {
        method: 'POST',
        body,
        headers: { accept: `application/x-ndjson, ${PROBLEM}` },
      });
      if (stream === null) throw new ApiError({ detail: 'The answer was empty' });
      for await (const text of readLines(stream)) {
        const line = JSON.parse(text) as { type: string } & ErrorLine;
        if (line.type === 'error') throw toError(line);
        yield line;
      }
    },
  };
}

/** The error that ends a stream, in the form of its area. */
type ErrorLine = Problem & { error?: string };

function toError(line: ErrorLine): ApiError {
  return new ApiError({ ...line, ...(line.error !== undefined && { detail: line.error }) });
}

async function readError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id');
  const problem = (await response.json().catch(() => ({}))) as Problem;
  return new ApiError({
    code: `HTTP_${response.status}`,
    ...(requestId !== null && { requestId }),
    ...problem,
  });
}
