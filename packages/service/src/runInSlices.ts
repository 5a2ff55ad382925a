import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** The length of a time slice. Other calls of the process wait this long at most, or for one step. */
const SLICE_MS = 4;
/** The length of the slice with which work begins at once. Most work ends in it, without a turn. */
const FIRST_SLICE_MS = 0.25;

/** Resolves when the last slice in the queue may run. */
let queue: Promise<void> = Promise.resolve();

/**
 * Waits for a slice. The whole process runs one slice in each turn of the event loop: other calls wait for
 * one slice in a turn, however many generators run.
 */
function nextSlice(): Promise<void> {
  queue = queue.then(() => setImmediate());
  return queue;
}

/** Runs a generator to its end in time slices, so that it does not block the event loop. */
export async function runInSlices<T>(steps: Generator<void, T>): Promise<T> {
  for (let sliceMs = FIRST_SLICE_MS; ; sliceMs = SLICE_MS) {
    const sliceBegan = performance.now();
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() - sliceBegan <= sliceMs);
    await nextSlice();
  }
}
