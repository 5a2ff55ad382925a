import type { OpenApiDocument } from '@gatehouse/contract';
import { readClaims } from './accessToken.js';
import { fillIn, findFacts, namesIn, type Fetch } from './facts.js';
import { buildTarget } from './target.js';

const TOKEN_PATH = '/api/v1/token';

/** Requests send no cookie, store no response and follow no redirect. */
const SEND_OPTIONS = { cache: 'no-store', credentials: 'omit', redirect: 'error' } as const;

/**
 * Sends requests of the page. Names of facts in a request, such as `<dashboardId>`, are replaced by existing
 * ids, and a token that the server issues is passed to `onToken`. The promise rejects with MissingFactError
 * if there is no such record.
 */
export function createSend(
  document: OpenApiDocument,
  onToken: (token: string) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await fetch(await fillRequest(request, document), SEND_OPTIONS);
    const isToken = request.method === 'POST' && new URL(request.url).pathname === TOKEN_PATH;
    if (isToken && response.ok) {
      const { accessToken } = (await response.clone().json()) as { accessToken: string };
      onToken(accessToken);
    }
    return response;
  };
}

async function fillRequest(request: Request, document: OpenApiDocument): Promise<Request> {
  const url = new URL(request.url);
  const segments = url.pathname.split('/').map(decodeURIComponent);
  const text = await request.clone().text();
  const body = parseBody(text);
  const names = namesIn([segments, [...url.searchParams.values()], body]);
  if (names.length === 0) return request;
  const authorization = request.headers.get('Authorization') ?? '';
  const known = readClaims(authorization.replace(/^Bearer +/i, ''));
  const facts = await findFacts(names, known, createFetch(document, authorization));
  url.pathname = fillIn(segments, facts).map(encodeURIComponent).join('/');
  url.search = new URLSearchParams(fillIn([...url.searchParams], facts)).toString();
  const { method, headers, signal } = request;
  const filled = body === undefined ? text : JSON.stringify(fillIn<unknown>(body, facts));
  return new Request(url, { method, headers, signal, body: text === '' ? null : filled });
}

/** Undefined if the body is not JSON: it is sent unchanged, and the server rejects it. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function createFetch(document: OpenApiDocument, authorization: string): Fetch {
  return async (operationId, parameters) => {
    const target = buildTarget(findPath(document, operationId), parameters);
    const response = await fetch(target, { headers: { Authorization: authorization }, ...SEND_OPTIONS });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operationId} returned ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}

function findPath({ paths }: OpenApiDocument, operationId: string): string {
  const found = Object.entries(paths).find(([, methods]) => methods['get']?.operationId === operationId);
  if (!found) throw new Error(`the document has no operation ${operationId}`);
  return found[0];
}
