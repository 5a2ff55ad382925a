import { isIP } from 'node:net';
import type { Catalog, CatalogTable } from '@gatehouse/contract';
import { createConnection, type Connection, type ConnectionOptions, type RowDataPacket } from 'mysql2';
import { IntrospectionError } from './outcome.js';
import { explainBrokenConnection, ServerSocket, withoutTls, type ServerJob } from './server.js';
import { MAX_COLUMNS, MAX_TABLES, TableList } from './tableList.js';

const KINDS: ReadonlyMap<string, CatalogTable['kind']> = new Map([
  ['BASE TABLE', 'table'],
  ['SYSTEM VERSIONED', 'table'],
  ['VIEW', 'view'],
]);

// The columns that hold names compare without regard to case, also where the server tells databases apart by it.
const IN_DATABASE = `
  table_schema = DATABASE()
    AND (@@lower_case_table_names <> 0 OR CAST(table_schema AS BINARY) = CAST(DATABASE() AS BINARY))
    AND table_schema NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')`;

const TABLES = `
  SELECT table_name, table_type FROM information_schema.tables
  WHERE ${IN_DATABASE} LIMIT ${MAX_TABLES + 1}`;

const COLUMNS = `
  SELECT table_name, column_name, LEFT(column_type, 1000) FROM information_schema.columns
  WHERE ${IN_DATABASE} AND FIND_IN_SET('select', privileges)
  ORDER BY table_name, ordinal_position LIMIT ${MAX_COLUMNS + 1}`;

/** What an error number of the server means; any other answer of the server is a refusal as well. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1044, 'The database refused the user.'],
  [1045, 'The database refused the user or the password.'],
  [1049, 'The server has no database of this name.'],
]);
/** Too many connections, of all and of the user; shutting down. */
const BUSY: ReadonlySet<number> = new Set([1040, 1203, 1226, 1053]);
/** Waiting for a lock, MySQL's and MariaDB's limits of a statement. */
const TIMEOUTS: ReadonlySet<number> = new Set([1205, 3024, 1969]);

/**
 * Reads the tables and views of one database of MySQL or MariaDB, with those of their columns that the user may SELECT and
 * their types as `column_type` prints them. The database is the one schema of the catalog.
 */
export async function readMysql(job: ServerJob): Promise<Catalog> {
  if (job.config.tls === 'verify' && isIP(job.destination.host) !== 0) {
    // The driver would check the certificate for "localhost".
    throw new IntrospectionError(
      'untrusted',
      'A certificate is verified for a host name, not for an address.',
    );
  }
  const connection = createConnection(connectionOptions(job));
  // A connection that breaks fails the query in hand; without a listener it would also throw.
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
    // The deadline of the whole counts for the handshake too.
    connectTimeout: 0,
    // A server may answer any statement with the wish to be sent a file.
    flags: ['-LOCAL_FILES'],
    // The driver would make program text from the names of columns.
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
  type Column = [table: string, column: string, type: string];
  for (const [name, column, type] of await readRows<Column>(connection, COLUMNS)) {
    const kind = KINDS.get(types.get(name) ?? '');
    if (kind !== undefined) list.addColumn(list.addTable(schema, name, kind), { name: column, type });
  }
  return { defaultSchema: schema, schemas: list.toSchemas() };
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
    return new IntrospectionError('refused', 'The server asks for the password in plain text.', error);
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
