import type { CounterKey, GaugeKey, HistogramKey, LabelsOf, MetricKey } from './catalogue.js';

/** One value of a gauge, and what it is of. */
export interface GaugeSample<G extends GaugeKey> {
  labels: LabelsOf<G>;
  value: number;
}

/** Reads a gauge whenever the metrics are asked for. What rejects, or takes too long, is left out of that answer. */
export type GaugeReader = () => Promise<readonly { labels: Record<string, string>; value: number }[]>;

/** Keeps what is counted. */
export interface MetricRecorder {
  /** Adds to a counter; adding 0 makes it known. */
  count(metric: CounterKey, labels: Record<string, string>, times: number): void;
  observe(metric: HistogramKey, labels: Record<string, string>, seconds: number): void;
}

/** The gauges of this process by metric. They are few, and cost nothing until somebody asks. */
const readers = new Map<GaugeKey, Set<GaugeReader>>();
let recorder: MetricRecorder | undefined;

/** From now on this process keeps what it counts. What counts before, or in a process without metrics, goes nowhere. */
export function recordMetrics(chosen: MetricRecorder): void {
  recorder = chosen;
}

/** Counts one. */
export function count<M extends CounterKey>(metric: M, labels: LabelsOf<M>): void {
  recorder?.count(metric, labels, 1);
}

/** Makes a counter known before anything is counted: a first one that comes from nowhere is no rise to Prometheus. */
export function expectCount<M extends CounterKey>(metric: M, labels: LabelsOf<M>): void {
  recorder?.count(metric, labels, 0);
}

/** Counts a lookup in what the process remembers. */
export function countLookup(cache: string, isHit: boolean): void {
  count('cacheLookups', { cache, outcome: isHit ? 'hit' : 'miss' });
}

/** Notes how long something took that began at `startedMs`, as `performance.now()` told it. */
export function observeSince<M extends HistogramKey>(
  metric: M,
  labels: LabelsOf<M>,
  startedMs: number,
): void {
  recorder?.observe(metric, labels, (performance.now() - startedMs) / 1000);
}

/** Offers a gauge. Gives the function by which it is withdrawn. */
export function offerGauge<G extends GaugeKey>(
  metric: G,
  read: () => Promise<readonly GaugeSample<G>[]>,
): () => void {
  const offered = readers.get(metric) ?? new Set();
  readers.set(metric, offered.add(read));
  return () => void offered.delete(read);
}

/** The readers of a gauge. */
export function readersOf(metric: MetricKey): Iterable<GaugeReader> {
  return readers.get(metric as GaugeKey) ?? [];
}
