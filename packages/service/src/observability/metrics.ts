import type { CounterKey, GaugeKey, HistogramKey, LabelsOf, MetricKey } from './catalogue.js';

/** One value of a gauge and its labels. */
export interface GaugeSample<G extends GaugeKey> {
  labels: LabelsOf<G>;
  value: number;
}

/** Reads a gauge at each scrape. If it rejects or takes too long, the scrape omits it. */
export type GaugeReader = () => Promise<readonly { labels: Record<string, string>; value: number }[]>;

/** Records the counts and durations of the process. */
export interface MetricRecorder {
  /** Increments a counter. An increment of 0 initializes it. */
  count(metric: CounterKey, labels: Record<string, string>, times: number): void;
  observe(metric: HistogramKey, labels: Record<string, string>, seconds: number): void;
}

/** The gauges of this process by metric. They are read only by a scrape. */
const readers = new Map<GaugeKey, Set<GaugeReader>>();
let recorder: MetricRecorder | undefined;

/** Sets the recorder of this process. Without one, and before, counts are discarded. */
export function recordMetrics(chosen: MetricRecorder): void {
  recorder = chosen;
}

/** Increments a counter. */
export function count<M extends CounterKey>(metric: M, labels: LabelsOf<M>): void {
  recorder?.count(metric, labels, 1);
}

/**
 * Initializes a counter with 0, because Prometheus sees no increase when a counter appears with its first
 * count.
 */
export function expectCount<M extends CounterKey>(metric: M, labels: LabelsOf<M>): void {
  recorder?.count(metric, labels, 0);
}

/** Counts a lookup in a cache. */
export function countLookup(cache: string, isHit: boolean): void {
  count('cacheLookups', { cache, outcome: isHit ? 'hit' : 'miss' });
}

/** Records a duration since `startedMs`, a value of `performance.now()`. */
export function observeSince<M extends HistogramKey>(
  metric: M,
  labels: LabelsOf<M>,
  startedMs: number,
): void {
  recorder?.observe(metric, labels, (performance.now() - startedMs) / 1000);
}

/** Registers a gauge. Returns the function that unregisters it. */
export function offerGauge<G extends GaugeKey>(
  metric: G,
  read: () => Promise<readonly GaugeSample<G>[]>,
): () => void {
  const offered = readers.get(metric) ?? new Set();
  readers.set(metric, offered.add(read));
  return () => void offered.delete(read);
}

/** Returns the readers of a gauge. */
export function readersOf(metric: MetricKey): Iterable<GaugeReader> {
  return readers.get(metric as GaugeKey) ?? [];
}
