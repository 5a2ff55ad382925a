/** The number of entries of a period. */
export interface Bucket {
  /** Its beginning, in milliseconds since 1970. */
  at: number;
  done: number;
  refused: number;
}

const HOUR_MS = 3_600_000;
const WIDTHS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS];
const BUCKETS_MAX = 72;

/**
 * Entries counted by period, in the order of time and without gaps. The periods are hours, or longer ones if
 * those would be too many.
 */
export function countByPeriod(entries: readonly { time: string; outcome: string }[]): Bucket[] {
  const known = entries
    .map(({ time, outcome }) => ({ at: Date.parse(time), isRefused: outcome === 'refused' }))
    .filter(({ at }) => !Number.isNaN(at));
  if (known.length === 0) return [];
  const first = known.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = known.reduce((most, { at }) => Math.max(most, at), 0);
  const span = last - first;
  const widest = Math.ceil(span / (BUCKETS_MAX - 1));
  const width = WIDTHS.find((candidate) => candidate >= widest) ?? widest;
  const start = Math.floor(first / width) * width;
  const count = Math.floor((last - start) / width) + 1;
  const buckets = Array.from({ length: count }, (_, index) => ({
    at: start + index * width,
    done: 0,
    refused: 0,
  }));
  for (const { at, isRefused } of known) {
    const bucket = buckets[Math.floor((at - start) / width)];
    if (bucket === undefined) continue;
    if (isRefused) bucket.refused += 1;
    else bucket.done += 1;
  }
  return buckets;
}
