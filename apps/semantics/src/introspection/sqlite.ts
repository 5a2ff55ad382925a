import type { Catalog, CatalogColumn, CatalogTable } from '@gatehouse/contract';
import sqlite from 'node-sqlite3-wasm';
import { IntrospectionError } from './outcome.js';
import { MAX_TABLES, TableList } from './tableList.js';

const SCHEMA = 'main';
const HEAP_LIMIT_BYTES = 256 * 1024 * 1024;

/** Nothing in the file is trusted, and nothing is written. The exclusive mode lets a write-ahead log be read by one alone. */
const SETTINGS = [
  `hard_heap_limit = ${HEAP_LIMIT_BYTES}`,
  'locking_mode = EXCLUSIVE',
  'query_only = ON',
  'trusted_schema = OFF',
  'cell_size_check = ON',
];

// Names that begin so are SQLite's own, and those of shadow tables belong to the virtual table that keeps its data there.
const TABLES = `
  SELECT name, type FROM pragma_table_list
  WHERE schema = '${SCHEMA}' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name LIMIT ${MAX_TABLES + 1}`;

// 1 marks the hidden columns of virtual tables; 2 and 3 are generated columns, which are read as others are.
const COLUMNS = 'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid';

/** Reads the tables and views of a file, with the types that their columns were declared with. */
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
  for (const { name, type } of database.all(TABLES) as { name: string; type: string }[]) {
    const columns = findColumns(database, name);
    if (columns === undefined) continue;
    const kind: CatalogTable['kind'] = type === 'view' ? 'view' : 'table';
    const table = list.addTable(SCHEMA, name, kind);
    for (const column of columns) list.addColumn(table, column);
  }
  return { defaultSchema: SCHEMA, schemas: list.toSchemas() };
}

/** The columns of a table; undefined for a view on tables that are gone and for a virtual table of an unknown module. */
function findColumns(database: sqlite.Database, table: string): CatalogColumn[] | undefined {
  try {
    return database.all(COLUMNS, [table]) as unknown as CatalogColumn[];
  } catch (error) {
    if (isMissingPart(error)) return undefined;
    throw error;
  }
}

function isMissingPart(error: unknown): boolean {
  return error instanceof sqlite.SQLite3Error && /^no such |^no query solution/.test(error.message);
}
