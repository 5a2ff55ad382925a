import { Checkbox, Skeleton, VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import type { List } from '../data/useList.js';
import type { Column } from './columns.js';
import { ErrorNotice } from './ErrorNotice.js';
import { Icon } from './Icon.js';
import type { Selection } from './selection.js';
import classes from './RecordTable.module.css';

/** How a list is sorted by the server. */
export interface Sort {
  key: string;
  order: 'asc' | 'desc';
  change(key: string, order: 'asc' | 'desc'): void;
}

interface Props<T> {
  /** What the table lists, for assistive technology. */
  label: string;
  list: List<T>;
  columns: readonly Column<T>[];
  idOf(item: T): string;
  /** The name of an item, for the label of its checkbox. */
  nameOf?(item: T): string;
  sort?: Sort;
  selection?: Selection;
  /** What is shown instead if there is no item. */
  empty: ReactNode;
}

const ROW_PX = 44;
/** How many rows before the end the next part is requested. */
const AHEAD = 15;
const SKELETONS = Array.from({ length: 8 }, (_, index) => index);

/** A list of records: rows in view are drawn, and further parts are loaded while it is scrolled. */
export function RecordTable<T>(props: Props<T>) {
  const { label, list, columns, selection, empty, idOf, nameOf } = props;
  const rowProps = { columns, idOf, ...(nameOf && { nameOf }), ...(selection && { selection }) };
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: list.items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { hasMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && last >= list.items.length - AHEAD) loadMore();
  });
  if (list.error !== null && list.items.length === 0)
    return (
      <div className={classes['notice']}>
        <ErrorNotice error={list.error} onRetry={list.retry} title="The list could not be read" />
      </div>
    );
  if (!list.isLoading && list.items.length === 0) return <div className={classes['notice']}>{empty}</div>;
  return (
    <div
      ref={scroller}
      className={classes['table']}
      role="table"
      aria-label={label}
      aria-rowcount={list.total === null || list.totalIsLowerBound ? -1 : list.total + 1}
      aria-busy={list.isLoading || list.isPrevious}
      style={tracksOf(columns, selection !== undefined)}
      onKeyDown={(event) => moveFocus(event, (index) => rows.scrollToIndex(index))}
    >
      <Head {...props} />
      <div
        role="rowgroup"
        className={list.isPrevious ? classes['former'] : undefined}
        style={{ height: list.isLoading ? undefined : rows.getTotalSize(), position: 'relative' }}
      >
        {list.isLoading && SKELETONS.map((index) => <Waiting key={index} />)}
        {shown.map(({ index, start }) => {
          const item = list.items[index];
          return item === undefined ? null : (
            <Row key={idOf(item)} {...rowProps} item={item} index={index} start={start} />
          );
        })}
      </div>
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
    </div>
  );
}

function tracksOf<T>(columns: readonly Column<T>[], isSelectable: boolean): CSSProperties {
  const join = (shown: readonly Column<T>[]) =>
    [...(isSelectable ? ['1.25rem'] : []), ...shown.map(({ width }) => width ?? 'minmax(0, 1fr)')].join(' ');
  const phone = columns.filter(({ isWide }) => !isWide);
  return { '--tracks': join(columns), '--phone-tracks': join(phone) } as CSSProperties;
}

function Waiting() {
  return (
    <div className={classes['waiting']}>
      <Skeleton height={12} radius="xl" />
    </div>
  );
}

function Head<T>({ columns, sort, selection, list, idOf }: Props<T>) {
  const ids = list.items.map(idOf);
  const chosen = selection?.ids.size ?? 0;
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" className={classes['cells']} aria-rowindex={1}>
        {selection && (
          <div role="columnheader">
            <Checkbox
              size="xs"
              aria-label="Select all loaded rows"
              checked={chosen > 0 && chosen === ids.length}
              indeterminate={chosen > 0 && chosen < ids.length}
              onChange={(event) => selection.set(event.currentTarget.checked ? ids : [])}
            />
          </div>
        )}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={sort} />
        ))}
      </div>
    </div>
  );
}

function HeadCell<T>({ column, sort }: { column: Column<T>; sort: Sort | undefined }) {
  const { header, sortKey, isWide, isHeaderHidden } = column;
  const className = isWide ? classes['wide'] : undefined;
  if (sortKey === undefined || sort === undefined)
    return (
      <div role="columnheader" className={className}>
        {isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
      </div>
    );
  const isSorted = sort.key === sortKey;
  const next = isSorted && sort.order === 'asc' ? 'desc' : 'asc';
  const ascending = sort.order === 'asc' ? 'ascending' : 'descending';
  return (
    <div role="columnheader" className={className} aria-sort={isSorted ? ascending : 'none'}>
      <button type="button" className={classes['sort']} onClick={() => sort.change(sortKey, next)}>
        {header}
        {isSorted && <Icon name={sort.order === 'asc' ? 'up' : 'down'} size={12} />}
      </button>
    </div>
  );
}

type RowProps<T> = Pick<Props<T>, 'columns' | 'idOf' | 'nameOf' | 'selection'> & {
  item: T;
  index: number;
  start: number;
};

/** Drawn again only if its own properties change: the table itself is, for each step of a scroll. */
const Row = memo(TableRow) as typeof TableRow;

function TableRow<T>({ columns, item, index, start, idOf, nameOf, selection }: RowProps<T>) {
  const id = idOf(item);
  return (
    <div
      role="row"
      className={`${classes['cells']} ${classes['row']}`}
      aria-rowindex={index + 2}
      data-index={index}
      data-selected={selection?.ids.has(id) || undefined}
      style={{ transform: `translateY(${start}px)` }}
    >
      {selection && (
        <div role="cell">
          <Checkbox
            size="xs"
            aria-label={`Select ${nameOf?.(item) ?? id}`}
            checked={selection.ids.has(id)}
            onChange={() => selection.toggle(id)}
          />
        </div>
      )}
      {columns.map(({ id: column, render, isWide }) => (
        <div role="cell" key={column} className={isWide ? classes['wide'] : undefined}>
          {render(item)}
        </div>
      ))}
    </div>
  );
}

/** Moves the focus with the arrow keys from row to row, to the same element of each. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>, scrollTo: (index: number) => void): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const row = (event.target as Element).closest<HTMLElement>('[data-index]');
  if (row === null) return;
  event.preventDefault();
  const place = [...row.querySelectorAll('a, button, input')].indexOf(event.target as Element);
  const index = Number(row.dataset['index']) + (event.key === 'ArrowDown' ? 1 : -1);
  if (index < 0) return;
  const table = event.currentTarget;
  scrollTo(index);
  requestAnimationFrame(() => {
    const next = table.querySelector(`[data-index="${index}"]`);
    const focusable = next?.querySelectorAll<HTMLElement>('a, button, input');
    (focusable?.[place] ?? focusable?.[0])?.focus({ preventScroll: true });
  });
}
