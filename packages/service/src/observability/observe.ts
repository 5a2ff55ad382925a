import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import type { Stoppable } from '../process.js';
import { traceWith } from './tracing.js';

/** What a process shows of itself. */
export interface Observation extends Stoppable {
  /** Where its metrics are read; undefined when it has none. */
  metricsUrl: string | undefined;
}

async function startTracing(
  { OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER_ARG }: Config,
  { endpoint, name }: { endpoint: string; name: string },
): Promise<Stoppable> {
  const { createTracer } = await import('./openTelemetry.js');
  const tracer = createTracer({
    serviceName: `gatehouse-${name}`,
    endpoint,
    headers: OTEL_EXPORTER_OTLP_HEADERS ?? '',
    sampleRatio: OTEL_TRACES_SAMPLER_ARG,
  });
  traceWith(tracer);
  return {
    async stop() {
      traceWith(undefined);
      await tracer.stop();
    },
  };
}

/**
 * Begins to trace and to count, each where it is configured; nothing of either is loaded where it is not. To be called before
 * anything is opened that is to be observed. Rejects when the address of the metrics cannot be had.
 *
 * @param name of the process, as `directory`
 */
export async function observeProcess(
  config: Config,
  { name, log }: { name: string; log: Logger },
): Promise<Observation> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_HOST: host, METRICS_PORT: port } = config;
  const metrics =
    port === undefined ? undefined : await (await import('./prometheus.js')).serveMetrics({ host, port });
  if (metrics) log.info({ url: metrics.url }, 'metrics are served');
  const tracing = endpoint === undefined ? undefined : await startTracing(config, { endpoint, name });
  return {
    metricsUrl: metrics?.url,
    stop: async () => void (await Promise.all([metrics?.close(), tracing?.stop()])),
  };
}
