import type { Catalog, CatalogInput, CatalogTable, FieldError } from '@gatehouse/contract';
import { findRepeated } from './modelTemplate.js';

/** The catalog that was sent; the contract has checked that it has one of the two forms. */
export function catalogFrom(input: CatalogInput): Catalog {
  const { defaultSchema, schemas = [], defaultDatabase, databases } = input;
  if (databases === undefined) return { ...(defaultSchema !== undefined && { defaultSchema }), schemas };
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

function inOrder(schemas: CatalogDatabase['schemas']) {
  const sorted = schemas.toSorted(byName);
  return sorted.map(({ name, tables }) => [
    name,
    tables
      .toSorted(byName)
      .map((table) => [table.name, table.kind, table.columns.map((column) => [column.name, column.type])]),
  ]);
}

/**
 * A text that two catalogs share when they hold the same. The order of databases, schemas and tables says nothing; that of
 * columns is the table's own.
 */
export function canonicalText(catalog: Catalog): string {
  if (!('databases' in catalog))
    return JSON.stringify([catalog.defaultSchema ?? null, inOrder(catalog.schemas)]);
  const databases = catalog.databases.toSorted(byName);
  return JSON.stringify([
    catalog.defaultDatabase ?? null,
    'databases',
    databases.map(({ name, defaultSchema, schemas }) => [name, defaultSchema ?? null, inOrder(schemas)]),
  ]);
}

function findRepeatedNames(field: string, named: readonly { name: string }[]): FieldError[] {
  const message = 'is there twice';
  return findRepeated(named.map(({ name }) => name)).map((index) => ({
    field: `${field}[${index}].name`,
    message,
  }));
}

/** The databases, schemas, tables and columns that an earlier one beside them has the name of. */
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
