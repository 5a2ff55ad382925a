import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { AppError, type JsonObject } from '@gatehouse/contract';
import {
  failureOf,
  ROWS_BYTES_MAX,
  ROWS_MAX,
  SETUP,
  stepsOf,
  type SampleRun,
  type SampleStep,
} from './sampleSteps.js';

/** The rows of a statement, or a message about the failure. */
export type SampleOutcome = {
  /** Without what the database needed to start. */ elapsedMs: number;
} & SampleResult;
type SampleResult = { rows: JsonObject[]; failure?: undefined } | { failure: string; rows?: undefined };

type Reply = { rows: { row: JsonObject | null }[] } | { step: number; code: string | null };

/** For a start that hangs: a busy machine needs more than a minute. Each caller has its own deadline. */
const START_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 5000;
const IDLE_LIMIT_MS = 300_000;
const HEAP_LIMIT_MB = 128;
/** The memory limit of PostgreSQL itself, which takes 200 MB at first. */
const MEMORY_MAX = 384 * 1024 * 1024;

/** The file is next to the sources and to the build. */
const WORKER_FILE = new URL('../../sampleDatabaseWorker.mjs', import.meta.url);

/** Resolves to the next message of a worker. Rejects if the worker ends or times out. */
async function nextMessage(worker: Worker, limitMs: number): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    return await Promise.race([
      once(worker, 'message', { signal }).then(([message]: unknown[]) => message),
      once(worker, 'exit', { signal }).then(() => fail('The sample database ended')),
      sleep(limitMs, null, { signal, ref: false }).then(() => fail('The sample database did not answer')),
    ]);
  } finally {
    ended.abort();
  }
}

function fail(message: string): never {
  throw new Error(message);
}

/**
 * PostgreSQL in a worker thread. It starts on first use, serves run after run, and ends when it is idle for a
 * while. A run that times out ends its thread. Only one run at a time.
 */
export class SampleThread {
  #worker: Promise<Worker> | null = null;
  #idle: NodeJS.Timeout | undefined;

  get hasStarted(): boolean {
    return this.#worker !== null;
  }

  /** @throws UNAVAILABLE if the database does not start */
  async run(run: SampleRun): Promise<SampleOutcome> {
    clearTimeout(this.#idle);
    const steps = stepsOf(run);
    const worker = await this.#start();
    const startedMs = performance.now();
    const result = await this.#resultOf(worker, steps);
    this.#rest();
    return { ...result, elapsedMs: performance.now() - startedMs };
  }

  async #resultOf(worker: Worker, steps: SampleStep[]): Promise<SampleResult> {
    try {
      worker.postMessage(steps, []);
      const reply = (await nextMessage(worker, RUN_LIMIT_MS)) as Reply;
      return 'step' in reply ? { failure: failureOf(steps, reply) } : rowsOf(reply.rows);
    } catch {
      await this.stop();
      return { failure: 'The statement takes too long or too much memory on the sample rows.' };
    }
  }

  /** Starts the database in the background. That takes seconds. */
  warmUp(): void {
    // The next run reports a failed start.
    this.#start().catch(() => {});
    this.#rest();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = await this.#worker?.catch(() => null);
    this.#worker = null;
    await worker?.terminate();
  }

  /** Ends the thread after a while without runs. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.stop(), IDLE_LIMIT_MS).unref();
  }

  #start(): Promise<Worker> {
    if (this.#worker) return this.#worker;
    const made = startWorker();
    const forget = (): void => {
      if (this.#worker === made) this.#worker = null;
    };
    this.#worker = made;
    made.then((worker) => worker.once('exit', forget), forget);
    return made;
  }
}

/** @throws UNAVAILABLE if the database does not start */
async function startWorker(): Promise<Worker> {
  const worker = new Worker(WORKER_FILE, {
    workerData: { setup: SETUP, memoryMax: MEMORY_MAX },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  worker.stdout.resume();
  worker.stderr.resume();
  // The run that waits for the worker, or the next one, detects its end.
  worker.on('error', () => {});
  try {
    await nextMessage(worker, START_LIMIT_MS);
    return worker;
  } catch (cause) {
    await worker.terminate();
    throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
  }
}

function rowsOf(rows: readonly { row: JsonObject | null }[]): SampleResult {
  if (rows.length > ROWS_MAX) return { failure: `The statement gives more than ${ROWS_MAX} rows.` };
  const complete = rows.flatMap(({ row }) => (row === null ? [] : [row]));
  if (complete.length < rows.length) {
    return { failure: `The statement gives more than ${ROWS_BYTES_MAX} bytes of rows.` };
  }
  return { rows: complete };
}
