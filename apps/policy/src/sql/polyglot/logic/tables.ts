import type { KnownTable, TableName } from '../../logic/catalogIndex.js';
import { widestKey } from '../../logic/names.js';
import type { PolyglotDialect } from './lexicon.js';
import { refuse } from './refuse.js';
import type { Name, TableReference } from './tree.js';

const SYSTEM_SCHEMAS: Readonly<Record<PolyglotDialect, readonly string[]>> = {
  mysql: ['information_schema', 'mysql', 'performance_schema', 'sys'],
  sqlite: ['temp'],
  duckdb: ['information_schema', 'pg_catalog', 'system', 'temp'],
  snowflake: ['information_schema', 'snowflake', 'account_usage', 'organization_usage'],
  bigquery: ['information_schema'],
  mssql: ['information_schema', 'sys', 'master', 'msdb', 'tempdb'],
};
/** SQLite's system tables, and its table-valued functions. */
const SQLITE_SYSTEM =
  /^(?:sqlite_.*|pragma_.*|dbstat|bytecode|tables_used|json_each|json_tree|generate_series|fts[0-9]vocab|fsdir|csv|series|completion)$/;

/** MySQL and SQLite qualify tables with one name; the other dialects have databases above schemas. */
const hasDatabases = (dialect: PolyglotDialect): boolean => dialect !== 'mysql' && dialect !== 'sqlite';

interface TablePath {
  name: TableName;
  path: Name[];
}

/**
 * The parts of a table name and its printed form, from a reference or from the catalog.
 * @throws Refusal for too many parts
 */
export function tablePathOf(
  table: TableReference | KnownTable | TableName,
  dialect: PolyglotDialect,
): TablePath {
  const name = 'kind' in table ? nameOfReference(table) : nameOf(table);
  if (name.database !== null && !hasDatabases(dialect)) {
    if ('kind' in table) refuse('UNKNOWN_TABLE', 'a table is named by itself or with its schema');
  }
  const parts = [hasDatabases(dialect) ? name.database : null, name.schema, name.table];
  const path = parts.flatMap((text) => (text === null ? [] : [{ text, isQuoted: true }]));
  return { name, path };
}

function nameOf(table: KnownTable | TableName): TableName {
  const { database, schema } = table;
  return { database, schema, table: 'table' in table ? table.table : table.name };
}

function nameOfReference({ path }: TableReference): TableName {
  const [table, schema, database, ...more] = path.map(({ text }) => text).toReversed();
  if (table === undefined || more.length > 0) return refuse('UNKNOWN_TABLE', 'a table has too many names');
  return { database: database ?? null, schema: schema ?? null, table };
}

/** The prefix by which some versions of MySQL open a file in the server's folder. */
const MYSQL_FILE = '#mysql50#';

/** @throws Refusal for a system table, in any spelling that a server may match with its name */
export function refuseSystemTable({ database, schema, table }: TableName, dialect: PolyglotDialect): void {
  const [own, ...qualifiers] = [table, database, schema].map((name) => widestKey(name ?? ''));
  const isSystem =
    qualifiers.some((name) => SYSTEM_SCHEMAS[dialect].includes(name)) ||
    (dialect === 'sqlite' && SQLITE_SYSTEM.test(own ?? '')) ||
    (dialect === 'mysql' && [own, ...qualifiers].some((name) => name?.startsWith(MYSQL_FILE)));
  if (isSystem) refuse('SYSTEM_CATALOG', 'tables in which a database describes itself are not allowed');
}
