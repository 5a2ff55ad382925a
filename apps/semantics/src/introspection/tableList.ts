import type { CatalogColumn, CatalogSchema, CatalogTable } from '@gatehouse/contract';
import { IntrospectionError } from './outcome.js';

/** What is read at most. A catalog is kept and sent as one JSON text, so that its size counts as well. */
export const MAX_SCHEMAS = 5000;
export const MAX_TABLES = 20_000;
export const MAX_COLUMNS = 200_000;
export const MAX_JSON_BYTES = 8 * 1024 * 1024;

const MAX_TYPE_LENGTH = 200;

/** Gathers tables and columns as a database lists them and gives them as the schemas of a catalog. */
export class TableList {
  readonly #schemas = new Map<string, Map<string, CatalogTable>>();
  #tableCount = 0;
  #columnCount = 0;

  addSchema(name: string): Map<string, CatalogTable> {
    const known = this.#schemas.get(name);
    if (known !== undefined) return known;
    if (this.#schemas.size === MAX_SCHEMAS) throw tooLarge(`${MAX_SCHEMAS} schemas`);
    const tables = new Map<string, CatalogTable>();
    this.#schemas.set(name, tables);
    return tables;
  }

  /** Adds a table, unless it is there already. */
  addTable(schema: string, name: string, kind: CatalogTable['kind']): CatalogTable {
    const tables = this.addSchema(schema);
    const known = tables.get(name);
    if (known !== undefined) return known;
    this.#tableCount += 1;
    if (this.#tableCount > MAX_TABLES) throw tooLarge(`${MAX_TABLES} tables`);
    const table: CatalogTable = { name, kind, columns: [] };
    tables.set(name, table);
    return table;
  }

  /** Columns keep the order in which they come. A type longer than a catalog takes, such as a long enumeration, is cut. */
  addColumn(table: CatalogTable, { name, type }: CatalogColumn): void {
    this.#columnCount += 1;
    if (this.#columnCount > MAX_COLUMNS) throw tooLarge(`${MAX_COLUMNS} columns`);
    const isLong = type.length > MAX_TYPE_LENGTH;
    table.columns.push({
      name,
      type: isLong ? `${type.slice(0, MAX_TYPE_LENGTH - 1).toWellFormed()}…` : type,
    });
  }

  /** Schemas and tables by name, in the order of their code units, so that one database always gives one text. */
  toSchemas(): CatalogSchema[] {
    const schemas = [...this.#schemas].map(([name, tables]) => ({
      name,
      tables: [...tables.values()].toSorted(byName),
    }));
    return schemas.toSorted(byName);
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

export function tooLarge(limit: string): IntrospectionError {
  return new IntrospectionError('tooLarge', `The database holds more than ${limit}.`);
}
