import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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
  | { rows: JsonObject[]; failure?: undefined }
  | { failure: string; rows?: undefined };

export interface SampleDatabase {
  /** Runs a statement on sample rows. Nothing is left of a run. Throws UNAVAILABLE when too many wait. */
  run(run: SampleRun): Promise<SampleOutcome>;
  /** Starts it in the background, which takes seconds, so that the next run need not wait. */
  warmUp(): void;
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
const START_LIMIT_MS = 60_000;
const RUN_LIMIT_MS = 8000;
const IDLE_LIMIT_MS = 300_000;
const WAITING_MAX = 16;

/** Beside the sources and the build alike. */
const WORKER_FILE = new URL('../sampleDatabaseWorker.mjs', import.meta.url);

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

  warmUp(): void {
    if (this.#waiting > 0) return;
    // Whoever runs something is told when it does not start.
    this.#start().catch(() => {});
    this.#rest();
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
      worker.postMessage(steps, []);
      const reply = (await nextMessage(worker, RUN_LIMIT_MS)) as Reply;
      if ('step' in reply) return { failure: failureOf(steps, reply) };
      if (reply.rows.length > ROWS_MAX) return { failure: `The statement gives more than ${ROWS_MAX} rows.` };
      return { rows: reply.rows.map(({ row }) => row) };
    } catch {
      await this.stop();
      return { failure: 'The statement takes too long on the sample rows.' };
    } finally {
      this.#rest();
    }
  }

  /** Ends the thread when nothing runs for a while. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.stop(), IDLE_LIMIT_MS).unref();
  }

  #start(): Promise<Worker> {
    this.#worker ??= this.#make().catch((cause: unknown) => {
      this.#worker = null;
      throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
    });
    return this.#worker;
  }

  async #make(): Promise<Worker> {
    const worker = new Worker(WORKER_FILE, { workerData: { setup: SETUP } });
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
