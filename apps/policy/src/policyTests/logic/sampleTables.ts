import type { Catalog, CatalogColumn, CatalogSchema, JsonObject, SampleData } from '@gatehouse/contract';

/** A table of the catalog and its sample rows. */
export interface SampleRows {
  schema: string;
  name: string;
  columns: readonly CatalogColumn[];
  rows: readonly JsonObject[];
}

/** A fault in sample data and its path: `orders`, `orders[2].colour`. */
export interface SampleFault {
  path: string;
  message: string;
}

/** The default of PostgreSQL. */
const DEFAULT_SCHEMA = 'public';

function schemasOf(catalog: Catalog): { defaultSchema: string; schemas: readonly CatalogSchema[] } {
  if ('schemas' in catalog)
    return { defaultSchema: catalog.defaultSchema ?? DEFAULT_SCHEMA, schemas: catalog.schemas };
  const { databases, defaultDatabase } = catalog;
  const database = databases.find(({ name }) => name === defaultDatabase) ?? databases[0];
  return { defaultSchema: database?.defaultSchema ?? DEFAULT_SCHEMA, schemas: database?.schemas ?? [] };
}

export function defaultSchemaOf(catalog: Catalog): string {
  return schemasOf(catalog).defaultSchema;
}

/**
 * The tables of the sample rows. A name is `table` in the default schema or `schema.table`, spelled as in the
 * catalog.
 */
export function findSampleTables(
  catalog: Catalog,
  sampleData: SampleData,
): { tables: SampleRows[]; faults: SampleFault[] } {
  const { defaultSchema, schemas } = schemasOf(catalog);
  const tables: SampleRows[] = [];
  const faults: SampleFault[] = [];
  for (const [path, rows] of Object.entries(sampleData)) {
    const found = schemas.flatMap((schema) =>
      schema.tables
        .filter(
          ({ name }) => path === `${schema.name}.${name}` || (schema.name === defaultSchema && path === name),
        )
        .map(({ name, columns }) => ({ schema: schema.name, name, columns, rows })),
    );
    const [table] = found;
    if (table) {
      tables.push(table);
      faults.push(...columnFaults(path, table));
    } else faults.push({ path, message: 'names no table of the catalog' });
  }
  return { tables, faults };
}

function columnFaults(path: string, { columns, rows }: SampleRows): SampleFault[] {
  const known = new Set(columns.map(({ name }) => name));
  return rows.flatMap((row, index) =>
    Object.keys(row)
      .filter((column) => !known.has(column))
      .map((column) => ({ path: `${path}[${index}].${column}`, message: 'is no column of the table' })),
  );
}
