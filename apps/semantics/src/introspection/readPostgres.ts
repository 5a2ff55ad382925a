import type { Catalog, CatalogTable } from '@gatehouse/contract';
import pg from 'pg';
import { IntrospectionError } from './logic/outcome.js';
import { explainBrokenConnection, ServerSocket, withoutTls, type ServerJob } from './serverSocket.js';
import { MAX_COLUMNS, MAX_SCHEMAS, TableList } from './logic/tableList.js';

const KINDS: Readonly<Record<string, CatalogTable['kind']>> = {
  r: 'table',
  p: 'table',
  f: 'table',
  v: 'view',
  m: 'materializedView',
};

// Names that begin with pg_ are reserved: users cannot create such schemas.
const READABLE_SCHEMAS = `
  SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')`;

// A partition is not listed: it is part of its table, and statements that name it are rejected.
const COLUMNS = `
  SELECT n.nspname, c.relname, c.relkind, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
    o.collname, pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
  FROM (${READABLE_SCHEMAS}) n
  JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  -- Before version 12 every collation is deterministic, and this column does not exist.
  LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
    AND pg_catalog.to_jsonb(o) ->> 'collisdeterministic' = 'false'
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
    AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
  ORDER BY c.oid, a.attnum
  LIMIT ${MAX_COLUMNS + 1}`;

// The rows of an inheriting table are also rows of its ancestors, whose rules apply to it.
const PARENTS = `
  WITH RECURSIVE above (child, parent) AS (
    SELECT i.inhrelid, i.inhparent FROM pg_catalog.pg_inherits i
    JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid WHERE c.relkind IN ('r', 'f') AND NOT c.relispartition
    UNION
    SELECT a.child, i.inhparent FROM above a JOIN pg_catalog.pg_inherits i ON i.inhrelid = a.parent)
  SELECT cn.nspname, c.relname, pn.nspname, p.relname FROM above a
  JOIN pg_catalog.pg_class c ON c.oid = a.child JOIN pg_catalog.pg_namespace cn ON cn.oid = c.relnamespace
  JOIN pg_catalog.pg_class p ON p.oid = a.parent JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
  ORDER BY 1, 2, 3, 4 LIMIT ${MAX_COLUMNS + 1}`;

/**
 * Reads the relations that the role may SELECT from: tables (partitioned and foreign ones included), views
 * and materialized views. Column types are as `format_type` prints them. Other tables are listed without
 * columns if one of these relations shows their rows.
 */
export async function readPostgres(job: ServerJob): Promise<Catalog> {
  const client = new pg.Client(clientConfig(job));
  // A broken connection fails the current query; without a listener it would also throw.
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
    // A function, so that the driver uses it even when empty: it would look for an empty string in files of
    // the user.
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
  // Types are then printed with their schema, so that a type has the same text for every role.
  await client.query("SET LOCAL search_path TO ''");
  for (const [, name] of await readRows<[number, string]>(`${READABLE_SCHEMAS} LIMIT ${MAX_SCHEMAS + 1}`))
    list.addSchema(name);
  type Names = [schema: string, table: string, kind: string, column: string | null];
  type Column = [...Names, type: string, collation: string | null, isReadable: boolean];
  for (const [schema, name, kind, column, type, collation, isReadable] of await readRows<Column>(COLUMNS)) {
    const table = list.addTable(schema, name, KINDS[kind] ?? 'table');
    const inexact = collation === null ? {} : { collation };
    if (column === null) continue;
    if (isReadable) list.addColumn(table, { name: column, type, ...inexact });
    else list.addUnreadableColumn(table, column);
  }
  type Parent = [schema: string, table: string, parentSchema: string, parent: string];
  for (const [schema, name, parentSchema, parent] of await readRows<Parent>(PARENTS))
    list.addParent({ schema, name }, { schema: parentSchema, table: parent });
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

/** Maps an error code of the server (PostgreSQL, Appendix A). Unknown codes are refusals. */
function explainServerError(code: string, error: Error): IntrospectionError {
  if (code === '57014') return new IntrospectionError('timeout', 'The database took too long.', error);
  // Insufficient resources, and operator intervention: starting up, shutting down.
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
