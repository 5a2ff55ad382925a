import { Worker } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import type { ReadingAnswer, ReadingJob } from './job.js';
import { IntrospectionError } from './outcome.js';

/** From the build, also when this file runs from its source: a thread takes no TypeScript. */
const READER = new URL('../../dist/introspection/reader.js', import.meta.url);
const HEAP_LIMIT_MIB = 256;

/**
 * Reads a catalog in a thread of its own. Whatever a hostile server or file does to a driver (throw where nobody catches,
 * never return, fill the heap) ends with the thread, and no driver sees the environment of this process: `pg` would take
 * passwords and settings from it.
 *
 * @throws IntrospectionError, or the signal's reason
 */
export async function readCatalog(job: ReadingJob, signal: AbortSignal): Promise<Catalog> {
  const reader = startReader(job);
  try {
    const answer = await awaitAnswer(reader, signal);
    if ('catalog' in answer) return answer.catalog;
    throw new IntrospectionError(answer.reason, answer.message, answer.cause);
  } finally {
    await reader.terminate();
  }
}

function startReader(job: ReadingJob): Worker {
  const reader = new Worker(READER, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MIB },
    stdout: true,
    stderr: true,
  });
  // A driver may print what a server makes it print.
  reader.stdout.resume();
  reader.stderr.resume();
  return reader;
}

function awaitAnswer(reader: Worker, signal: AbortSignal): Promise<ReadingAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => reject(explainDeath(cause));
    reader.once('message', resolve);
    reader.on('error', fail);
    reader.once('exit', (code) => fail(new Error(`The reading thread ended with code ${code}`)));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function explainDeath(cause: unknown): IntrospectionError {
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isFull
    ? new IntrospectionError('tooLarge', 'The database holds more than can be read.', cause)
    : new IntrospectionError('unreadable', 'What answered could not be read as a database.', cause);
}
