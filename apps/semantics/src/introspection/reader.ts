/** The thread that reads one catalog: `readCatalog` starts it with a job and ends it when it has answered. */
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import type { ReadingAnswer, ReadingJob } from './job.js';
import { readMysql } from './mysql.js';
import { IntrospectionError } from './outcome.js';
import { readPostgres } from './postgres.js';
import { readSqlite } from './sqlite.js';
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
    const cause = inspect(error instanceof IntrospectionError ? error.cause : error);
    if (error instanceof IntrospectionError) return { reason: error.reason, message: error.message, cause };
    return { reason: 'unreadable', message: 'The database could not be read.', cause };
  }
}

async function read(job: ReadingJob): Promise<Catalog> {
  switch (job.type) {
    case 'postgres':
      return readPostgres(job);
    case 'mysql':
      return readMysql(job);
    case 'sqlite':
      return readSqlite(job.path);
  }
}
