import type { Random } from './random.js';
import { quoteName, type World, type WorldColumn, type WorldTable } from './randomWorld.js';

const NOTHING = '1 = 0';

/**
 * A world whose tables have changed since its catalog was read: columns renamed, dropped or of another type,
 * tables recreated with other columns, or replaced by views. If a rule of a table reads a missing column, no
 * row of it is visible.
 */
export function makeStale(world: World, random: Random): World {
  const changed = world.tables.map((table) => (random.isLucky(0.6) ? changeTable(table, random) : table));
  const present = (name: string): readonly WorldColumn[] =>
    changed.find((table) => table.name === name)?.columns ?? [];
  const isWhole = ({ name, reads }: WorldTable): boolean =>
    has(present(name), reads.own) && has(present('lookup'), reads.lookup);
  const tables = changed.map((table) =>
    table.filter === null || isWhole(table) ? table : { ...table, filter: NOTHING },
  );
  return { ...world, tables };
}

function has(columns: readonly WorldColumn[], names: readonly string[]): boolean {
  return names.every((name) => columns.some((column) => column.name === name));
}

function changeTable(table: WorldTable, random: Random): WorldTable {
  const { columns, rows } = table;
  const at = random.int(0, columns.length - 1);
  const replace = (change: Partial<WorldColumn>): WorldTable => ({
    ...table,
    columns: columns.map((column, index) => (index === at ? { ...column, ...change } : column)),
  });
  const renamed = replace({ name: random.pick(['renamed', 'tenant', 'secret_id']) });
  return random.pick<() => WorldTable>([
    () => renamed,
    () => renamed,
    () => replace({ type: 'text' }),
    () => ({ ...renamed, isView: true }),
    () => ({ ...table, isView: true }),
    () => ({
      ...table,
      columns: columns.filter((_, index) => index !== at),
      rows: rows.map((row) => row.filter((_, index) => index !== at)),
    }),
    // Dropped and recreated.
    () => ({
      ...table,
      columns: [{ name: 'fresh', type: 'int' }, ...columns.slice(0, 2)],
      rows: rows.map((row) => [7, ...row.slice(0, 2)]),
    }),
  ])();
}

/** Statements whose outer query has a column of a rule, under every name that the rule may look it up by. */
export function capturingStatements({ tables, catalog }: World): string[] {
  const listed = 'schemas' in catalog ? catalog.schemas.flatMap((schema) => schema.tables) : [];
  const names = [...new Set(listed.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const aliases = ['x', 'l', ...tables.map(({ name }) => name)];
  return tables.flatMap((table) =>
    aliases.map((alias) => {
      const offered = names.map((name) => `1 AS ${quoteName(name)}`).join(', ');
      const read = `(SELECT COUNT(*) FROM ${quoteName(table.name)})`;
      return `SELECT ${read} AS n FROM (SELECT ${offered}) AS ${quoteName(alias)}`;
    }),
  );
}
