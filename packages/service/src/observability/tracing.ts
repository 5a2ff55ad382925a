/**
 * All that a span may say. The list is closed on purpose: names and codes of the program are in it, and no place for a token, an
 * id, a statement, a value or a message of an error.
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
  /** The W3C `traceparent` of the span that this one belongs under; absent, the one that is running. */
  parent?: string | undefined;
  /** A `traceparent` of somebody who is not trusted to say what is traced: noted as a link. */
  linked?: string | undefined;
}

/** A span that is running. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed, by a name or code of the program. */
  fail(errorType: string): void;
  end(): void;
}

export interface Tracer {
  /** Runs the work inside of a span, which ends with it. */
  run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Begins a span under the one that is running; undefined when none is. */
  begin(name: string, options: SpanOptions): Span | undefined;
  /** The `traceparent` of the running span (https://www.w3.org/TR/trace-context/). */
  traceparent(): string | undefined;
}

/** `00-<trace>-<span>-<flags>`: the only version that there is. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const ZEROS = /^0+$/;
const NO_SPAN: Span = { rename() {}, set() {}, fail() {}, end() {} };
let tracer: Tracer | undefined;

/** The parts of a `traceparent`; null when it is none. */
export function parseTraceparent(text: string | undefined) {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (ZEROS.test(traceId) || ZEROS.test(spanId) || traceId === '') return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** From now on spans are made by this tracer; by none, they are not made. */
export function traceWith(chosen: Tracer | undefined): void {
  tracer = chosen;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Runs the work inside of a span. Without tracing this is the work and nothing else. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer === undefined ? work(NO_SPAN) : tracer.run(name, options, work);
}

/** Begins a span under the running one, for the caller to end; undefined when none is running. */
export function beginSpan(name: string, options: SpanOptions): Span | undefined {
  return tracer?.begin(name, options);
}

/** The `traceparent` of the running span, for whoever goes on with the work elsewhere. */
export function currentTraceparent(): string | undefined {
  return tracer?.traceparent();
}

/** The field that ties a line of the log to its trace. */
export function traceOfLog(): { traceId?: string } {
  const running = parseTraceparent(tracer?.traceparent());
  return running === null ? {} : { traceId: running.traceId };
}
