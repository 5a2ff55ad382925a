import { Worker } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import type { ReadingAnswer, ReadingJob } from './job.js';
import { IntrospectionError } from './outcome.js';

/** From the build, also when this file runs from its source: a thread takes no TypeScript. */
const READER = new URL('../../dist/introspection/reader.js', import.meta.url);
const HEAP_LIMIT_MIB = 512;

/**
 * Reads a catalog in a thread of its own. Whatever a hostile server or file does to a driver (throw where nobody catches,
 * never return, fill the heap) ends with the thread, and no driver sees the environment of this process: `pg` would take
 * passwords and settings from it.
 *
 * @throws IntrospectionError
 */
export async function readCatalog(job: ReadingJob, signal: AbortSignal): Promise<Catalog> {
  signal.throwIfAborted();
  const reader = new Worker(READER, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MIB },
  });
  try {
    const answer = await awaitAnswer(reader, signal);
    if ('catalog' in answer) return answer.catalog;
    throw new IntrospectionError(answer.reason, answer.message, answer.cause);
  } finally {
    await reader.terminate();
  }
}

function awaitAnswer(reader: Worker, signal: AbortSignal): Promise<ReadingAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const reason = isFull ? 'tooLarge' : 'unreadable';
      reject(new IntrospectionError(reason, 'What answered could not be read as a database.', cause));
    };
    reader.once('message', resolve);
    reader.once('error', fail);
    reader.once('exit', (code) => fail(new Error(`The reading thread ended with code ${code}`)));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
