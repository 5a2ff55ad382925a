import type { Kind, Stored } from './exactOracle.js';

/** A typed column and its values. */
export interface TypedColumn {
  name: string;
  /** The type in CREATE TABLE. */
  declared: string;
  /** The type in the catalog, if it differs. */
  catalogType?: string;
  kind: Kind;
  stored: readonly Stored[];
}

/** A real database with one table, `things`, with an `id` and a column of each type. */
export interface TypedDatabase {
  dialect: 'postgres' | 'mysql' | 'sqlite';
  schema: string;
  columns: readonly TypedColumn[];
  /** The ids that a statement returns. Rejects if the database rejects it. */
  readIds(sql: string, values: readonly unknown[]): Promise<number[]>;
}

/** The number of rows of each table: that of its longest column. */
export function rowCount(columns: readonly TypedColumn[]): number {
  return Math.max(...columns.map(({ stored }) => stored.length)) + 1;
}

/** The value of a column in a row. The last row has none. */
export function storedIn({ stored }: TypedColumn, row: number, rows: number): Stored {
  return row === rows - 1 ? null : (stored[row % stored.length] ?? null);
}
