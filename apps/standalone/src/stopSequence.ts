import { setTimeout as sleep } from 'node:timers/promises';

/** What has been started and must be stopped, the latest first. */
export interface StopSequence {
  /** `stop` is given the milliseconds that are left for it. */
  add(stop: (timeoutMs: number) => Promise<unknown>): void;
  /**
   * Stops everything, once. One part's failure keeps no other running, and once the time is up the remaining ones are
   * told to stop and not waited for. Rejects with the first failure.
   */
  run(): Promise<void>;
}

/** Under the ten seconds that a process has to end. */
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
