import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenApiDocument } from '@gatehouse/contract';
import type { Answer } from '../respond.js';

/** Something that the gateway serves by itself, without a token. */
export interface Page {
  route: { method: 'GET'; path: string; operationId: string };
  serve(): Promise<Answer>;
}

export interface PageOptions {
  /** Rejects while requests could not be served. */
  checkReady: () => Promise<void>;
}

const JSON_TYPE = 'application/json';
/** Probes wait about this long. */
const READY_TIMEOUT_MS = 1000;

function answerPage(contentType: string, body: string): Answer {
  return { status: 200, contentType, entityTag: null, body, headers: [] };
}

/** Health and the OpenAPI document. The document is made when it is first asked for. */
export function createPages({ checkReady }: PageOptions): Page[] {
  const openapi = once(() => answerPage(JSON_TYPE, JSON.stringify(createOpenApiDocument())));
  const page = (path: string, operationId: string, serve: () => Promise<Answer>): Page => ({
    route: { method: 'GET', path, operationId },
    serve,
  });
  return [
    page('/healthz', 'getHealth', async () => answerPage(JSON_TYPE, '{"status":"ok"}')),
    page('/readyz', 'getReadiness', async () => {
      const asked = checkReady().then(
        () => true,
        () => false,
      );
      const isReady = await Promise.race([asked, sleep(READY_TIMEOUT_MS, false, { ref: false })]);
      if (isReady) return answerPage(JSON_TYPE, '{"status":"ready"}');
      return { ...answerPage(JSON_TYPE, '{"status":"not ready"}'), status: 503 };
    }),
    page('/openapi.json', 'getOpenApi', async () => openapi()),
  ];
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
