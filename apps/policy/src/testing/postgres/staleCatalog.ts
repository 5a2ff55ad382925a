import type { Choices } from './choices.js';
import { LOOKUP, quote, type Column, type Table, type World } from './worlds.js';

/**
 * A world whose tables have changed since its catalog was read: columns renamed, dropped or of another type,
 * or recreated. If a rule of a table reads a missing column, no row of it is visible.
 */
export function makeStale(world: World, choices: Choices): World {
  const changed = world.tables.map((table) =>
    choices.chance(60) ? { ...changeTable(table, choices), listed: table } : table,
  );
  const lookup = changed.find(({ name }) => name === LOOKUP)?.columns ?? [];
  const tables = changed.map((table) => {
    const rules = world.rules.filter((rule) => rule.covers(table.listed ?? table));
    const isWhole = rules.every(({ reads }) => has(table.columns, reads.own) && has(lookup, reads.lookup));
    return { ...table, isHidden: !isWhole };
  });
  return { ...world, tables };
}

function has(columns: readonly Column[], names: readonly string[]): boolean {
  return names.every((name) => columns.some((column) => column.name === name));
}

function changeTable(table: Table, choices: Choices): Table {
  const { columns, rows } = table;
  const at = choices.below(columns.length);
  const renamed = (name: string): Table => ({
    ...table,
    columns: columns.map((column, index) => (index === at ? { ...column, name } : column)),
  });
  return choices.pick<() => Table>([
    () => renamed('renamed'),
    () => renamed('tenant'),
    // A column of the same name and another type: PostgreSQL rejects some comparisons with it.
    () => ({
      ...table,
      columns: columns.map((column, index) => (index === at ? { ...column, type: 'text' } : column)),
      rows: rows.map((row) =>
        row.map((cell, index) => (index === at && cell !== null ? String(cell) : cell)),
      ),
    }),
    () => ({
      ...table,
      columns: columns.filter((_, index) => index !== at),
      rows: rows.map((row) => row.filter((_, index) => index !== at)),
    }),
    () => ({
      ...table,
      columns: [{ name: 'fresh', type: 'int' }, ...columns.slice(0, 2)],
      rows: rows.map((row) => [7, ...row.slice(0, 2)]),
    }),
  ])();
}

/** Statements whose outer query has the columns of rules, under names that the rules may look them up by. */
export function capturingStatements({ tables }: World): string[] {
  const listed = tables.flatMap((table) => (table.listed ?? table).columns);
  const types = new Map(listed.map(({ name, type }) => [name, type]));
  const samples = { int: '1', text: `'a'`, bool: 'true' };
  const offered = [...types].map(([name, type]) => `${samples[type]} AS ${quote(name)}`).join(', ');
  return tables.flatMap((table) =>
    ['x', 'o', LOOKUP, table.name].map((alias) => {
      const read = `(SELECT count(*) FROM ${quote(table.schema)}.${quote(table.name)})`;
      return `SELECT ${read} AS n FROM (SELECT ${offered}) AS ${quote(alias)}`;
    }),
  );
}
