/**
 * Worker thread that reads one catalog: `runReader` starts it with a job and terminates it after its output.
 */
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { Catalog } from '@gatehouse/contract';
import { compileWebAssemblySynchronously } from '@gatehouse/service/synchronousWebAssembly';
import { IntrospectionError } from './logic/outcome.js';
import { MAX_JSON_BYTES, tooLarge } from './logic/tableList.js';
import type { ReaderJob, ReaderOutput } from './runReader.js';

// Before a driver is loaded, because the thread may be terminated while a driver compiles.
compileWebAssemblySynchronously();

parentPort?.postMessage(await run(workerData as ReaderJob), []);

async function run(job: ReaderJob): Promise<ReaderOutput> {
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

/** Loads only the driver of this job: loading all three takes longer than reading a small catalog. */
async function read(job: ReaderJob): Promise<Catalog> {
  switch (job.type) {
    case 'postgres': {
      const { readPostgres } = await import('./readPostgres.js');
      return readPostgres(job);
    }
    case 'mysql': {
      const { readMysql } = await import('./readMysql.js');
      return readMysql(job);
    }
    case 'sqlite': {
      const { readSqlite } = await import('./readSqlite.js');
      return readSqlite(job.path);
    }
  }
}
