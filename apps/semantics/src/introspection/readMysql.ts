import { isIP } from 'node:net';
import type { Catalog, CatalogTable } from '@gatehouse/contract';
import { createConnection, type Connection, type ConnectionOptions, type RowDataPacket } from 'mysql2';
import { findBrokenViews } from './brokenMysqlViews.js';
import { IntrospectionError } from './logic/outcome.js';
import { explainBrokenConnection, ServerSocket, withoutTls, type ServerJob } from './serverSocket.js';
import { MAX_COLUMNS, MAX_TABLES, TableList } from './logic/tableList.js';

const KINDS: ReadonlyMap<string, CatalogTable['kind']> = new Map([
  ['BASE TABLE', 'table'],
  ['SYSTEM VERSIONED', 'table'],
  ['VIEW', 'view'],
]);

// Name columns compare case-insensitively, even where the server's database names are case-sensitive.
const IN_DATABASE = `
  table_schema = DATABASE()
    AND (@@lower_case_table_names <> 0 OR CAST(table_schema AS BINARY) = CAST(DATABASE() AS BINARY))
    AND table_schema NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')`;

const TABLES = `
  SELECT table_name, table_type FROM information_schema.tables
  WHERE ${IN_DATABASE} LIMIT ${MAX_TABLES + 1}`;

const COLUMNS = `
  SELECT table_name, column_name, LEFT(column_type, 1000),
    IF(collation_name LIKE '%\\_bin', NULL, collation_name), FIND_IN_SET('select', privileges)
  FROM information_schema.columns WHERE ${IN_DATABASE}
  ORDER BY table_name, ordinal_position LIMIT ${MAX_COLUMNS + 1}`;

/** The values of `lower_case_table_names`. */
const SETTINGS = [0, 1, 2] as const;

/** Messages by error number of the server. Unknown numbers are refusals too. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1044, 'The database refused the user.'],
  [1045, 'The database refused the user or the password.'],
  [1049, 'The server has no database of this name.'],
]);
/** Too many connections, in total and of the user; shutting down. */
const BUSY: ReadonlySet<number> = new Set([1040, 1203, 1226, 1053]);
/** Lock wait timeout, and the statement timeouts of MySQL and MariaDB. */
const TIMEOUTS: ReadonlySet<number> = new Set([1205, 3024, 1969]);

/**
 * Reads the tables and views of one database of MySQL or MariaDB, with the columns that the user may SELECT
 * and their types as `column_type` prints them. The database is the only schema of the catalog.
 */
export async function readMysql(job: ServerJob): Promise<Catalog> {
  if (job.config.tls === 'verify' && isIP(job.destination.host) !== 0) {
    // The driver would verify the certificate for "localhost".
    throw new IntrospectionError(
      'untrusted',
      'A certificate is verified for a host name, not for an address.',
    );
  }
  const connection = createConnection(connectionOptions(job));
  // A broken connection fails the current query; without a listener it would also throw.
  connection.on('error', () => {});
  try {
    await openReadOnly(connection, job.timeoutMs);
    return await readCatalog(connection);
  } catch (error) {
    throw explain(error);
  } finally {
    connection.end(() => {});
  }
}

function connectionOptions({ config, destination }: ServerJob): ConnectionOptions {
  const isVerified = config.tls === 'verify';
  return {
    host: destination.host,
    port: destination.port,
    stream: () => new ServerSocket(destination).connect(),
    user: config.user,
    password: config.password ?? '',
    database: config.database,
    ...(config.tls !== 'disable' && { ssl: { rejectUnauthorized: isVerified, verifyIdentity: isVerified } }),
    // The deadline of the whole read covers the handshake.
    connectTimeout: 0,
    // A server may respond to any statement with a request for a local file.
    flags: ['-LOCAL_FILES'],
    // The driver would generate code from column names.
    disableEval: true,
  };
}

async function openReadOnly(connection: Connection, timeoutMs: number): Promise<void> {
  const timeoutSeconds = Math.ceil(timeoutMs / 1000);
  const [[version] = ['']] = await readRows<[string]>(connection, 'SELECT VERSION()');
  const limit = /mariadb/i.test(version)
    ? `max_statement_time = ${timeoutSeconds}`
    : `max_execution_time = ${timeoutMs}`;
  await readRows(connection, `SET SESSION ${limit}, SESSION lock_wait_timeout = ${timeoutSeconds}`);
  await readRows(connection, 'SET SESSION TRANSACTION READ ONLY');
  await readRows(connection, 'START TRANSACTION READ ONLY');
}

async function readCatalog(connection: Connection): Promise<Catalog> {
  const list = new TableList();
  const [[schema] = [null]] = await readRows<[string | null]>(connection, 'SELECT DATABASE()');
  if (schema === null) throw new IntrospectionError('refused', 'The server has opened no database.');
  list.addSchema(schema);
  const types = new Map(await readRows<[name: string, type: string]>(connection, TABLES));
  const kindOf = (name: string) => KINDS.get(types.get(name) ?? '');
  type Column = [table: string, column: string, type: string, collation: string | null, readable: number];
  const columns = await readRows<Column>(connection, COLUMNS);
  const readable = new Set(columns.filter((column) => column[4] > 0).map(([name]) => name));
  const views = [...readable].filter((name) => kindOf(name) === 'view');
  const broken = await findBrokenViews(connection, views);
  for (const [name, column, type, collation, isReadable] of columns) {
    const kind = kindOf(name);
    if (kind === undefined || !readable.has(name) || broken.has(name)) continue;
    const table = list.addTable(schema, name, kind);
    const inexact = collation === null ? {} : { collation };
    if (isReadable > 0) list.addColumn(table, { name: column, type, ...inexact });
    else list.addUnreadableColumn(table, column);
  }
  const [[setting] = []] = await readRows<[number]>(connection, 'SELECT @@lower_case_table_names');
  const lowerCaseTableNames = SETTINGS.find((known) => known === setting);
  return {
    defaultSchema: schema,
    ...(lowerCaseTableNames !== undefined && { lowerCaseTableNames }),
    schemas: list.toSchemas(),
  };
}

function readRows<Row extends unknown[]>(connection: Connection, sql: string): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    connection.query<RowDataPacket[][]>({ sql, rowsAsArray: true }, (error, rows) => {
      if (error) reject(error);
      else resolve((Array.isArray(rows) ? rows : []) as unknown[] as Row[]);
    });
  });
}

function explain(error: unknown): IntrospectionError {
  if (error instanceof IntrospectionError) return error;
  if (!(error instanceof Error)) return explainBrokenConnection(error);
  if ('sqlState' in error && 'errno' in error) return explainServerError(Number(error.errno), error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return withoutTls(error);
  if (code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED') {
    return new IntrospectionError('refused', 'The server requests the password in plain text.', error);
  }
  return explainBrokenConnection(error);
}

function explainServerError(number: number, error: Error): IntrospectionError {
  if (TIMEOUTS.has(number)) return new IntrospectionError('timeout', 'The database took too long.', error);
  if (BUSY.has(number)) {
    return new IntrospectionError('unreachable', 'The database takes no connections at present.', error);
  }
  const message = REFUSALS.get(number) ?? 'The database refused to be read.';
  return new IntrospectionError('refused', message, error);
}
