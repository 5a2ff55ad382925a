import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ERROR_STATUS, routes, services } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sendRequest } from './src/api.js';
import { readExported, type ExportedMetric } from './src/observability/exportedMetrics.js';
import { findQueryFaults } from './src/observability/metricQueries.js';
import { fillInterval, readAlerts, readDashboard, readPage } from './src/observability/monitoringFiles.js';
import {
  startTraceReceiver,
  type ReceivedSpan,
  type TraceReceiver,
} from './src/observability/traceReceiver.js';
import { sendTraffic, STRANGERS_TRACE, type Planted } from './src/observability/traffic.js';
import { startTestMesh, type TestMesh } from './src/servers.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const run = promisify(execFile);
const SERVICE = new URL('../packages/service/dist/index.js', import.meta.url).href;
const PATIENCE = { timeout: 120_000, interval: 100 };
const DASHBOARDS = '/api/management/v1/dashboards';
const CREATED = 'management.dashboard.created.v1';
const KEY = 'planted-receiver-key';

let receiver: TraceReceiver;
let mesh: TestMesh;
let planted: Planted;
let texts: string[] = [];
let exported: Map<string, ExportedMetric>;

const readMetrics = () => Promise.all(mesh.metricsUrls.map(async (url) => (await fetch(url)).text()));
const valuesOf = (metric: string, label: string) => exported.get(metric)?.values.get(label) ?? new Set();

/** The trace in which a dashboard was created. */
function traceOfCreation(): ReceivedSpan[] {
  const root = receiver
    .spans()
    .find(
      ({ name, attributes }) =>
        name === `POST ${DASHBOARDS}` && attributes.some(({ value }) => value.intValue === 201),
    );
  return receiver.spans().filter(({ traceId }) => traceId === root?.traceId);
}

beforeAll(async () => {
  receiver = await startTraceReceiver(KEY);
  mesh = await startTestMesh({
    ...WEBHOOK_SETTINGS,
    METRICS_PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${KEY}`,
  });
  planted = await sendTraffic(mesh);
  const isDelivered = /webhook_attempts_total\{outcome="delivered"\} [1-9]/;
  await vi.waitUntil(async () => isDelivered.test((texts = await readMetrics()).join('\n')), PATIENCE);
  exported = readExported(texts);
  await vi.waitUntil(() => traceOfCreation().some(({ name }) => name === 'insert auditEvents'), PATIENCE);
});
afterAll(async () => {
  await mesh[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

describe('a trace', () => {
  it('connects a request with the service, its database, and each consumer of the event', async () => {
    const isWhole = () => {
      const ids = new Set(traceOfCreation().map(({ spanId }) => spanId));
      return traceOfCreation().every(({ parentSpanId = '' }) => parentSpanId === '' || ids.has(parentSpanId));
    };
    await expect.poll(isWhole, PATIENCE).toBe(true);
    const trace = traceOfCreation();
    const pathTo = (name: string): string[] => {
      const path: string[] = [];
      let span = trace.find((each) => each.name === name);
      for (; span !== undefined; span = trace.find(({ spanId }) => spanId === span?.parentSpanId))
        path.unshift(`${span.process}: ${span.name}`);
      return path;
    };
    const call = [
      `gatehouse-gateway: POST ${DASHBOARDS}`,
      'gatehouse-gateway: access.dashboards.create',
      'gatehouse-access: access.dashboards.create',
    ];
    expect(pathTo('insert dashboards')).toEqual([...call, 'gatehouse-access: insert dashboards']);
    expect(pathTo(`send ${CREATED}`)).toEqual([...call, `gatehouse-access: send ${CREATED}`]);
    const consumed = [...call, `gatehouse-audit: process ${CREATED}`];
    expect(pathTo('insert auditEvents')).toEqual([...consumed, 'gatehouse-audit: insert auditEvents']);
    expect(pathTo('deliver to webhook')).toEqual([...consumed, 'gatehouse-audit: deliver to webhook']);
  });

  it('is not chosen by the caller, whose own trace is a link of it', () => {
    const spans = receiver.spans();
    expect(spans.filter(({ traceId }) => traceId === STRANGERS_TRACE)).toEqual([]);
    expect(spans.some(({ links }) => links.some(({ traceId }) => traceId === STRANGERS_TRACE))).toBe(true);
  });

  it('contains no content of requests, no callers and no records', () => {
    const bodies = receiver.bodies();
    const seen = Object.entries(planted).filter(([, text]) => bodies.includes(text));
    expect(seen).toEqual([]);
    // The traces are not empty: previews with statements, searches and rejected secrets are included.
    const names = new Set(receiver.spans().map(({ name }) => name));
    for (const name of [
      'policy.previews.preview',
      'directory.tokens.issue',
      `GET ${DASHBOARDS}`,
      'find dashboards',
    ])
      expect(names).toContain(name);
  });
});

describe('the metrics', () => {
  it('are not available at the gateway', async () => {
    const there = await sendRequest(mesh.baseUrl, ['GET', '/metrics']);
    const nowhere = await sendRequest(mesh.baseUrl, ['GET', '/nowhere']);
    const publicPart = ({ status, body }: typeof there) => ({ status, ...body, requestId: null });
    expect(publicPart(there)).toEqual(publicPart(nowhere));
    expect(there.status).toBe(404);
  });

  it('contain no content of requests, no callers and no records', () => {
    const seen = Object.entries(planted).filter(([, text]) => texts.join('\n').includes(text));
    expect(seen).toEqual([]);
  });

  it('count every route by its pattern, and no path that a caller invents', () => {
    const counted = valuesOf('gatehouse_http_requests_total', 'route');
    const patterns = routes.map(({ path }) => path);
    expect(patterns.filter((path) => !counted.has(path))).toEqual([]);
    const others = [...counted].filter((path) => !patterns.includes(path));
    expect(others.toSorted()).toEqual(['/readyz', 'unknown']);
  });

  it('count calls by procedures of the contract, with their outcome', () => {
    const known = Object.entries(services).flatMap(([service, { procedures }]) =>
      Object.entries(procedures).flatMap(([noun, verbs]) =>
        Object.keys(verbs).map((verb) => `${service}.${noun}.${verb}`),
      ),
    );
    const counted = [...valuesOf('gatehouse_procedure_calls_total', 'procedure')];
    expect(counted.filter((procedure) => !known.includes(procedure))).toEqual([]);
    expect(counted).toContain('policy.previews.preview');
    const codes = [...valuesOf('gatehouse_procedure_calls_total', 'code')];
    expect(codes).toEqual(expect.arrayContaining(['ok', 'FORBIDDEN', 'NOT_FOUND', 'UNAUTHENTICATED']));
    expect(codes.filter((code) => code !== 'ok' && !(code in ERROR_STATUS))).toEqual([]);
  });

  it('cover each service, consumer, cache and decision', () => {
    expect([...valuesOf('gatehouse_outbox_age_seconds', 'service')].toSorted()).toEqual(
      Object.keys(services).toSorted(),
    );
    const consumers = [...valuesOf('gatehouse_consumer_pending_events', 'consumer')];
    expect(consumers).toContain('audit-log');
    expect([...valuesOf('gatehouse_dead_letters_kept', 'consumer')]).toEqual(consumers);
    expect(valuesOf('gatehouse_cache_lookups_total', 'cache').size).toBeGreaterThan(6);
    expect([...valuesOf('gatehouse_decisions_total', 'outcome')].toSorted()).toEqual([
      'allowed',
      'compiled',
      'forbidden',
      'hidden',
    ]);
  });

  it('are those of the documentation, with their types and labels', async () => {
    const isOwn = (name: string) => name.startsWith('gatehouse_');
    const found = [...exported].map(([name, { type, labels }]) => ({
      name,
      type,
      // The labels of Node's own metrics depend on its current activity.
      labels: isOwn(name) ? [...labels].toSorted() : [],
    }));
    const documented = (await readPage()).metrics.map((metric) =>
      isOwn(metric.name) ? metric : { ...metric, labels: [] },
    );
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    expect(documented.toSorted(byName)).toEqual(found.toSorted(byName));
  });
});

describe('the alerts and the dashboard', () => {
  it('use existing metrics, in valid PromQL', async () => {
    const alerts = await readAlerts();
    const { panels } = await readDashboard();
    const queries = [
      ...alerts.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(queries.length).toBeGreaterThan(35);
    expect(queries.flatMap((query) => findQueryFaults(fillInterval(query), exported))).toEqual([]);
  });

  it.each([
    ['rate(gatehouse_http_request_total[5m])', 'there is no gatehouse_http_request_total'],
    ['gatehouse_http_request_duration_seconds', 'there is no gatehouse_http_request_duration_seconds'],
    ['gatehouse_outbox_events{queue="access"}', 'gatehouse_outbox_events has no label queue'],
    ['gatehouse_outbox_events{service="acces"}', 'gatehouse_outbox_events has no service "acces"'],
    [
      'sum by (path) (rate(gatehouse_http_requests_total[5m]))',
      'gatehouse_http_requests_total has no label path',
    ],
    ['up / on (service) gatehouse_event_bus_up', 'up has no label service'],
    [
      'sum(rate(gatehouse_http_requests_total[5m])',
      'is no PromQL: sum(rate(gatehouse_http_requests_total[5m])',
    ],
  ])('would be reported for %s', (query, fault) => {
    expect(findQueryFaults(query, exported)).toContain(fault);
  });

  it('have unique names, and each alert has a section with instructions', async () => {
    const alerts = await readAlerts();
    const { anchors } = await readPage();
    const sections = alerts.map(({ alert }) => `docs/observability.md#${alert.toLowerCase()}`);
    expect(alerts.map(({ annotations }) => annotations.runbook)).toEqual(sections);
    const documented = anchors.filter((anchor) => anchor.startsWith('gatehouse'));
    expect(documented.toSorted()).toEqual(alerts.map(({ alert }) => alert.toLowerCase()).toSorted());
  });

  it('show no overlapping panels', async () => {
    const { panels } = await readDashboard();
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe('a process without metrics and traces', () => {
  /** The libraries that a process loads with these settings. */
  async function loadedWith(settings: Record<string, string>): Promise<string[]> {
    const program = `
      import { createRequire } from 'node:module';
      const { observeProcess, readConfig, createLog } = await import('${SERVICE}');
      const log = createLog('test', { LOG_LEVEL: 'silent' });
      await observeProcess(readConfig(${JSON.stringify(settings)}), { name: 'test', log });
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.log(['prom-client', '@opentelemetry/sdk-trace'].filter((name) =>
        loaded.some((file) => file.includes('/node_modules/' + name + '/'))).join());
      process.exit(0);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
    return stdout
      .trim()
      .split(',')
      .filter((name) => name !== '');
  }

  it('loads none of their libraries', async () => {
    expect(await loadedWith({})).toEqual([]);
    const both = { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect(await loadedWith(both)).toEqual(['prom-client', '@opentelemetry/sdk-trace']);
  });
});
