/** Rows and columns that a key moves by. */
const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

/**
 * Makes one cell of a table the tab stop, and moves it by the keys of a grid in the ARIA Authoring Practices:
 * arrows, Home and End, with Control to the first and last cell, Page Up and Down. Enter follows the cell's
 * `data-href`.
 */
export function navigateGrid(grid: HTMLTableElement): void {
  const rows = [...(grid.tBodies[0]?.rows ?? [])].map((row) => [...row.querySelectorAll('td')]);
  let current = rows[0]?.[0];
  if (current === undefined) return;
  current.tabIndex = 0;
  const focus = (cell: HTMLTableCellElement): void => {
    if (current) current.tabIndex = -1;
    current = cell;
    cell.tabIndex = 0;
    cell.focus();
  };
  const follow = (cell: HTMLElement): void => {
    location.hash = cell.dataset['href'] ?? location.hash;
  };
  const cellOf = ({ target }: Event): HTMLTableCellElement | null =>
    target instanceof Element ? target.closest('td') : null;
  grid.addEventListener('click', (event) => {
    const cell = cellOf(event);
    if (cell) focus(cell);
  });
  grid.addEventListener('dblclick', (event) => {
    const cell = cellOf(event);
    if (cell) follow(cell);
  });
  grid.addEventListener('keydown', (event) => {
    const cell = cellOf(event);
    const next = cell && findNext(rows, cell, event);
    if (cell && event.key === 'Enter') follow(cell);
    if (!next) return;
    event.preventDefault();
    focus(next);
  });
}

function findNext(
  rows: readonly HTMLTableCellElement[][],
  cell: HTMLTableCellElement,
  { key, ctrlKey }: KeyboardEvent,
): HTMLTableCellElement | undefined {
  const move = MOVES[key];
  if (move === undefined) return undefined;
  const row = rows.findIndex((cells) => cells.includes(cell));
  const column = rows[row]?.indexOf(cell) ?? 0;
  const isToCorner = ctrlKey && (key === 'Home' || key === 'End');
  const wantedRow = isToCorner ? row + move[1] : row + move[0];
  const target = rows[clamp(wantedRow, rows.length)] ?? [];
  return target[clamp(column + move[1], target.length)];
}

function clamp(value: number, length: number): number {
  return Math.min(Math.max(value, 0), length - 1);
}
