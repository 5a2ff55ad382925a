import type { Catalog, CatalogColumn, CatalogSchema, SqlDialect } from '@gatehouse/contract';
import { familyOf, type SqlType } from './columnTypes.js';
import {
  createColumnLookup,
  createColumnNameReader,
  isSameName,
  nameKey,
  serverKey,
  type FindColumns,
  type LowerCaseTableNames,
} from './names.js';

/** A table of the catalog. */
export interface KnownTable {
  /** Null in a catalog of a single database, which has no name. */
  database: string | null;
  schema: string;
  name: string;
  /** The column names in the catalog. Empty if it lists none: then the columns are unknown. */
  columns: readonly string[];
  /** The same columns with their properties in the catalog. */
  catalogColumns: readonly CatalogColumn[];
  /** Looks up a column by the name rules of the dialect. */
  findColumns: FindColumns;
  /** Looks up a column that exists and that the user of the connection may not SELECT. */
  findUnreadable: FindColumns;
  /** Tables of the same database whose rows include those of this one. */
  partOf: readonly { schema: string; table: string }[];
  /** The tables that are part of this one. */
  parts: readonly KnownTable[];
}

/**
 * The column that a name in a policy refers to: the one of exactly this name, else the first that it may
 * refer to.
 */
export function columnOf(
  { columns, catalogColumns, findColumns }: KnownTable,
  name: string,
): CatalogColumn | undefined {
  const places = findColumns(name);
  return catalogColumns[places.find((place) => columns[place] === name) ?? places[0] ?? -1];
}

export function typeOf({ type }: CatalogColumn, dialect: SqlDialect): SqlType {
  return { family: familyOf(type, dialect), declared: type };
}

/** The name of a table in a statement, each part as the parser of the dialect reads it. */
export interface TableName {
  database: string | null;
  schema: string | null;
  table: string;
}

/** The table that a name refers to: one of the catalog, or a name with the schema that it would be in. */
export type TableResolution =
  | { table: KnownTable; name?: undefined }
  | { table?: undefined; name: TableName };

/** The tables of a catalog, indexed for lookup. */
export interface CatalogIndex {
  readonly dialect: SqlDialect;
  readonly tables: readonly KnownTable[];
  /**
   * Resolves a table name as the server does. A name without a schema is in `pinnedSchema`, which is taken
   * literally, else in the default schema of the catalog, else in that of the dialect. An ambiguous name
   * refers to no table.
   */
  resolve(name: TableName, pinnedSchema: string | null): TableResolution;
}

/**
 * The default schema of each dialect, if neither policy nor catalog sets one. Null: the only schema of the
 * catalog, if it has just one.
 */
const DIALECT_SCHEMAS: Record<SqlDialect, string | null> = {
  postgres: 'public',
  mysql: null,
  sqlite: 'main',
  duckdb: 'main',
  snowflake: 'PUBLIC',
  bigquery: null,
  mssql: 'dbo',
};

interface IndexedDatabase {
  name: string | null;
  defaultSchema: string | null;
  schemas: readonly CatalogSchema[];
  /**
   * By schema, then by table. Several tables share a key if names that differ only in case are treated as
   * equal.
   */
  tables: ReadonlyMap<string, ReadonlyMap<string, readonly KnownTable[]>>;
}

/** An index with a number that no other index of the same indexer has. */
export type NumberedIndex = CatalogIndex & { readonly number: number };

/** Returns the index of a catalog. Without a catalog, the index has no tables. */
export type IndexCatalog = (catalog: Catalog | null, dialect: SqlDialect) => NumberedIndex;

/**
 * Creates a function that indexes catalogs. A catalog may have hundreds of thousands of columns, so its index
 * is cached as long as the object exists.
 */
export function createCatalogIndexer(): IndexCatalog {
  const indexes = new WeakMap<Catalog, Map<SqlDialect, NumberedIndex>>();
  let last = 0;
  const create = (catalog: Catalog, dialect: SqlDialect): NumberedIndex => {
    last += 1;
    return { ...indexCatalog(catalog, dialect), number: last };
  };
  return (catalog, dialect) => {
    if (catalog === null) return create({ schemas: [] }, dialect);
    const byDialect = indexes.get(catalog) ?? new Map<SqlDialect, NumberedIndex>();
    const index = byDialect.get(dialect) ?? create(catalog, dialect);
    indexes.set(catalog, byDialect.set(dialect, index));
    return index;
  };
}

/** Indexes a catalog. */
export function indexCatalog(catalog: Catalog, dialect: SqlDialect): CatalogIndex {
  const databases =
    'databases' in catalog
      ? catalog.databases.map((database) => indexDatabase(database.name, database, dialect))
      : [indexDatabase(null, catalog, dialect)];
  const written = 'databases' in catalog ? (catalog.defaultDatabase ?? null) : null;
  const setting = 'databases' in catalog ? undefined : catalog.lowerCaseTableNames;
  const only = databases.length === 1 ? databases[0] : undefined;

  const findDatabase = (name: string | null): IndexedDatabase | undefined => {
    const wanted = name ?? written;
    if (wanted === null) return only;
    return databases.find((database) => database.name !== null && isSameName(wanted, database.name, dialect));
  };

  return {
    dialect,
    tables: databases.flatMap(({ tables }) =>
      [...tables.values()].flatMap((byName) => [...byName.values()].flat()),
    ),
    resolve(name, pinnedSchema) {
      const database = findDatabase(name.database);
      const isPinned = name.schema === null && pinnedSchema !== null;
      const schema = name.schema ?? pinnedSchema ?? schemaOfUnqualified(database, dialect);
      const found =
        database && schema !== null
          ? findTable(database, { schema, table: name.table }, { dialect, setting })
          : undefined;
      // A pinned schema contains values, such as a tenant's id. A name that differs in case belongs to
      // another tenant.
      const table = isPinned && found?.schema !== pinnedSchema ? undefined : found;
      if (table) return { table };
      return { name: { database: name.database ?? database?.name ?? null, schema, table: name.table } };
    },
  };
}

function schemaOfUnqualified(database: IndexedDatabase | undefined, dialect: SqlDialect): string | null {
  const written = database?.defaultSchema ?? DIALECT_SCHEMAS[dialect];
  const schemas = database?.schemas ?? [];
  if (written === null) return schemas.length === 1 ? (schemas[0]?.name ?? null) : null;
  const exact = schemas.find((schema) => schema.name === written);
  return (exact ?? schemas.find((schema) => isSameName(written, schema.name, dialect)))?.name ?? written;
}

function findTable(
  database: IndexedDatabase,
  { schema, table }: { schema: string; table: string },
  { dialect, setting }: { dialect: SqlDialect; setting: LowerCaseTableNames },
): KnownTable | undefined {
  const found = database.tables.get(nameKey(schema, dialect))?.get(nameKey(table, dialect)) ?? [];
  const isNamed = (written: string, actual: string) =>
    serverKey(written, dialect, setting) === serverKey(actual, dialect, setting);
  const same = found.filter((known) => isNamed(schema, known.schema) && isNamed(table, known.name));
  const inSchema = same.filter((known) => known.schema === schema);
  const closest = inSchema.length > 0 ? inSchema : same;
  const exact = closest.filter((known) => known.name === table);
  // Whether Snowflake folds a name depends on its quotes, which are not known here.
  const [only, ...others] = exact.length > 0 && dialect !== 'snowflake' ? exact : closest;
  return others.length === 0 ? only : undefined;
}

function indexDatabase(
  name: string | null,
  content: { defaultSchema?: string | null | undefined; schemas: readonly CatalogSchema[] },
  dialect: SqlDialect,
): IndexedDatabase {
  const tables = new Map<string, Map<string, KnownTable[]>>();
  const readName = createColumnNameReader(dialect);
  const partsOf = new Map<string, KnownTable[]>();
  const partsAt = (place: { schema: string; table: string }) => {
    const key = JSON.stringify([place.schema, place.table]);
    const parts = partsOf.get(key) ?? [];
    partsOf.set(key, parts);
    return parts;
  };
  for (const schema of content.schemas) {
    const key = nameKey(schema.name, dialect);
    const byName = tables.get(key) ?? new Map<string, KnownTable[]>();
    tables.set(key, byName);
    for (const { name: table, columns, partOf = [], unreadableColumns = [] } of schema.tables) {
      const names = columns.map((column) => column.name);
      const known = {
        database: name,
        schema: schema.name,
        name: table,
        columns: names,
        catalogColumns: columns,
        findColumns: createColumnLookup(names, dialect, readName),
        findUnreadable: createColumnLookup(unreadableColumns, dialect, readName),
        partOf,
        parts: partsAt({ schema: schema.name, table }),
      };
      for (const whole of partOf) partsAt(whole).push(known);
      const tableKey = nameKey(table, dialect);
      const named = byName.get(tableKey);
      if (named) named.push(known);
      else byName.set(tableKey, [known]);
    }
  }
  return { name, defaultSchema: content.defaultSchema ?? null, schemas: content.schemas, tables };
}

/** The number of columns and tables of a catalog, which measures its size. */
export function countColumns(catalog: Catalog): number {
  const databases = 'databases' in catalog ? catalog.databases : [catalog];
  const tables = databases.flatMap(({ schemas }) => schemas.flatMap((schema) => schema.tables));
  return tables.reduce((sum, { columns }) => sum + 1 + columns.length, 1);
}
