import type { IncomingMessage } from 'node:http';
import type { Answer } from './respond.js';

const EXPOSED =
  'ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, Deprecation, Sunset, Link';
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id';
const PREFLIGHT_SECONDS = '600';

/** What browsers on other origins may do (the Fetch standard's CORS protocol). */
export interface Cors {
  /** The headers that let the origin of a request read its answer. */
  headersFor(request: IncomingMessage): readonly string[];
  /** The answer to a preflight request for a path with these methods; null when it is none, or not allowed. */
  answerPreflight(request: IncomingMessage, methods: string): Answer | null;
}

/** Null where no origin is allowed, so that it costs nothing. `origins` are separated by commas. */
export function createCors(origins: string): Cors | null {
  const allowed = new Set(origins.split(',').map((origin) => origin.trim()));
  allowed.delete('');
  if (allowed.size === 0) return null;
  const isAllowed = ({ headers }: IncomingMessage) =>
    headers.origin !== undefined && allowed.has(headers.origin);
  return {
    headersFor(request) {
      if (!isAllowed(request)) return ['Vary', 'Origin'];
      const origin = request.headers.origin ?? '';
      return [
        'Vary',
        'Origin',
        'Access-Control-Allow-Origin',
        origin,
        'Access-Control-Expose-Headers',
        EXPOSED,
      ];
    },
    answerPreflight(request, methods) {
      const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
      if (!isPreflight || !isAllowed(request)) return null;
      const headers = [
        'Access-Control-Allow-Methods',
        methods,
        'Access-Control-Allow-Headers',
        ALLOWED,
        'Access-Control-Max-Age',
        PREFLIGHT_SECONDS,
      ];
      return { status: 204, contentType: '', entityTag: null, body: '', headers };
    },
  };
}
