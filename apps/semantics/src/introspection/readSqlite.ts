import type { Catalog, CatalogColumn, CatalogTable } from '@gatehouse/contract';
import sqlite from 'node-sqlite3-wasm';
import { IntrospectionError } from './logic/outcome.js';
import { MAX_TABLES, TableList } from './logic/tableList.js';

const SCHEMA = 'main';
const HEAP_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * The file is untrusted and is not written. Exclusive mode allows reading a write-ahead log without shared
 * memory.
 */
const SETTINGS = [
  `hard_heap_limit = ${HEAP_LIMIT_BYTES}`,
  'locking_mode = EXCLUSIVE',
  'query_only = ON',
  'trusted_schema = OFF',
  'cell_size_check = ON',
];

// Names that begin with sqlite_ are reserved. Shadow tables hold the data of virtual tables: statements that
// name them are rejected.
const TABLES = `
  SELECT name, type FROM pragma_table_list
  WHERE schema = '${SCHEMA}' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name LIMIT ${MAX_TABLES + 1}`;

// 1 marks hidden columns of virtual tables; 2 and 3 are generated columns, which are read like others.
const COLUMNS = 'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid';

/** Reads the tables and views of a file, with the declared types of their columns. */
export function readSqlite(path: string): Catalog {
  try {
    const database = new sqlite.Database(path, { readOnly: true });
    try {
      for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
      return readCatalog(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof IntrospectionError) throw error;
    throw new IntrospectionError('unreadable', 'The file is no SQLite database that can be read.', error);
  }
}

function readCatalog(database: sqlite.Database): Catalog {
  const list = new TableList();
  list.addSchema(SCHEMA);
  const tables = database.all(TABLES) as { name: string; type: string }[];
  const read = tables.map((table) => ({ ...table, columns: findColumns(database, table) }));
  // SQLite knows the shadow tables of its own modules. Those of unknown modules are recognized by their name
  // prefix.
  const unknown = read.filter(({ type, columns }) => type === 'virtual' && columns === undefined);
  const isShadow = (name: string) => unknown.some((owner) => isNamedAfter(name, owner.name));
  for (const { name, type, columns } of read) {
    if (columns === undefined || isShadow(name)) continue;
    const kind: CatalogTable['kind'] = type === 'view' ? 'view' : 'table';
    const table = list.addTable(SCHEMA, name, kind);
    for (const column of columns) list.addColumn(table, column);
  }
  return { defaultSchema: SCHEMA, schemas: list.toSchemas() };
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

function isNamedAfter(name: string, owner: string): boolean {
  return name.toLowerCase().startsWith(`${owner.toLowerCase()}_`);
}

/** Errors of the file. Any other error of a view is one of its statement, which SQLite checks only here. */
const FILE_ERROR = /^(?:out of memory|disk I\/O error|database disk image is malformed|database is locked)/;

/**
 * The columns of a table; undefined for a view that cannot be queried and for a virtual table of an unknown
 * module.
 */
function findColumns(
  database: sqlite.Database,
  { name, type }: { name: string; type: string },
): CatalogColumn[] | undefined {
  try {
    const columns = database.all(COLUMNS, [name]) as unknown as CatalogColumn[];
    // The columns of a view need only parts of its statement. A prepared query needs all, and reads nothing.
    if (type === 'view') database.prepare(`SELECT * FROM ${SCHEMA}.${quote(name)}`).finalize();
    return columns;
  } catch (error) {
    if (!(error instanceof sqlite.SQLite3Error)) throw error;
    const isBroken = type === 'view' ? !FILE_ERROR.test(error.message) : isMissingPart(error);
    if (isBroken) return undefined;
    throw error;
  }
}

function isMissingPart({ message }: Error): boolean {
  return /^no such |^no query solution/.test(message);
}
