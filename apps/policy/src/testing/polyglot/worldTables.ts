import { quoteName, quoteText, type World, type WorldTable } from './randomWorld.js';

function typeOf(type: 'int' | 'text'): string {
  return type === 'int' ? 'INTEGER' : 'VARCHAR(100)';
}

function createTable({ name, columns, rows }: WorldTable, world: World): string[] {
  const list = columns.map((column) => `${quoteName(column.name)} ${typeOf(column.type)}`).join(', ');
  const values = rows.map((row) => {
    const items = row.map((value) =>
      value === null ? 'NULL' : typeof value === 'number' ? String(value) : quoteText(value, world.dialect),
    );
    return `(${items.join(', ')})`;
  });
  return [`CREATE TABLE ${name} (${list})`, `INSERT INTO ${name} VALUES ${values.join(', ')}`];
}

/** The statements that make the world's tables, with every row. */
export function createBase(world: World): string[] {
  return world.tables.flatMap((table) => createTable({ ...table, name: quoteName(table.name) }, world));
}

/**
 * The statements that make the oracle: under each table's name a view of the rows that may be seen. The views say so in
 * words of their own, which no engine of this program wrote.
 */
export function createOracle(world: World): string[] {
  const baseOf = ({ name }: WorldTable): string => quoteName(`base_${name}`);
  // Of a view that it merges, MariaDB 10.11 loses rows where a window function and a subquery read it.
  const algorithm = world.dialect === 'mysql' ? 'ALGORITHM = TEMPTABLE ' : '';
  const views = world.tables.map((table) => {
    const where = table.filter === null ? '' : ` WHERE ${table.filter}`;
    return `CREATE ${algorithm}VIEW ${quoteName(table.name)} AS SELECT * FROM ${baseOf(table)}${where}`;
  });
  return [
    ...world.tables.flatMap((table) => createTable({ ...table, name: baseOf(table) }, world)),
    ...views,
  ];
}

/** Rows in no order, as texts that compare. */
export function asMultiset(rows: readonly unknown[]): string[] {
  return rows
    .map((row) =>
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
    .toSorted();
}
