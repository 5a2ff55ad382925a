/**
 * The attributes of a span. The list is closed on purpose: it contains names and codes of the program, and no
 * field for a token, an id, a statement, a value or the message of an error.
 */
export interface SpanAttributes {
  'http.request.method'?: string;
  'http.route'?: string;
  'http.response.status_code'?: number;
  'rpc.system.name'?: 'trpc';
  'rpc.method'?: string;
  'db.system.name'?: 'mongodb';
  'db.namespace'?: string;
  'db.collection.name'?: string;
  'db.operation.name'?: string;
  'messaging.system'?: 'nats';
  'messaging.operation.type'?: 'send' | 'process';
  'messaging.destination.name'?: string;
  'messaging.consumer.group.name'?: string;
  'error.type'?: string;
}

export interface SpanOptions {
  kind: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: SpanAttributes;
  /** The W3C `traceparent` of the parent span. By default the current span is the parent. */
  parent?: string | undefined;
  /** The `traceparent` of a caller that may not decide what is traced. It becomes a link. */
  linked?: string | undefined;
}

/** A span in progress. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, with a name or code of the program. */
  fail(errorType: string): void;
  end(): void;
}

export interface Tracer {
  /** Runs the work in a span, which ends with it. */
  run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Begins a child of the current span. Undefined if there is none. */
  begin(name: string, options: SpanOptions): Span | undefined;
  /** Returns the `traceparent` of the current span (https://www.w3.org/TR/trace-context/). */
  traceparent(): string | undefined;
}

/** `00-<trace>-<span>-<flags>`: the only version so far. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const ZEROS = /^0+$/;
const NO_SPAN: Span = { rename() {}, set() {}, fail() {}, end() {} };
let tracer: Tracer | undefined;

/** Parses a `traceparent`. Null if it is invalid. */
export function parseTraceparent(text: string | undefined) {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (ZEROS.test(traceId) || ZEROS.test(spanId) || traceId === '') return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** Sets the tracer of this process. Without one, no spans are created. */
export function traceWith(chosen: Tracer | undefined): void {
  tracer = chosen;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Runs the work in a span. Without tracing it only runs the work. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer === undefined ? work(NO_SPAN) : tracer.run(name, options, work);
}

/** Begins a child of the current span, which the caller must end. Undefined if there is none. */
export function beginSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.begin(name, options);
}

/** Returns the `traceparent` of the current span, to continue the trace elsewhere. */
export function currentTraceparent(): string | undefined {
  return tracer?.traceparent();
}

/** The log field that refers to the current trace. */
export function traceOfLog(): { traceId?: string } {
  const running = parseTraceparent(tracer?.traceparent());
  return running === null ? {} : { traceId: running.traceId };
}
