import type { Catalog, CatalogTable } from '@gatehouse/contract';
import pg from 'pg';
import { IntrospectionError } from './outcome.js';
import { explainBrokenConnection, ServerSocket, withoutTls, type ServerJob } from './server.js';
import { MAX_COLUMNS, MAX_SCHEMAS, TableList } from './tableList.js';

const KINDS: Readonly<Record<string, CatalogTable['kind']>> = {
  r: 'table',
  p: 'table',
  f: 'table',
  v: 'view',
  m: 'materializedView',
};

// Names beginning with pg_ are the server's own: users cannot make such schemas.
const READABLE_SCHEMAS = `
  SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')`;

// A partition is part of its table: listed as a table of its own, it would escape the rules on that table.
const COLUMNS = `
  SELECT n.nspname, c.relname, c.relkind, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM (${READABLE_SCHEMAS}) n
  JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
    AND (a.attnum IS NOT NULL OR pg_catalog.has_table_privilege(c.oid, 'SELECT'))
  ORDER BY c.oid, a.attnum
  LIMIT ${MAX_COLUMNS + 1}`;

/**
 * Reads what the role may SELECT from: tables, partitioned and foreign ones included, views and materialized views, with
 * their columns as `format_type` prints their types.
 */
export async function readPostgres(job: ServerJob): Promise<Catalog> {
  const client = new pg.Client(clientConfig(job));
  // A connection that breaks fails the query in hand; without a listener it would also throw.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query("SET client_encoding TO 'UTF8'");
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const catalog = await readCatalog(client);
    await client.query('COMMIT');
    return catalog;
  } catch (error) {
    throw explain(error);
  } finally {
    void client.end().catch(() => {});
  }
}

function clientConfig({ config, destination, timeoutMs }: ServerJob): pg.ClientConfig {
  const { password = '' } = config;
  return {
    host: destination.host,
    port: destination.port,
    stream: () => new ServerSocket(destination),
    user: config.user,
    database: config.database,
    // As a function, so that the driver takes it as it is: for an empty text it looks into files of the process's user.
    password: () => password,
    ssl: config.tls === 'disable' ? false : { rejectUnauthorized: config.tls === 'verify' },
    application_name: 'gatehouse',
    options: `-c default_transaction_read_only=on -c statement_timeout=${timeoutMs}`,
  };
}

async function readCatalog(client: pg.Client): Promise<Catalog> {
  const list = new TableList();
  const readRows = async <Row extends unknown[]>(text: string): Promise<Row[]> => {
    const { rows } = await client.query<Row>({ text, rowMode: 'array' });
    return rows;
  };
  const [current] = await readRows<[string | null]>('SELECT pg_catalog.current_schema()');
  // What the path does not reach is printed with its schema: the same type in the same words for every role.
  await client.query("SET LOCAL search_path TO ''");
  for (const [, name] of await readRows<[number, string]>(`${READABLE_SCHEMAS} LIMIT ${MAX_SCHEMAS + 1}`))
    list.addSchema(name);
  type Column = [schema: string, table: string, kind: string, column: string | null, type: string];
  for (const [schema, name, kind, column, type] of await readRows<Column>(COLUMNS)) {
    const table = list.addTable(schema, name, KINDS[kind] ?? 'table');
    if (column !== null) list.addColumn(table, { name: column, type });
  }
  return { defaultSchema: current?.[0] ?? null, schemas: list.toSchemas() };
}

function explain(error: unknown): IntrospectionError {
  if (error instanceof IntrospectionError) return error;
  if (error instanceof pg.DatabaseError) return explainServerError(error.code ?? '', error);
  const text = error instanceof Error ? error.message : '';
  if (error instanceof Error && text.includes('does not support SSL')) return withoutTls(error);
  if (text.startsWith('SASL')) return refusedUser(error);
  return explainBrokenConnection(error);
}

/** What an error code of the server means (PostgreSQL, Appendix A). Whatever else it answers is a refusal as well. */
function explainServerError(code: string, error: Error): IntrospectionError {
  if (code === '57014') return new IntrospectionError('timeout', 'The database took too long.', error);
  // Insufficient resources, and interventions of its operator: starting up, shutting down.
  if (/^5[37]/.test(code)) {
    return new IntrospectionError('unreachable', 'The database takes no connections at present.', error);
  }
  if (code.startsWith('28')) return refusedUser(error);
  if (code === '3D000') {
    return new IntrospectionError('refused', 'The server has no database of this name.', error);
  }
  return new IntrospectionError('refused', 'The database refused to be read.', error);
}

function refusedUser(cause: unknown): IntrospectionError {
  return new IntrospectionError('refused', 'The database refused the user or the password.', cause);
}
