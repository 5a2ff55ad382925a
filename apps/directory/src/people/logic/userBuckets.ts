/** The number of buckets: ranges of the keys of tenant users that are counted separately. */
export const BUCKETS = 256;

/** The characters of a random key, in the order of their bytes. */
const DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const PER_DIGIT = BUCKETS / DIGITS.length;

function startOf(bucket: number): string {
  const second = (bucket % PER_DIGIT) * (DIGITS.length / PER_DIGIT);
  return `u:${DIGITS.charAt(Math.floor(bucket / PER_DIGIT))}${DIGITS.charAt(second)}`;
}

/** The least key of each bucket. The first and the last one contain all other texts as well. */
const STARTS = Array.from({ length: BUCKETS }, (_, bucket) => (bucket === 0 ? '' : startOf(bucket)));

/** The bucket of a key. */
export function bucketOf(key: string): number {
  return STARTS.findLastIndex((start) => start <= key);
}

/** The condition on the keys of a bucket. Every text meets the condition of exactly one. */
export function rangeOf(bucket: number): { $gte: string; $lt?: string } {
  const [$gte = '', $lt] = STARTS.slice(bucket, bucket + 2);
  return $lt === undefined ? { $gte } : { $gte, $lt };
}

/** An entry of a range takes so many times as long as one of a whole index. */
const RANGE_FACTOR = 2.5;

/**
 * Whether counting a whole part takes less time than counting some of its buckets.
 *
 * @param bucketCost what each count costs at least, in entries of a whole index
 */
export function isWholeCheaper(size: number, buckets: number, bucketCost: number): boolean {
  return buckets * (bucketCost + (RANGE_FACTOR * size) / BUCKETS) > size;
}

/** The last mark of each bucket of an organization, as they were read at `now`. */
export interface Marks {
  /** Milliseconds by the clock of the engine, as `now`; undefined for a bucket without a mark. */
  at: readonly (number | undefined)[];
  now: number;
}

/** The count of a bucket while it had this mark. */
export interface BucketCount {
  mark: number | undefined;
  count: number;
}

/** Which buckets a total is made of. */
export interface BucketPlan {
  /** The sum of the current counts. */
  known: number;
  /** The buckets without a current count whose count remains current until their next mark. */
  settled: number[];
  /** The buckets whose count may change without a further mark. */
  unsettled: number[];
}

/**
 * Decides which counts are current: those that were made under the mark that their bucket still has.
 *
 * @param settleMs how long after a mark the count may change
 */
export function planBuckets(
  { at, now }: Marks,
  counted: readonly (BucketCount | undefined)[],
  settleMs: number,
): BucketPlan {
  const plan: BucketPlan = { known: 0, settled: [], unsettled: [] };
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const mark = at[bucket];
    const current = counted[bucket];
    if (current !== undefined && current.mark === mark) plan.known += current.count;
    else if (mark === undefined || now - mark >= settleMs) plan.settled.push(bucket);
    else plan.unsettled.push(bucket);
  }
  return plan;
}
