import type { CatalogColumn, CatalogSchema, CatalogTable } from '@gatehouse/contract';
import { IntrospectionError } from './outcome.js';

/** The limits of a read. A catalog is stored and sent as one JSON text, so its size is limited too. */
export const MAX_SCHEMAS = 5000;
export const MAX_TABLES = 20_000;
export const MAX_COLUMNS = 200_000;
export const MAX_JSON_BYTES = 8 * 1024 * 1024;

const MAX_TYPE_LENGTH = 200;

/** Collects the tables and columns that a database lists, and builds the schemas of a catalog. */
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

  /** Adds a table unless it exists; returns it. */
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

  /**
   * Columns keep their order. A type that is too long for a catalog, such as a long enumeration, is
   * truncated.
   */
  addColumn(table: CatalogTable, { name, type, collation }: CatalogColumn): void {
    this.#columnCount += 1;
    if (this.#columnCount > MAX_COLUMNS) throw tooLarge(`${MAX_COLUMNS} columns`);
    const isLong = type.length > MAX_TYPE_LENGTH;
    table.columns.push({
      name,
      type: isLong ? `${type.slice(0, MAX_TYPE_LENGTH - 1).toWellFormed()}…` : type,
      ...(collation !== undefined && { collation }),
    });
  }

  /** Adds a column that exists, and that the user may not SELECT. */
  addUnreadableColumn(table: CatalogTable, name: string): void {
    this.#columnCount += 1;
    if (this.#columnCount > MAX_COLUMNS) throw tooLarge(`${MAX_COLUMNS} columns`);
    (table.unreadableColumns ??= []).push(name);
  }

  /**
   * Records that the rows of a table are also rows of `parent`. If only the parent is listed, the table is
   * added without columns: the user may not read it, but reads its rows in the parent.
   */
  addParent(of: { schema: string; name: string }, parent: { schema: string; table: string }): void {
    const isParentListed = this.#schemas.get(parent.schema)?.has(parent.table) === true;
    const listed = this.#schemas.get(of.schema)?.get(of.name);
    const table = listed ?? (isParentListed ? this.addTable(of.schema, of.name, 'table') : undefined);
    if (table === undefined) return;
    this.#columnCount += 1;
    if (this.#columnCount > MAX_COLUMNS) throw tooLarge(`${MAX_COLUMNS} columns`);
    (table.partOf ??= []).push(parent);
  }

  /**
   * Schemas and tables sorted by name, in code unit order, so that a database always has the same catalog
   * text.
   */
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
