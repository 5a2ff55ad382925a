import { setTimeout as sleep } from 'node:timers/promises';

/** The parts that have been started and must be stopped, in reverse order. */
export interface StopSequence {
  /** `stop` receives the remaining time in milliseconds. */
  add(stop: (timeoutMs: number) => Promise<unknown>): void;
  /**
   * Stops everything, once. A failing part does not prevent the others from stopping. Once the time is over,
   * the remaining parts receive the stop request and are not awaited. Rejects with the first failure.
   */
  run(): Promise<void>;
}

/** Less than the ten seconds that a process has to end. */
const STOP_LIMIT_MS = 9500;

export function createStopSequence(limitMs = STOP_LIMIT_MS): StopSequence {
  const stops: ((timeoutMs: number) => Promise<unknown>)[] = [];
  const runAll = async () => {
    const deadlineMs = performance.now() + limitMs;
    const failures: unknown[] = [];
    for (const stop of stops.toReversed()) {
      const leftMs = Math.max(deadlineMs - performance.now(), 0);
      const stopped = stop(leftMs).catch((error: unknown) => void failures.push(error));
      await Promise.race([stopped, sleep(leftMs, undefined, { ref: false })]);
    }
    if (failures.length > 0) throw failures[0];
  };
  let running: Promise<void> | undefined;
  return {
    add: (stop) => void stops.push(stop),
    run: () => (running ??= runAll()),
  };
}
