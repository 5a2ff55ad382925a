import type { Logger } from './log.js';

/** Work that is due from time to time, such as removing what has expired. Must bear being run by several processes. */
export interface Sweep {
  name: string;
  run(now: Date): Promise<void>;
}

export interface Sweeper {
  stop(): Promise<void>;
}

/** Runs the sweeps one after the other, again and again, until it is stopped. A sweep that fails is tried again next time. */
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
        log.warn({ err, sweep: sweep.name }, 'sweep failed; it is tried again');
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
