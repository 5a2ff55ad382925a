/**
 * A metric in the terms of Prometheus. Labels contain names of the program only: never an id, a text of a
 * caller or a host.
 */
export interface Metric {
  name: string;
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
}

/** Every metric that the processes of Gatehouse export, besides those of Node itself. */
export const METRICS = {
  httpRequests: {
    name: 'gatehouse_http_requests_total',
    kind: 'counter',
    help: 'Requests that the gateway has completed; the route is the pattern of the path',
    labels: ['route', 'method', 'status'],
  },
  httpDuration: {
    name: 'gatehouse_http_request_duration_seconds',
    kind: 'histogram',
    help: 'Time from the head of a request to the end of its response',
    labels: ['route', 'method'],
  },
  httpInFlight: {
    name: 'gatehouse_http_requests_in_flight',
    kind: 'gauge',
    help: 'Requests that the gateway is serving',
    labels: [],
  },
  memoryLimit: {
    name: 'gatehouse_memory_limit_bytes',
    kind: 'gauge',
    help: 'Memory that the process may use: the limit of its container, or all memory of the machine',
    labels: [],
  },
  procedureCalls: {
    name: 'gatehouse_procedure_calls_total',
    kind: 'counter',
    help: 'Calls that a service has completed; the code is ok or the code of the error',
    labels: ['procedure', 'code'],
  },
  procedureDuration: {
    name: 'gatehouse_procedure_duration_seconds',
    kind: 'histogram',
    help: 'Duration of a call in the service',
    labels: ['procedure'],
  },
  outboxAge: {
    name: 'gatehouse_outbox_age_seconds',
    kind: 'gauge',
    help: 'Age of the oldest unpublished event; 0 if there is none',
    labels: ['service'],
  },
  outboxEvents: {
    name: 'gatehouse_outbox_events',
    kind: 'gauge',
    help: 'Unpublished events; at most 10000 documents of each collection are counted',
    labels: ['service'],
  },
  busUp: {
    name: 'gatehouse_event_bus_up',
    kind: 'gauge',
    help: '1 while events can be published and watched, else 0',
    labels: [],
  },
  consumerPending: {
    name: 'gatehouse_consumer_pending_events',
    kind: 'gauge',
    help: 'Events that a consumer has not handled yet, including those that wait for a redelivery',
    labels: ['consumer'],
  },
  consumerDuration: {
    name: 'gatehouse_consumer_duration_seconds',
    kind: 'histogram',
    help: 'Duration of one delivery of an event to a consumer',
    labels: ['consumer'],
  },
  consumedEvents: {
    name: 'gatehouse_consumed_events_total',
    kind: 'counter',
    help: 'Deliveries of events to consumers by outcome: handled, unavailable (a dependency was), or why it failed',
    labels: ['consumer', 'outcome'],
  },
  deadLetters: {
    name: 'gatehouse_dead_letters_total',
    kind: 'counter',
    help: 'Events that this process has moved to the dead letters',
    labels: ['consumer', 'reason'],
  },
  deadLettersKept: {
    name: 'gatehouse_dead_letters_kept',
    kind: 'gauge',
    help: 'Dead letters that wait for an operator',
    labels: ['consumer'],
  },
  cacheLookups: {
    name: 'gatehouse_cache_lookups_total',
    kind: 'counter',
    help: 'Lookups in a cache, by outcome: hit or miss',
    labels: ['cache', 'outcome'],
  },
  decisions: {
    name: 'gatehouse_decisions_total',
    kind: 'counter',
    help: 'Decisions by kind and outcome',
    labels: ['decision', 'outcome'],
  },
  webhookAttempts: {
    name: 'gatehouse_webhook_attempts_total',
    kind: 'counter',
    help: 'Attempts to deliver to webhooks: delivered, pending (another attempt follows) or failed',
    labels: ['outcome'],
  },
  webhookDuration: {
    name: 'gatehouse_webhook_attempt_duration_seconds',
    kind: 'histogram',
    help: 'Duration of an attempt to deliver to a webhook',
    labels: [],
  },
} as const satisfies Record<string, Metric>;

export type MetricKey = keyof typeof METRICS;
type KeyOf<K extends Metric['kind']> = {
  [M in MetricKey]: (typeof METRICS)[M]['kind'] extends K ? M : never;
}[MetricKey];
export type CounterKey = KeyOf<'counter'>;
export type GaugeKey = KeyOf<'gauge'>;
export type HistogramKey = KeyOf<'histogram'>;
/** A value for each label of a metric. */
export type LabelsOf<M extends MetricKey> = Record<(typeof METRICS)[M]['labels'][number], string>;
