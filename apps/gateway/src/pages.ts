import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenApiDocument } from '@gatehouse/contract';
import { renderDocsPage } from './docsPage.js';
import type { Metrics } from './metrics.js';
import type { Answer } from './respond.js';

/** Something that the gateway serves by itself, without a token. */
export interface Page {
  route: { method: 'GET'; path: string; operationId: string };
  serve(): Promise<Answer>;
}

export interface PageOptions {
  metrics: Metrics;
  /** Rejects while requests could not be served. */
  checkReady: () => Promise<void>;
}

const JSON_TYPE = 'application/json';
/** Probes wait about this long. */
const READY_TIMEOUT_MS = 1000;

function answerPage(contentType: string, body: string, headers: string[] = []): Answer {
  return { status: 200, contentType, entityTag: null, body, headers };
}

/** Health, metrics, the OpenAPI document and the reference. The document is made when it is first asked for. */
export function createPages({ metrics, checkReady }: PageOptions): Page[] {
  const document = once(() => createOpenApiDocument());
  const openapi = once(() => answerPage(JSON_TYPE, JSON.stringify(document())));
  const docs = once(() => {
    const { html, style } = renderDocsPage(document());
    const styleHash = createHash('sha256').update(style).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`;
    return answerPage('text/html; charset=utf-8', html, ['Content-Security-Policy', policy]);
  });
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
    page('/metrics', 'getMetrics', async () => {
      const { contentType, body } = await metrics.write();
      return answerPage(contentType, body);
    }),
    page('/openapi.json', 'getOpenApi', async () => openapi()),
    page('/docs', 'getDocs', async () => docs()),
  ];
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
