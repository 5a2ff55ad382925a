import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type Metric, type MetricKey } from './catalogue.js';
import { offerGauge, readersOf, recordMetrics, type GaugeReader } from './metrics.js';

/** From 1 ms, a response from memory, to 10 s, the default limit of a call. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A scrape must not wait for a database that hangs: Prometheus waits ten seconds. */
const READ_TIMEOUT_MS = 2000;

/** The metrics endpoint of this process. */
export interface MetricsServer {
  url: string;
  close(): Promise<void>;
}

const catalogue = Object.entries(METRICS) as [MetricKey, Metric][];
let shared: Registry | undefined;

/** Returns the values of a reader. Returns none if it fails or times out. */
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
      // Values that no reader reports any more must disappear.
      gauge.reset();
      if (labels.length === 0 && samples.flat().length === 0) gauge.remove();
      for (const { labels: values, value } of samples.flat()) gauge.inc(values, value);
    },
  });
}

/** The memory limit of the container, or the memory of the machine. */
function memoryLimitBytes(): number {
  // 0 on a system without such limits. Larger than the memory if no limit is set.
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

async function respond(registry: Registry, response: ServerResponse): Promise<void> {
  try {
    const body = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(body);
  } catch {
    response.writeHead(500).end();
  }
}

/** Starts to count, and serves the counts at `/metrics`. Rejects if the address is not available. */
export async function serveMetrics({ host, port }: { host: string; port: number }): Promise<MetricsServer> {
  const registry = openRegistry();
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/metrics') void respond(registry, response);
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
