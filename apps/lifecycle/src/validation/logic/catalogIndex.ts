import type { Catalog, SqlDialect } from '@gatehouse/contract';
import { NameIndex, nameRulesOf, type NameFinder, type NameRules } from './identifiers.js';
import { NameList, NO_NAMES } from './suggestions.js';

/** A reference to a table in a template or a model. */
export interface TableReference {
  database?: string | undefined;
  schema?: string | undefined;
  table: string;
}

/** The qualified name of a table in the catalog; `database` is null in a catalog of one database. */
export interface QualifiedTable {
  database: string | null;
  schema: string;
  table: string;
}

/** The names in a list of changed tables. */
export type TableNames = TableReference & { schema: string };

/** The columns of one table or dataset. */
export interface ColumnSet {
  columns: NameList;
  hasColumn(written: string): boolean;
}

/** A table of a catalog. Its columns are indexed on first use. */
export class IndexedTable implements ColumnSet {
  readonly qualified: QualifiedTable;
  readonly columns: NameList;
  readonly #rules: NameRules;
  #byName: NameIndex<string> | undefined;

  constructor(qualified: QualifiedTable, columns: readonly string[], rules: NameRules) {
    this.qualified = qualified;
    this.columns = new NameList(columns);
    this.#rules = rules;
  }

  hasColumn(written: string): boolean {
    const entries = () => this.columns.names.map((name) => [name, name] as const);
    this.#byName ??= new NameIndex(entries(), this.#rules, 'columns');
    return this.#byName.find(written) !== null;
  }
}

/** The tables of one schema, or of all schemas. */
interface IndexedTables {
  tables: NameFinder<IndexedTable>;
  tableNames: NameList;
}
interface IndexedSchema extends IndexedTables {
  tables: NameIndex<IndexedTable>;
}
interface IndexedDatabase {
  name: string | null;
  defaultSchema: string | null;
  schemas: NameIndex<IndexedSchema>;
  schemaNames: readonly string[];
  /** The tables of all schemas, indexed on first use: only a catalog without a default schema needs it. */
  whole: IndexedTables | null;
}
type DatabaseCatalog = Extract<Catalog, { databases: unknown }>['databases'][number];

/** The estimated memory of one name, with its entries in maps and lists. */
const NAME_BYTES = 150;

/** An index of the tables of a connection, built once for each version of its catalog. */
export class CatalogIndex {
  readonly rules: NameRules;
  /** Its estimated memory. */
  readonly bytes: number;
  readonly #databases: NameIndex<IndexedDatabase>;
  readonly #defaultDatabase: IndexedDatabase | null;
  readonly #defaults: CatalogDefaults;
  readonly #dialect: SqlDialect;

  constructor(catalog: Catalog, dialect: SqlDialect) {
    this.rules = nameRulesOf(catalog, dialect);
    this.#dialect = dialect;
    this.#defaults = defaultsOf(catalog);
    const databases = databasesOf(catalog).map((database) => indexDatabase(database, this.rules));
    this.#databases = new NameIndex(
      databases.map((database) => [database.name ?? '', database] as const),
      this.rules,
      'tables',
    );
    const named = this.#defaults.defaultDatabase;
    const fallback = databases.length === 1 ? (databases[0] ?? null) : null;
    this.#defaultDatabase = named === null ? fallback : this.#databases.find(named);
    this.bytes = estimateBytes(catalog);
  }

  /**
   * Finds a table. An unqualified table is in the default schema: that of the catalog, else that of the
   * dialect, else the only schema. If there is no default, it may be in any schema.
   */
  findTable(reference: TableReference): IndexedTable | null {
    return this.#tablesOf(reference)?.tables.find(reference.table) ?? null;
  }

  /** The candidates for a misspelled table: those of the same schema. */
  tableNames(reference: TableReference): NameList {
    return this.#tablesOf(reference)?.tableNames ?? NO_NAMES;
  }

  /** An index of other tables with the same defaults, to find which references match one of them. */
  withTables(tables: readonly TableNames[]): CatalogIndex {
    const { defaultDatabase, defaultSchemas, lowerCaseTableNames } = this.#defaults;
    const databases = [...groupBy(tables, ({ database }) => database ?? '')].map(([name, own]) => ({
      name,
      defaultSchema: defaultSchemas.get(name) ?? null,
      schemas: [...groupBy(own, ({ schema }) => schema)].map(([schema, inSchema]) => ({
        name: schema,
        tables: inSchema.map(({ table }) => ({ name: table, kind: 'table' as const, columns: [] })),
      })),
    }));
    const [only] = databases;
    const isOfOne = databases.length === 1 && only?.name === '';
    const { defaultSchema, schemas } = only ?? { defaultSchema: null, schemas: [] };
    return new CatalogIndex(
      isOfOne ? { defaultSchema, lowerCaseTableNames, schemas } : { defaultDatabase, databases },
      this.#dialect,
    );
  }

  /** The tables among which a table may be; null when there is no such schema. */
  #tablesOf(reference: TableReference): IndexedTables | null {
    const database = this.#databaseOf(reference);
    if (database === null) return null;
    const { schemas, defaultSchema } = database;
    const schema = this.#schemaOf(reference);
    if (schema !== undefined) return schemas.find(schema);
    const preset = schemas.find(defaultSchema ?? this.rules.defaultSchema ?? '');
    if (preset !== null || defaultSchema !== null) return preset;
    return (database.whole ??= joinSchemas(database, this.rules));
  }

  /** The schema that a reference names, which MySQL calls a database. */
  #schemaOf({ database, schema }: TableReference): string | undefined {
    const isDatabase = this.#dialect === 'mysql' && this.#databases.find('') !== null;
    return schema ?? (isDatabase ? database : undefined);
  }

  #databaseOf({ database }: TableReference): IndexedDatabase | null {
    const isNamed = database !== undefined && this.#databases.find('') === null;
    return isNamed ? this.#databases.find(database) : this.#defaultDatabase;
  }
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

interface CatalogDefaults {
  defaultDatabase: string | null;
  /** By the name of the database; the empty name in a catalog of one database. */
  defaultSchemas: ReadonlyMap<string, string | null>;
  lowerCaseTableNames?: 0 | 1 | 2 | undefined;
}

function defaultsOf(catalog: Catalog): CatalogDefaults {
  if ('schemas' in catalog) {
    const { defaultSchema = null, lowerCaseTableNames } = catalog;
    return { defaultDatabase: null, defaultSchemas: new Map([['', defaultSchema]]), lowerCaseTableNames };
  }
  const defaults = catalog.databases.map(({ name, defaultSchema }) => [name, defaultSchema ?? null] as const);
  return { defaultDatabase: catalog.defaultDatabase ?? null, defaultSchemas: new Map(defaults) };
}

function databasesOf(catalog: Catalog): (Omit<DatabaseCatalog, 'name'> & { name: string | null })[] {
  return 'schemas' in catalog ? [{ ...catalog, name: null }] : catalog.databases;
}

function indexDatabase(
  { name, defaultSchema, schemas }: Omit<DatabaseCatalog, 'name'> & { name: string | null },
  rules: NameRules,
): IndexedDatabase {
  const indexed = schemas.map(({ name: schema, tables }) => {
    const entries = tables.map((table) => {
      const qualified = { database: name, schema, table: table.name };
      const columns = table.columns.map((column) => column.name);
      return [table.name, new IndexedTable(qualified, columns, rules)] as const;
    });
    const tableNames = new NameList(tables.map((table) => table.name));
    return [schema, { tables: new NameIndex(entries, rules, 'tables'), tableNames }] as const;
  });
  return {
    name,
    defaultSchema: defaultSchema ?? null,
    schemas: new NameIndex(indexed, rules, 'tables'),
    schemaNames: schemas.map((schema) => schema.name),
    whole: null,
  };
}

/** The tables of all schemas. A table is found in the first schema that has its name. */
function joinSchemas({ schemas, schemaNames }: IndexedDatabase, rules: NameRules): IndexedTables {
  const all = schemaNames.map((name) => schemas.find(name)).filter((schema) => schema !== null);
  const indexes = all.map(({ tables }) => tables);
  return {
    tables: NameIndex.firstOf(indexes, rules, 'tables'),
    tableNames: NameList.joined(all.map(({ tableNames }) => tableNames)),
  };
}

function estimateBytes(catalog: Catalog): number {
  const schemas = databasesOf(catalog).flatMap((database) => database.schemas);
  const tables = schemas.flatMap((schema) => schema.tables);
  const named = [schemas, tables, ...tables.map(({ columns }) => columns)];
  const weightOf = (sum: number, { name }: { name: string }) => sum + NAME_BYTES + 2 * name.length;
  return named.reduce((sum, each) => each.reduce(weightOf, sum), 0);
}
