import type { Coverage } from '@gatehouse/contract';

/** Whether the rules of an actor restrict a table. */
export interface HeatCell {
  state: 'restricted' | 'unrestricted' | 'without';
  /** The names of the rules. */
  rules: readonly string[];
}

export interface HeatRow {
  table: string;
  cells: HeatCell[];
}

const keyOf = ({ schema, table }: { schema: string; table: string }) => `${schema}.${table}`;
const WITHOUT: HeatCell = { state: 'without', rules: [] };
const UNRESTRICTED: HeatCell = { state: 'unrestricted', rules: [] };

/** The rows of tables by actors, in the order of the names. */
export function heatRows(actors: readonly Coverage[]): HeatRow[] {
  const byActor = actors.map(({ isGoverned, governed, ungoverned }) => {
    const cells = new Map<string, HeatCell>();
    for (const table of governed) cells.set(keyOf(table), { state: 'restricted', rules: table.rules });
    for (const table of ungoverned) cells.set(keyOf(table), isGoverned ? UNRESTRICTED : WITHOUT);
    return cells;
  });
  const names = new Set(byActor.flatMap((cells) => [...cells.keys()]));
  return [...names]
    .toSorted((a, b) => a.localeCompare(b, 'en'))
    .map((table) => ({ table, cells: byActor.map((cells) => cells.get(table) ?? WITHOUT) }));
}

/** The reason of a cell in words. */
export function reasonOf({ state, rules }: HeatCell): string {
  switch (state) {
    case 'restricted':
      return `restricted by ${rules.map((rule) => `“${rule}”`).join(', ')}`;
    case 'unrestricted':
      return 'every row may be read: no rule matches the table';
    case 'without':
      return 'the connection has no policies: nothing is restricted';
  }
}

/** The cell that a key leads to; null for another key. */
export function nextCell(
  key: string,
  { row, column }: { row: number; column: number },
  { rows, columns, isControl }: { rows: number; columns: number; isControl: boolean },
): { row: number; column: number } | null {
  const limit = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
  const steps: Record<string, { row: number; column: number }> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    PageDown: { row: row + 10, column },
    PageUp: { row: row - 10, column },
    Home: { row: isControl ? 0 : row, column: 0 },
    End: { row: isControl ? rows - 1 : row, column: columns - 1 },
  };
  const next = steps[key];
  return next === undefined ? null : { row: limit(next.row, rows), column: limit(next.column, columns) };
}
