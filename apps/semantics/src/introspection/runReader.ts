import { Worker } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import { IntrospectionError, type IntrospectionReason } from './logic/outcome.js';
import type { ServerJob } from './serverSocket.js';

/** The input of the reader thread. */
export type ReaderJob = ({ type: 'postgres' | 'mysql' } & ServerJob) | { type: 'sqlite'; path: string };

/** The output of the reader thread. The cause is text: a driver's error cannot be cloned across threads. */
export type ReaderOutput =
  | { catalog: Catalog }
  | { reason: IntrospectionReason; message: string; cause: string | undefined };

/** The built file, also when this module runs from source: a worker thread does not load TypeScript. */
const READER = new URL('../../dist/introspection/reader.js', import.meta.url);
const HEAP_LIMIT_MIB = 256;

/**
 * Reads a catalog in its own thread. Whatever a hostile server or file makes a driver do (throw outside any
 * handler, never return, fill the heap) ends with the thread. No driver sees the environment of this process:
 * `pg` would read passwords and settings from it.
 *
 * @throws IntrospectionError, or the signal's reason
 */
export async function runReader(job: ReaderJob, signal: AbortSignal): Promise<Catalog> {
  const reader = startReader(job);
  try {
    const output = await waitForOutput(reader, signal);
    if ('catalog' in output) return output.catalog;
    throw new IntrospectionError(output.reason, output.message, output.cause);
  } finally {
    await reader.terminate();
  }
}

function startReader(job: ReaderJob): Worker {
  const reader = new Worker(READER, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MIB },
    stdout: true,
    stderr: true,
  });
  // Discards output: a server can make a driver print anything.
  reader.stdout.resume();
  reader.stderr.resume();
  return reader;
}

function waitForOutput(reader: Worker, signal: AbortSignal): Promise<ReaderOutput> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(explainExit(cause));
    reader.once('message', resolve);
    reader.on('error', fail);
    reader.once('exit', (code) => fail(new Error(`The reading thread ended with code ${code}`)));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function explainExit(cause: unknown): IntrospectionError {
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isFull
    ? new IntrospectionError('tooLarge', 'The database holds more than can be read.', cause)
    : new IntrospectionError('unreadable', 'What answered could not be read as a database.', cause);
}
