import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const EXPOSED = [
  'ETag',
  'Location',
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
];
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'X-Request-Id',
  'traceparent',
];
const PREFLIGHT_SECONDS = 600;

/** Registers the CORS headers, unless no origin is allowed. `origins` are separated by commas. */
export async function registerCors(app: FastifyInstance, origins: string): Promise<void> {
  const allowed = new Set(origins.split(',').map((origin) => origin.trim()));
  allowed.delete('');
  for (const origin of allowed) requireOrigin(origin);
  if (allowed.size === 0) return;
  await app.register(cors, {
    delegator: async (request: FastifyRequest): Promise<FastifyCorsOptions> => {
      const { origin, 'access-control-request-method': wanted } = request.headers;
      // A path that does not exist has no methods, and its preflight is rejected like any other request.
      const { allow } = request.routeOptions.config;
      return {
        origin: origin !== undefined && allowed.has(origin) ? [origin] : false,
        exposedHeaders: EXPOSED,
        allowedHeaders: ALLOWED,
        maxAge: PREFLIGHT_SECONDS,
        preflight: wanted !== undefined && allow !== undefined,
        preflightContinue: true,
        methods: allow ?? '',
      };
    },
  });
}

/** Throws for what no browser sends as `Origin`, such as `*` or an address with a path. */
function requireOrigin(origin: string): void {
  const isOrigin = /^https?:/.test(origin)
    ? URL.canParse(origin) && new URL(origin).origin === origin
    : origin === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]+$/.test(origin);
  if (!isOrigin) throw new Error(`CORS_ORIGINS must list origins such as https://example.com, not ${origin}`);
}
