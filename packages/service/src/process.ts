import { describeConfig, readConfig, type Config } from './config.js';

/** Something that stops within its own time limits. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Runs a program: prints `--help`, starts it, and stops it on SIGTERM or SIGINT. Exits 0 after a clean
 * shutdown, and 1 with a one-line message if the start fails.
 */
export async function runProcess(start: (config: Config) => Promise<Stoppable>): Promise<void> {
  try {
    const config = readConfig();
    if (process.argv.includes('--help')) {
      process.stdout.write(describeConfig(config));
      return;
    }
    const running = await start(config);
    stopOnSignal(running);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Runs a program that ends by itself: prints `--help`, and exits 1 with a one-line message if it fails. */
export async function runTask(task: (config: Config) => Promise<void>): Promise<void> {
  await runProcess(async (config) => {
    await task(config);
    process.exit(0);
  });
}

function stopOnSignal(running: Stoppable): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`stop failed: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
