import type { Ask } from './facts.js';
import type { Reference } from './operations.js';
import { buildRequest, type ApiRequest } from './requests.js';
import type { Session } from './session.js';

export interface ApiAnswer {
  status: number;
  statusText: string;
  durationMs: number;
  requestId: string;
  entityTag: string;
  text: string;
}

/** Sends a request to the origin that the page is from. Rejects when there is no answer. */
export async function sendRequest(request: ApiRequest, session: Session): Promise<ApiAnswer> {
  const headers = new Headers(request.headers);
  if (request.isAuthorized) headers.set('Authorization', `Bearer ${session.token}`);
  const startedAt = performance.now();
  const response = await fetch(request.target, {
    method: request.method,
    headers,
    body: request.body ?? null,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  const text = await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    durationMs: performance.now() - startedAt,
    requestId: response.headers.get('X-Request-Id') ?? '',
    entityTag: response.headers.get('ETag') ?? '',
    text,
  };
}

/** Looks facts up with the reader's token. */
export function createAsk({ operations }: Reference, session: Session): Ask {
  return async (operationId, parameters) => {
    const operation = operations.find((known) => known.operationId === operationId);
    if (!operation) throw new Error(`The document has no ${operationId}`);
    const { method, path } = operation;
    const request = buildRequest({ method, path, parameters, isAuthorized: true });
    const { status, text } = await sendRequest(request, session);
    if (status !== 200) throw new Error(`${operationId}, which is asked first, answers ${status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}
