import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './respond.js';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** A request of which nothing is known yet. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return {
    request,
    response,
    requestId: requestIdOf(request.headers['x-request-id']),
    operation: 'unknown',
    path: 'unknown',
    startedMs: performance.now(),
    resourceId: null,
    area: 'management',
    headers: [],
  };
}
