import { quoteName, quoteText, TYPES, type World, type WorldTable } from './randomWorld.js';

function createTable({ name, columns, rows }: WorldTable, world: World): string[] {
  const list = columns.map((column) => `${quoteName(column.name)} ${TYPES[column.type]}`).join(', ');
  const values = rows.map((row) => {
    const items = row.map((value) =>
      value === null ? 'NULL' : typeof value === 'number' ? String(value) : quoteText(value, world.dialect),
    );
    return `(${items.join(', ')})`;
  });
  return [`CREATE TABLE ${name} (${list})`, `INSERT INTO ${name} VALUES ${values.join(', ')}`];
}

/** The statements that create the world's tables with all rows. */
export function createBase(world: World): string[] {
  return world.tables.flatMap((table) => {
    const name = quoteName(table.name);
    if (!table.isView) return createTable({ ...table, name }, world);
    const kept = quoteName(`kept_${table.name}`);
    return [...createTable({ ...table, name: kept }, world), `CREATE VIEW ${name} AS SELECT * FROM ${kept}`];
  });
}

/**
 * The statements that create the oracle: views of the visible rows under the names of the tables. Their
 * conditions are written independently of the engine.
 */
export function createOracle(world: World): string[] {
  const baseOf = ({ name }: WorldTable): string => quoteName(`base_${name}`);
  // MariaDB 10.11 loses rows of a merged view that a window function and a subquery read.
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

/** Rows as a multiset of comparable texts. */
export function asMultiset(rows: readonly unknown[]): string[] {
  return rows
    .map((row) =>
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
    .toSorted();
}
