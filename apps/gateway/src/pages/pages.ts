import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenApiDocument } from '@gatehouse/contract';
import { contentTagOf } from '../entityTags.js';
import type { GatewayResponse } from '../respond.js';

/** A page that the gateway serves itself, without a token. */
export interface Page {
  route: { method: 'GET'; path: string; operationId: string };
  serve(): Promise<GatewayResponse>;
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
/** About as long as probes wait for a response. */
const READY_TIMEOUT_MS = 1000;

function createResponse(contentType: string, body: string): GatewayResponse {
  return { status: 200, contentType, entityTag: null, body, headers: [], isFixed: true };
}

/** Creates the pages of the health checks and of the OpenAPI document, which is created when requested. */
export function createPages({ checkReady }: PageOptions): Page[] {
  const openapi = once(() => {
    const body = JSON.stringify(createOpenApiDocument());
    const cacheControl = `public, max-age=${OPENAPI_CACHE_SECONDS}`;
    return { ...createResponse(JSON_TYPE, body), entityTag: contentTagOf(body), cacheControl };
  });
  const page = (path: string, operationId: string, serve: () => Promise<GatewayResponse>): Page => ({
    route: { method: 'GET', path, operationId },
    serve,
  });
  return [
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
    page('/openapi.json', 'getOpenApi', async () => openapi()),
  ];
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => (created ??= { value: create() }).value;
}
