import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';
import { nextCell, reasonOf, type HeatCell, type HeatRow } from '../../../logic/heatMap.js';
import classes from './workbench.module.css';

const ROW_PX = 32;

interface Props {
  rows: readonly HeatRow[];
  /** The names of the actors, in the order of the cells. */
  actors: readonly string[];
}

const textOfCell = ({ state, rules }: HeatCell) => {
  if (state === 'restricted') return String(rules.length);
  return state === 'unrestricted' ? 'all' : '–';
};

/** Tables by actors. The arrow keys move between the cells; below, the chosen cell is explained. */
export function HeatGrid({ rows, actors }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState({ row: 0, column: 0 });
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const isInView = shown.some(({ index }) => index === chosen.row) && chosen.column < actors.length;
  const stop = isInView ? chosen : { row: shown[0]?.index ?? 0, column: 0 };
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const size = { rows: rows.length, columns: actors.length, isControl: event.ctrlKey };
    const next = nextCell(event.key, stop, size);
    if (next === null) return;
    event.preventDefault();
    setChosen(next);
    virtual.scrollToIndex(next.row);
    const grid = event.currentTarget;
    requestAnimationFrame(() =>
      grid.querySelector<HTMLElement>(`[data-cell="${next.row} ${next.column}"]`)?.focus(),
    );
  };
  const explained = rows[stop.row];
  const cell = explained?.cells[stop.column];
  return (
    <>
      <div
        ref={scroller}
        role="grid"
        aria-label="Coverage of tables by actors"
        aria-rowcount={rows.length + 1}
        aria-colcount={actors.length + 1}
        className={classes['grid']}
        style={{ '--actors': actors.length } as CSSProperties}
        onKeyDown={move}
      >
        <div role="row" aria-rowindex={1} className={`${classes['line']} ${classes['head']}`}>
          <div role="columnheader" className={classes['table']}>
            Table
          </div>
          {actors.map((actor, index) => (
            <div
              role="columnheader"
              key={`${index} ${actor}`}
              title={actor}
              className={classes['actor']}
              dir="auto"
            >
              {actor}
            </div>
          ))}
        </div>
        <div role="rowgroup" className={classes['rows']} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <div
                role="row"
                key={row.table}
                aria-rowindex={index + 2}
                className={`${classes['line']} ${classes['row']}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <div role="rowheader" className={classes['table']} title={row.table} dir="auto">
                  {row.table}
                </div>
                {row.cells.map((item, column) => (
                  <div
                    role="gridcell"
                    key={`${column} ${actors[column]}`}
                    tabIndex={index === stop.row && column === stop.column ? 0 : -1}
                    data-cell={`${index} ${column}`}
                    data-state={item.state}
                    data-many={item.rules.length > 1 || undefined}
                    className={classes['cell']}
                    aria-label={`${row.table}, ${actors[column]}: ${reasonOf(item)}`}
                    onFocus={() => setChosen({ row: index, column })}
                    onClick={(event) => event.currentTarget.focus()}
                  >
                    {textOfCell(item)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {explained !== undefined && cell !== undefined && (
        <p className={classes['reason']}>
          <b>{explained.table}</b>, <b>{actors[stop.column]}</b>: {reasonOf(cell)}
        </p>
      )}
    </>
  );
}
