import type { Catalog, CatalogInput, CatalogTable, FieldError } from '@gatehouse/contract';

/** The catalog in a request; the contract has checked that it has one of the two forms. */
export function catalogFrom(input: CatalogInput): Catalog {
  const { defaultSchema, lowerCaseTableNames, schemas = [], defaultDatabase, databases } = input;
  if (databases === undefined) {
    return {
      ...(defaultSchema !== undefined && { defaultSchema }),
      ...(lowerCaseTableNames !== undefined && { lowerCaseTableNames }),
      schemas,
    };
  }
  return { ...(defaultDatabase !== undefined && { defaultDatabase }), databases };
}

/** One database of a catalog. */
export interface CatalogDatabase {
  /** Absent in a catalog of one database. */
  name?: string;
  schemas: readonly { name: string; tables: readonly CatalogTable[] }[];
}

/** The databases of a catalog of either form. */
export function databasesIn(catalog: Catalog): readonly CatalogDatabase[] {
  return 'databases' in catalog ? catalog.databases : [{ schemas: catalog.schemas }];
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : Number(a.name > b.name));

function sortedByName(schemas: CatalogDatabase['schemas']) {
  const sorted = schemas.toSorted(byName);
  return sorted.map(({ name, tables }) => [
    name,
    tables.toSorted(byName).map(({ name: table, kind, columns, partOf = [], unreadableColumns }) => [
      table,
      kind,
      columns.map((column) => [column.name, column.type]),
      // Catalogs without these fields keep the text, and so the digest, that they had before these existed.
      ...(partOf.length > 0 ? [partOf.map((parent) => [parent.schema, parent.table])] : []),
      ...(unreadableColumns ? [{ unreadableColumns }] : []),
    ]),
  ]);
}

/**
 * A text that is equal for equal catalogs. The order of databases, schemas and tables does not count; that of
 * columns does.
 */
export function canonicalText(catalog: Catalog): string {
  if (!('databases' in catalog)) {
    const { defaultSchema = null, lowerCaseTableNames: setting, schemas } = catalog;
    return JSON.stringify([
      defaultSchema,
      sortedByName(schemas),
      ...(setting === undefined ? [] : [setting]),
    ]);
  }
  const databases = catalog.databases.toSorted(byName);
  return JSON.stringify([
    catalog.defaultDatabase ?? null,
    'databases',
    databases.map(({ name, defaultSchema, schemas }) => [name, defaultSchema ?? null, sortedByName(schemas)]),
  ]);
}

function findRepeatedNames(field: string, named: readonly { name: string }[]): FieldError[] {
  const seen = new Set<string>();
  return named.flatMap(({ name }, index): FieldError[] => {
    if (seen.has(name))
      return [{ field: `${field}[${index}].name`, message: 'is duplicated', code: 'duplicate' }];
    seen.add(name);
    return [];
  });
}

/** The databases, schemas, tables and columns that repeat the name of an earlier sibling. */
export function findCatalogFaults(catalog: Catalog): FieldError[] {
  if (!('databases' in catalog)) return findSchemaFaults('schemas', catalog.schemas);
  return [
    ...findRepeatedNames('databases', catalog.databases),
    ...catalog.databases.flatMap(({ schemas }, index) =>
      findSchemaFaults(`databases[${index}].schemas`, schemas),
    ),
  ];
}

function findSchemaFaults(field: string, schemas: CatalogDatabase['schemas']): FieldError[] {
  const inSchema = schemas.flatMap(({ tables }, schemaIndex) => {
    const tablesField = `${field}[${schemaIndex}].tables`;
    const inTables = tables.flatMap(({ columns }, index) =>
      findRepeatedNames(`${tablesField}[${index}].columns`, columns),
    );
    return [...findRepeatedNames(tablesField, tables), ...inTables];
  });
  return [...findRepeatedNames(field, schemas), ...inSchema];
}
