import type { CatalogColumn, JsonObject } from '@gatehouse/contract';
import { columnType, quoteName } from './logic/sampleTypes.js';

/** A table of the catalog and its sample rows. */
export interface SampleTable {
  schema: string;
  name: string;
  columns: readonly CatalogColumn[];
  rows: readonly JsonObject[];
}

export interface SampleRun {
  tables: readonly SampleTable[];
  /** One restricted SELECT. */
  sql: string;
  /** The schema of unqualified tables. */
  defaultSchema: string | null;
}

export interface SampleStep {
  sql: string;
  values?: string[];
  /** The subject of a message about a failure of this step. */
  subject: string;
}

/** The role that runs statements. It owns nothing and may read only the tables of the run. */
const READER = 'sample_reader';
/** The engine has no timeouts of its own. Temporary files take memory here. */
export const SETUP = `
  create role ${READER} nologin;
  revoke all on schema public from public;
  set work_mem = '8MB'; set temp_file_limit = '64MB';`;
export const ROWS_MAX = 1000;
/**
 * The size limit of the rows of one run as JSON. A test cannot expect more, because its own request has the
 * same limit.
 */
export const ROWS_BYTES_MAX = 1024 * 1024;

/**
 * The steps of one run, in one transaction. The last step returns the rows, with null in place of rows beyond
 * the limit.
 */
export function stepsOf({ tables, sql, defaultSchema }: SampleRun): SampleStep[] {
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const subject = 'The tables of the sample rows';
  const perSchema = schemas.flatMap((schema): SampleStep[] => [
    { sql: `create schema if not exists ${quoteName(schema)}`, subject },
    { sql: `grant usage on schema ${quoteName(schema)} to ${READER}`, subject },
  ]);
  const perTable = tables.flatMap(({ schema, name, columns, rows }): SampleStep[] => {
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
  return [
    ...perSchema,
    ...perTable,
    { sql: `set local search_path = ${path}`, subject },
    { sql: `set local role ${READER}`, subject },
    { sql: boundedRows(sql), subject: 'The statement' },
  ];
}

/** Rows are counted and measured in the database, so rows beyond the limit never leave it. */
function boundedRows(sql: string): string {
  const rows = `select to_jsonb(r) as row from (${sql}) r limit ${ROWS_MAX + 1}`;
  const weighed = `select row, octet_length(row::text) as bytes from (${rows}) r`;
  const sum = 'sum(bytes) over (rows unbounded preceding)';
  return `select case when ${sum} <= ${ROWS_BYTES_MAX} then row end as row from (${weighed}) r`;
}

/** Messages by SQLSTATE. PostgreSQL's own messages may contain values, so they are not passed on. */
const FAILURES: Record<string, string> = {
  '42P01': 'reads a table that sampleData does not name',
  '42P07': 'are given twice',
  '42703': 'names a column that its table does not have',
  '42883': 'uses a function or an operator that does not take values of these types',
  '42501': 'reads what sample rows do not cover',
  '53200': 'needs too much memory',
  '53400': 'needs too much memory',
  '54000': 'needs too much memory',
};

/** The message about the failed step. */
export function failureOf(
  steps: readonly SampleStep[],
  { step, code }: { step: number; code: string | null },
): string {
  const { subject = 'The statement' } = steps[step] ?? {};
  const known = code === null ? undefined : FAILURES[code];
  if (known !== undefined) return `${subject} ${known}.`;
  if (code?.startsWith('22')) return `${subject} cannot be read: a value does not fit its type (${code}).`;
  return `${subject} cannot be run on PostgreSQL (${code ?? 'no SQLSTATE'}).`;
}
