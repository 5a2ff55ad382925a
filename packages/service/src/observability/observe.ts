import type { Config } from '../config.js';
import type { Logger } from '../log.js';
import type { Stoppable } from '../process.js';
import { traceWith } from './tracing.js';

/** The metrics and traces of a process. */
export interface Observation extends Stoppable {
  /** The URL of the metrics. Undefined if there are none. */
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
 * Starts metrics and tracing, each only if it is configured. Neither is loaded otherwise. Call it before
 * anything that is to be observed is opened. Rejects if the address of the metrics is not available.
 *
 * @param name of the process, such as `directory`
 */
export async function observeProcess(
  config: Config,
  { name, log }: { name: string; log: Logger },
): Promise<Observation> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_HOST: host, METRICS_PORT: port } = config;
  const metrics =
    port === undefined ? undefined : await (await import('./prometheus.js')).serveMetrics({ host, port });
  if (metrics) log.info({ url: metrics.url }, 'serving metrics');
  const tracing = endpoint === undefined ? undefined : await startTracing(config, { endpoint, name });
  return {
    metricsUrl: metrics?.url,
    stop: async () => void (await Promise.all([metrics?.close(), tracing?.stop()])),
  };
}
