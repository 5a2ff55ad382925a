import { describeConfig, readConfig, type Config } from './config.js';

const HELP = '--help';

/** Something that stops within its own time limits. */
export interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Runs a program: prints `--help`, starts it, and stops it on SIGTERM or SIGINT. Exits 0 after a clean
 * shutdown, and 1 with a one-line message if the start fails.
 */
export async function runProcess(start: (config: Config) => Promise<Stoppable>): Promise<void> {
  await run(async (config) => {
    const unexpected = process.argv[2];
    if (unexpected !== undefined)
      throw new Error(`unexpected argument ${unexpected}: ${HELP} lists the environment variables to set`);
    stopOnSignal(await start(config));
  });
}

/** Runs a program that ends by itself: prints `--help`, and exits 1 with a one-line message if it fails. */
export async function runTask(task: (config: Config) => Promise<void>): Promise<void> {
  await run(async (config) => {
    await task(config);
    process.exit(0);
  });
}

async function run(program: (config: Config) => Promise<void>): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig();
    if (process.argv.includes(HELP)) process.stdout.write(describeConfig(config));
    else await program(config);
  } catch (error) {
    process.stderr.write(`${describeFault(error, config)}\n`);
    process.exit(1);
  }
}

function describeFault(error: unknown, config?: Config): string {
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error && error.code === 'EADDRINUSE' && 'port' in error)) return error.message;
  const setting = config?.METRICS_PORT === error.port ? 'METRICS_PORT' : 'PORT';
  return `${error.message}: stop the program that listens there, or change ${setting}`;
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
