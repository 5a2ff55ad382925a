import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type Metric, type MetricKey } from './catalogue.js';
import { offerGauge, readersOf, recordMetrics, type GaugeReader } from './metrics.js';

/** From 1 ms, an answer from memory, to 10 s, the longest that a call may take unless it is configured otherwise. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A scrape must not hang on a database that does: Prometheus waits ten seconds. */
const READ_TIMEOUT_MS = 2000;

/** Where the metrics of this process are read. */
export interface MetricsServer {
  url: string;
  close(): Promise<void>;
}

const catalogue = Object.entries(METRICS) as [MetricKey, Metric][];
let shared: Registry | undefined;

/** What a reader gives; nothing when it fails or takes too long. */
async function readGauge(read: GaugeReader): ReturnType<GaugeReader> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<[]>((resolve) => {
    timer = setTimeout(() => resolve([]), READ_TIMEOUT_MS);
  });
  try {
    return await Promise.race([read(), timeUp]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

function createGauge(key: MetricKey, { name, help, labels }: Metric, registry: Registry): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const samples = await Promise.all([...readersOf(key)].map(readGauge));
      // What is not there any more must not go on being told.
      gauge.reset();
      if (labels.length === 0 && samples.flat().length === 0) gauge.remove();
      for (const { labels: values, value } of samples.flat()) gauge.inc(values, value);
    },
  });
}

/** What a container is allowed, where there is one. */
function memoryLimitBytes(): number {
  // 0 where the system has no such limit, and more than there is where it has set none.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/** One registry for the process, however many listeners it has: counters belong to the process. */
function openRegistry(): Registry {
  if (shared !== undefined) return shared;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = new Map<MetricKey, Counter>();
  const histograms = new Map<MetricKey, Histogram>();
  for (const [key, metric] of catalogue) {
    const { name, help, labels: labelNames } = metric;
    const options = { name, help, labelNames, registers: [registry] };
    if (metric.kind === 'gauge') createGauge(key, metric, registry);
    else if (metric.kind === 'counter') counters.set(key, new Counter(options));
    else histograms.set(key, new Histogram({ ...options, buckets: BUCKETS_SECONDS }));
  }
  offerGauge('memoryLimit', async () => [{ labels: {}, value: memoryLimitBytes() }]);
  recordMetrics({
    count: (metric, labels, times) => counters.get(metric)?.inc(labels, times),
    observe: (metric, labels, seconds) => histograms.get(metric)?.observe(labels, seconds),
  });
  return (shared = registry);
}

async function answer(registry: Registry, response: ServerResponse): Promise<void> {
  try {
    const body = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(body);
  } catch {
    response.writeHead(500).end();
  }
}

/** Counts from now on, and tells the counts at `/metrics`. Rejects when the address cannot be had. */
export async function serveMetrics({ host, port }: { host: string; port: number }): Promise<MetricsServer> {
  const registry = openRegistry();
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/metrics') void answer(registry, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}/metrics`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
