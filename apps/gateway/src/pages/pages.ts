import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as OpenApiModule from '@gatehouse/contract/openapi';
import { accepts } from '../accepts.js';
import { contentTagOf } from '../entityTags.js';
import type { GatewayResponse } from '../respond.js';

/** A page that the gateway serves itself, without a token. */
export interface Page {
  route: { method: 'GET'; path: string; operationId: string };
  serve(request: IncomingMessage): Promise<GatewayResponse>;
}

export interface PageOptions {
  /** Rejects while the gateway cannot serve requests. */
  checkReady: () => Promise<void>;
}

/** The operations whose responses are never rate-limited. */
export const PROBES: ReadonlySet<string> = new Set(['getHealth', 'getReadiness']);

/** The document changes only with the version of Gatehouse. */
const OPENAPI_CACHE_SECONDS = 300;
const JSON_TYPE = 'application/json';
/** What a program finds at the root. */
const LINKS = {
  name: 'Gatehouse',
  console: '/console',
  reference: '/docs',
  openapi: '/openapi.json',
  postman: '/postman.json',
  llms: '/llms.txt',
  management: '/api/management/v1',
  liveness: '/healthz',
  readiness: '/readyz',
};
/** About as long as probes wait for a response. */
const READY_TIMEOUT_MS = 1000;

function createResponse(contentType: string, body: string): GatewayResponse {
  return { status: 200, contentType, entityTag: null, body, headers: [], isFixed: true };
}

/** Sends a person to the console; a program gets links. */
function serveRoot({ headers }: IncomingMessage): GatewayResponse {
  const vary = ['Vary', 'Accept'];
  if (!accepts(headers.accept, 'text/html'))
    return { ...createResponse(JSON_TYPE, JSON.stringify(LINKS)), headers: vary };
  const response = createResponse('text/plain; charset=utf-8', '');
  return { ...response, status: 302, headers: [...vary, 'Location', LINKS.console] };
}

type OpenApi = typeof OpenApiModule;

/** Serves a text that is written for the first request, and then the same for every caller. */
function createDocument(contentType: string, write: (openApi: OpenApi) => string): Page['serve'] {
  return once(async () => {
    // Its texts take memory, and a gateway whose document is never requested does not need them.
    const body = write(await import('@gatehouse/contract/openapi'));
    const cacheControl = `public, max-age=${OPENAPI_CACHE_SECONDS}`;
    return { ...createResponse(contentType, body), entityTag: contentTagOf(body), cacheControl };
  });
}

/** Creates the root, and the pages of the health checks and of the OpenAPI document. */
export function createPages({ checkReady }: PageOptions): Page[] {
  const page = (path: string, operationId: string, serve: Page['serve']): Page => ({
    route: { method: 'GET', path, operationId },
    serve,
  });
  return [
    page('/', 'getRoot', async (request) => serveRoot(request)),
    page('/healthz', 'getHealth', async () => createResponse(JSON_TYPE, '{"status":"ok"}')),
    page('/readyz', 'getReadiness', async () => {
      const checked = checkReady().then(
        () => true,
        () => false,
      );
      const isReady = await Promise.race([checked, sleep(READY_TIMEOUT_MS, false, { ref: false })]);
      if (isReady) return createResponse(JSON_TYPE, '{"status":"ready"}');
      return { ...createResponse(JSON_TYPE, '{"status":"not ready"}'), status: 503 };
    }),
    page(
      '/openapi.json',
      'getOpenApi',
      createDocument(JSON_TYPE, (openApi) => JSON.stringify(openApi.createOpenApiDocument())),
    ),
    page(
      '/postman.json',
      'getPostmanCollection',
      createDocument(JSON_TYPE, (openApi) =>
        JSON.stringify(openApi.createPostmanCollection(openApi.createOpenApiDocument())),
      ),
    ),
    page(
      '/llms.txt',
      'getLlmsText',
      createDocument('text/markdown; charset=utf-8', (openApi) =>
        openApi.createLlmsText(openApi.createOpenApiDocument()),
      ),
    ),
  ];
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}
