import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { AppError, type CatalogColumn, type JsonObject } from '@gatehouse/contract';
import { columnType, quoteName } from './logic/sampleTypes.js';

/** A table of the catalog with the rows that a test gives it. */
export interface SampleTable {
  schema: string;
  name: string;
  columns: readonly CatalogColumn[];
  rows: readonly JsonObject[];
}

export interface SampleRun {
  tables: readonly SampleTable[];
  /** One SELECT, as the engine restricted it. */
  sql: string;
  /** The schema of tables that the statement names without one. */
  defaultSchema: string | null;
}

/** The rows of a statement, or a sentence that says why there are none. */
export type SampleOutcome =
  { rows: JsonObject[]; failure?: undefined } | { failure: string; rows?: undefined };

export interface SampleDatabase {
  /** Runs a statement on sample rows. Nothing is left of a run. Throws UNAVAILABLE when too many wait. */
  run(run: SampleRun): Promise<SampleOutcome>;
  stop(): Promise<void>;
}

interface Step {
  sql: string;
  values?: string[];
  /** What a failure of this step is about. */
  subject: string;
}
type Reply = { rows: { row: JsonObject }[] } | { step: number; code: string | null };

/** Holds for the role that statements run as; it owns nothing, and may read the tables of the run alone. */
const READER = 'sample_reader';
/** The engine knows no timeouts of its own; temporary files are memory here. */
const SETUP = `
  create role ${READER} nologin;
  revoke all on schema public from public;
  set work_mem = '8MB'; set temp_file_limit = '64MB';`;
const ROWS_MAX = 1000;
const START_LIMIT_MS = 30_000;
const RUN_LIMIT_MS = 5000;
const IDLE_LIMIT_MS = 60_000;
const WAITING_MAX = 16;

/**
 * What runs in the worker: it takes the steps of one run, does them in one transaction, answers the rows of the last, and
 * rolls back. A text, so that it is the same from the sources and from the build.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
(async () => {
  const { PGlite } = await import(workerData.library);
  const database = await PGlite.create();
  await database.exec(workerData.setup);
  parentPort.on('message', async (steps) => {
    let step = 0;
    let reply;
    try {
      await database.exec('begin');
      let result;
      for (; step < steps.length; step += 1) result = await database.query(steps[step].sql, steps[step].values);
      reply = { rows: result.rows };
    } catch (error) {
      reply = { step, code: error.code ?? null };
    }
    await database.exec('rollback');
    parentPort.postMessage(reply);
  });
  parentPort.postMessage('ready');
})();`;

function stepsOf({ tables, sql, defaultSchema }: SampleRun): Step[] {
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const subject = 'The tables of the sample rows';
  const perSchema = schemas.flatMap((schema): Step[] => [
    { sql: `create schema if not exists ${quoteName(schema)}`, subject },
    { sql: `grant usage on schema ${quoteName(schema)} to ${READER}`, subject },
  ]);
  const perTable = tables.flatMap(({ schema, name, columns, rows }): Step[] => {
    const table = `${quoteName(schema)}.${quoteName(name)}`;
    const fields = columns.map((column) => `${quoteName(column.name)} ${columnType(column.type)}`);
    const insert = `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`;
    return [
      { sql: `create table ${table} (${fields.join(', ')})`, subject },
      { sql: insert, values: [JSON.stringify(rows)], subject: `The sample rows of ${schema}.${name}` },
      { sql: `grant select on ${table} to ${READER}`, subject },
    ];
  });
  const path = defaultSchema === null ? 'pg_catalog' : quoteName(defaultSchema);
  const statement = `select to_jsonb(r) as row from (${sql}) r limit ${ROWS_MAX + 1}`;
  return [
    ...perSchema,
    ...perTable,
    { sql: `set local search_path = ${path}`, subject },
    { sql: `set local role ${READER}`, subject },
    { sql: statement, subject: 'The statement' },
  ];
}

/** What went wrong by its SQLSTATE. PostgreSQL's own words may hold values, so they are not passed on. */
const FAILURES: Record<string, string> = {
  '42P01': 'reads a table that sampleData does not name',
  '42P07': 'are given twice',
  '42703': 'names a column that its table does not have',
  '42883': 'uses a function or an operator that does not take values of these types',
  '42501': 'reads what sample rows do not cover',
  '53400': 'needs too much memory',
};

function failureOf(steps: readonly Step[], { step, code }: { step: number; code: string | null }): string {
  const { subject = 'The statement' } = steps[step] ?? {};
  const known = code === null ? undefined : FAILURES[code];
  if (known !== undefined) return `${subject} ${known}.`;
  if (code?.startsWith('22')) return `${subject} cannot be read: a value does not fit its type (${code}).`;
  return `${subject} cannot be run on PostgreSQL (${code ?? 'no SQLSTATE'}).`;
}

/** Resolves to the next message of a worker; rejects when it ends, or says nothing in time. */
function nextMessage(worker: Worker, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      finish();
    };
    const timer = setTimeout(
      () => settle(() => reject(new Error('The sample database did not answer'))),
      limitMs,
    );
    worker.once('message', (message) => settle(() => resolve(message)));
    worker.once('error', (error) => settle(() => reject(error)));
    worker.once('exit', () => settle(() => reject(new Error('The sample database ended'))));
  });
}

/**
 * PostgreSQL in a thread of its own, made when it is first needed, used again for run after run, and ended after a while
 * without any. Runs wait for each other; one that takes too long ends with its thread.
 */
class PgliteSampleDatabase implements SampleDatabase {
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;

  async run(run: SampleRun): Promise<SampleOutcome> {
    if (this.#waiting >= WAITING_MAX) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#run(stepsOf(run)));
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = await this.#worker?.catch(() => null);
    this.#worker = null;
    await worker?.terminate();
  }

  async #run(steps: Step[]): Promise<SampleOutcome> {
    clearTimeout(this.#idle);
    const worker = await this.#start();
    try {
      worker.postMessage(steps);
      const reply = (await nextMessage(worker, RUN_LIMIT_MS)) as Reply;
      if ('step' in reply) return { failure: failureOf(steps, reply) };
      if (reply.rows.length > ROWS_MAX) return { failure: `The statement gives more than ${ROWS_MAX} rows.` };
      return { rows: reply.rows.map(({ row }) => row) };
    } catch {
      await this.stop();
      return { failure: 'The statement takes too long on the sample rows.' };
    } finally {
      this.#idle = setTimeout(() => void this.stop(), IDLE_LIMIT_MS).unref();
    }
  }

  #start(): Promise<Worker> {
    this.#worker ??= this.#make().catch((cause: unknown) => {
      this.#worker = null;
      throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
    });
    return this.#worker;
  }

  async #make(): Promise<Worker> {
    const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
    const worker = new Worker(PROGRAM, { eval: true, workerData: { library, setup: SETUP } });
    worker.unref();
    try {
      await nextMessage(worker, START_LIMIT_MS);
      return worker;
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }
}

export function createSampleDatabase(): SampleDatabase {
  return new PgliteSampleDatabase();
}
