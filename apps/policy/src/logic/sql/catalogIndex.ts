import type { Catalog, CatalogSchema, SqlDialect } from '@gatehouse/contract';
import { isSameName, nameKey } from './names.js';

/** A table of the catalog. */
export interface KnownTable {
  /** Null in a catalog of one database, which does not say its name. */
  database: string | null;
  schema: string;
  name: string;
  /** As the catalog writes them; empty where it lists none, which says nothing about the table. */
  columns: readonly string[];
}

/** A table as a statement names it, every part as the dialect's parser reads it. */
export interface TableName {
  database: string | null;
  schema: string | null;
  table: string;
}

/** The table that a name stands for: one of the catalog, or a name with the schema it would be in. */
export type TableResolution =
  | { table: KnownTable; name?: undefined }
  | { table?: undefined; name: TableName };

/** The tables of a catalog, ready to be looked up. */
export interface CatalogIndex {
  /** No other index has it. */
  readonly number: number;
  readonly dialect: SqlDialect;
  readonly tables: readonly KnownTable[];
  /**
   * Resolves a table name. One without a schema is in `pinnedSchema`, which stands for itself alone, else in the catalog's
   * default schema, else in the dialect's own.
   */
  resolve(name: TableName, pinnedSchema: string | null): TableResolution;
}

/** Where a table without a schema is when neither policy nor catalog says so; null: in the catalog's only schema, if it has one. */
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
  /** By schema, then by table. Several tables share a key where names that differ in case are taken for the same. */
  tables: ReadonlyMap<string, ReadonlyMap<string, readonly KnownTable[]>>;
}

/** A catalog of hundreds of thousands of columns is indexed once for as long as the same object is asked about. */
const indexes = new WeakMap<Catalog, Map<SqlDialect, CatalogIndex>>();

/** The index of a catalog; of null, one without tables. */
export function indexCatalog(catalog: Catalog | null, dialect: SqlDialect): CatalogIndex {
  if (catalog === null) return createIndex({ schemas: [] }, dialect);
  const byDialect = indexes.get(catalog) ?? new Map<SqlDialect, CatalogIndex>();
  const index = byDialect.get(dialect) ?? createIndex(catalog, dialect);
  indexes.set(catalog, byDialect.set(dialect, index));
  return index;
}

let indexesMade = 0;

function createIndex(catalog: Catalog, dialect: SqlDialect): CatalogIndex {
  const databases =
    'databases' in catalog
      ? catalog.databases.map((database) => indexDatabase(database.name, database, dialect))
      : [indexDatabase(null, catalog, dialect)];
  const written = 'databases' in catalog ? (catalog.defaultDatabase ?? null) : null;
  const only = databases.length === 1 ? databases[0] : undefined;

  const findDatabase = (name: string | null): IndexedDatabase | undefined => {
    const wanted = name ?? written;
    if (wanted === null) return only;
    return databases.find((database) => database.name !== null && isSameName(wanted, database.name, dialect));
  };

  indexesMade += 1;
  return {
    number: indexesMade,
    dialect,
    tables: databases.flatMap(({ tables }) =>
      [...tables.values()].flatMap((byName) => [...byName.values()].flat()),
    ),
    resolve(name, pinnedSchema) {
      const database = findDatabase(name.database);
      const isPinned = name.schema === null && pinnedSchema !== null;
      const schema = name.schema ?? pinnedSchema ?? schemaOfUnqualified(database, dialect);
      const found =
        database && schema !== null ? findTable(database, { schema, table: name.table }, dialect) : undefined;
      // A pinned schema is made of values, such as a tenant's id: one that differs in case is another tenant's.
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
  dialect: SqlDialect,
): KnownTable | undefined {
  const found = database.tables.get(nameKey(schema, dialect))?.get(nameKey(table, dialect)) ?? [];
  const inSchema = found.filter((known) => known.schema === schema);
  const closest = inSchema.length > 0 ? inSchema : found;
  return closest.find((known) => known.name === table) ?? closest[0];
}

function indexDatabase(
  name: string | null,
  content: { defaultSchema?: string | null | undefined; schemas: readonly CatalogSchema[] },
  dialect: SqlDialect,
): IndexedDatabase {
  const tables = new Map<string, Map<string, KnownTable[]>>();
  for (const schema of content.schemas) {
    const key = nameKey(schema.name, dialect);
    const byName = tables.get(key) ?? new Map<string, KnownTable[]>();
    tables.set(key, byName);
    for (const { name: table, columns } of schema.tables) {
      const known = {
        database: name,
        schema: schema.name,
        name: table,
        columns: columns.map((column) => column.name),
      };
      const tableKey = nameKey(table, dialect);
      byName.set(tableKey, [...(byName.get(tableKey) ?? []), known]);
    }
  }
  return { name, defaultSchema: content.defaultSchema ?? null, schemas: content.schemas, tables };
}
