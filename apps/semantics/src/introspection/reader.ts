/** The thread that reads one catalog: `readCatalog` starts it with a job and ends it when it has answered. */
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import type { ReadingAnswer, ReadingJob } from './job.js';
import { IntrospectionError } from './outcome.js';
import { MAX_JSON_BYTES, tooLarge } from './tableList.js';

parentPort?.postMessage(await answer(workerData as ReadingJob), []);

async function answer(job: ReadingJob): Promise<ReadingAnswer> {
  try {
    const catalog = await read(job);
    if (Buffer.byteLength(JSON.stringify(catalog)) > MAX_JSON_BYTES) {
      throw tooLarge(`${MAX_JSON_BYTES / 1024 / 1024} MiB of names and types`);
    }
    return { catalog };
  } catch (error) {
    if (!(error instanceof IntrospectionError)) {
      return { reason: 'unreadable', message: 'The database could not be read.', cause: inspect(error) };
    }
    const { reason, message, cause } = error;
    return { reason, message, cause: cause === undefined ? undefined : inspect(cause) };
  }
}

/** Loads the one driver that is needed: loading all three takes longer than reading a small catalog. */
async function read(job: ReadingJob): Promise<Catalog> {
  switch (job.type) {
    case 'postgres': {
      const { readPostgres } = await import('./postgres.js');
      return readPostgres(job);
    }
    case 'mysql': {
      const { readMysql } = await import('./mysql.js');
      return readMysql(job);
    }
    case 'sqlite': {
      const { readSqlite } = await import('./sqlite.js');
      return readSqlite(job.path);
    }
  }
}
