import type { Logger } from './log.js';

/** Periodic work, such as the deletion of expired records. Several processes may run it concurrently. */
export interface Sweep {
  name: string;
  run(now: Date): Promise<void>;
}

export interface Sweeper {
  stop(): Promise<void>;
}

/**
 * Runs the sweeps one after the other at each interval, until it is stopped. A failed sweep runs again at the
 * next interval.
 */
export function startSweeper(sweeps: Sweep[], intervalMs: number, log: Logger): Sweeper {
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const sweepAll = async () => {
    for (const sweep of sweeps) {
      if (isStopping) return;
      try {
        await sweep.run(new Date());
      } catch (err) {
        log.warn({ err, sweep: sweep.name }, 'sweep failed; retrying at the next interval');
      }
    }
  };
  const schedule = () => {
    timer = setTimeout(() => {
      running = sweepAll().then(() => {
        if (!isStopping) schedule();
      });
    }, intervalMs);
  };
  schedule();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
