import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span as OtelSpan,
  type SpanContext,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { settleWithin } from '../events/delivery.js';
import { errorCodeOf } from './errorCode.js';
import { parseTraceparent, type Span, type SpanOptions, type Tracer } from './tracing.js';

export interface TracerSettings {
  /** The name of the process in traces. */
  serviceName: string;
  /** The base URL of an OTLP/HTTP receiver. */
  endpoint: string;
  /** Sent with every export, as `name=value,name=value` with percent-encoded values. */
  headers: string;
  /** The share of sampled traces, 0 to 1. A continued trace follows the decision of its first span. */
  sampleRatio: number;
}

export interface RunningTracer extends Tracer {
  /** Sends pending spans, for a bounded time. */
  stop(): Promise<void>;
}

/** A shutdown has ten seconds in all. */
const FLUSH_TIMEOUT_MS = 1000;
const EXPORT_TIMEOUT_MS = 5000;
const EXPORT_INTERVAL_MS = 1000;
const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<SpanOptions['kind'], SpanKind>;

/** Parses the headers of the standard variable. Ignores entries that are not pairs. */
function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ''));
}

function remoteContext(traceparent: string | undefined): SpanContext | null {
  const parts = parseTraceparent(traceparent);
  return parts && { ...parts, isRemote: true };
}

function wrap(span: OtelSpan): Span {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: (errorType) =>
      void span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

class ContextTracer implements Tracer {
  readonly #tracer: OtelTracer;
  readonly #running = new AsyncLocalStorage<Context>();

  constructor(tracer: OtelTracer) {
    this.#tracer = tracer;
  }

  async run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const parent = remoteContext(options.parent);
    const above =
      parent === null
        ? (this.#running.getStore() ?? ROOT_CONTEXT)
        : trace.setSpanContext(ROOT_CONTEXT, parent);
    const started = this.#start(name, options, above);
    const span = wrap(started);
    try {
      return await this.#running.run(trace.setSpan(above, started), () => work(span));
    } catch (error) {
      span.fail(errorCodeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  begin(name: string, options: SpanOptions): Span | undefined {
    const above = this.#running.getStore();
    return above && wrap(this.#start(name, options, above));
  }

  traceparent(): string | undefined {
    const context = this.#running.getStore();
    const running = context && trace.getSpanContext(context);
    if (!running) return undefined;
    const { traceId, spanId, traceFlags } = running;
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  #start(name: string, { kind, attributes, linked }: SpanOptions, above: Context): OtelSpan {
    const context = remoteContext(linked);
    const links: Link[] = context === null ? [] : [{ context }];
    return this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes }, links }, above);
  }
}

/**
 * Creates a tracer that sends spans to an OTLP/HTTP receiver. Rejected spans are dropped. No operation waits
 * for an export.
 */
export function createTracer({ serviceName, endpoint, headers, sampleRatio }: TracerSettings): RunningTracer {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: parseHeaders(headers),
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.namespace': 'gatehouse' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS })],
  });
  const tracer = new ContextTracer(provider.getTracer('gatehouse'));
  return Object.assign(tracer, {
    stop: async () => void (await settleWithin(provider.shutdown(), FLUSH_TIMEOUT_MS).catch(() => false)),
  });
}
