import { randomInt } from 'node:crypto';

/** The duration of the iterations on the machine that the numbers of runs were chosen on. */
const REFERENCE_MS = 100;
const ITERATIONS = 90_000_000;
/** Below this, a difference may be chance. */
const SLOW = 1.5;
/** This many times fewer runs than in the nightly run. */
const EVERY_CHANGE = 4;
/** At most this many times fewer runs: very few runs show too little. */
const SLOWEST = 5;

/**
 * How many times slower this process currently is than on the reference machine, other processes included.
 */
function measureSlowness(): number {
  const startMs = performance.now();
  let state = 1;
  for (let index = 0; index < ITERATIONS; index += 1) state = (Math.imul(state, 1_664_525) + index) | 0;
  const elapsedMs = performance.now() - startMs;
  // A use of the result, so that the loop is not optimized away.
  return Number.isInteger(state) ? elapsedMs / REFERENCE_MS : 1;
}

let slowness: number | undefined;

/**
 * The number of runs for a random test: `full` with `FUZZ_FULL=1`, as `npm run fuzz` sets it, `sample` in the
 * nightly run, else a quarter of the sample.
 * A slow or busy machine gets a fraction of the sample, and a line on the console reports it. The speed is
 * measured once for each test process, in a tenth of a second.
 *
 * @param sample runs on a machine of ordinary speed
 * @param full runs of the whole test; default: the sample
 */
export function randomRuns(sample: number, full: number = sample): number {
  if (process.env['FUZZ_FULL'] === '1') return full;
  slowness ??= measureSlowness();
  const runs = lowerRuns(sample, slowness);
  return process.env['ALL_TESTS'] === '1' ? runs : Math.min(runs, Math.ceil(sample / EVERY_CHANGE));
}

/** Random ones of the cases: as many as {@link randomRuns} returns, and all of them with `FUZZ_FULL=1`. */
export function sampleOf<T>(cases: readonly T[], sample: number): T[] {
  const left = [...cases];
  const runs = Math.min(cases.length, randomRuns(sample, cases.length));
  return Array.from({ length: runs }, () => left.splice(randomInt(left.length), 1)).flat();
}

/**
 * The runs for a machine that is slower than the reference by this factor. Reports on the console if they are
 * fewer.
 */
export function lowerRuns(sample: number, slower: number): number {
  const runs = slower < SLOW ? sample : Math.ceil(sample / Math.min(slower, SLOWEST));
  if (runs < sample)
    process.stderr.write(
      `random test: ${runs} of ${sample} runs, the machine is ${slower.toFixed(1)} times slower\n`,
    );
  return runs;
}
