import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From 1 ms, an answer from memory, to 10 s, the longest that a call may take. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One answered request. `operation` is the operationId, or `unknown` where the request named none. */
export interface RequestSample {
  operation: string;
  method: string;
  status: number;
  durationMs: number;
}

export interface Metrics {
  countRequest(sample: RequestSample): void;
  countPrincipalLookup: (outcome: 'hit' | 'miss') => void;
  /** The metrics in the Prometheus text format, and its content type. */
  write(): Promise<{ contentType: string; body: string }>;
}

/** Measures one gateway. `countInFlight` is asked whenever the metrics are read. */
export function createMetrics(countInFlight: () => number): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'gatehouse_http_requests_total',
    help: 'Answered requests',
    labelNames: ['operation', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'gatehouse_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['operation'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const lookups = new Counter({
    name: 'gatehouse_principal_lookups_total',
    help: 'Lookups of the bearer of an access token in the cache',
    labelNames: ['outcome'],
    registers,
  });
  const inFlight: Gauge = new Gauge({
    name: 'gatehouse_http_requests_in_flight',
    help: 'Requests that are being served',
    registers,
    collect: () => inFlight.set(countInFlight()),
  });
  const outcomes = { hit: lookups.labels('hit'), miss: lookups.labels('miss') };
  return {
    countRequest({ operation, method, status, durationMs }) {
      requests.inc({ operation, method, status });
      durations.observe({ operation }, durationMs / 1000);
    },
    countPrincipalLookup: (outcome) => outcomes[outcome].inc(),
    write: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
