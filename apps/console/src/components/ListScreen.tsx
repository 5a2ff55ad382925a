import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useApi, type Api } from '../data/api.js';
import type { UrlState } from '../data/urlState.js';
import { countOf, useList, type ListSource } from '../data/useList.js';
import { useCache } from '../data/useRecord.js';
import { BulkBar } from './BulkBar.js';
import type { Column } from './columns.js';
import { ConfirmDelete } from './ConfirmDelete.js';
import { EmptyState } from './EmptyState.js';
import { ExportButton } from './ExportButton.js';
import { Icon, type IconName } from './Icon.js';
import { ListToolbar } from './ListToolbar.js';
import { PageHeader } from './PageHeader.js';
import { RecordTable, type Sort } from './RecordTable.js';
import { runBulk } from './runBulk.js';
import { useSelection, type Selection } from './selection.js';

/** How selected records are deleted. */
export interface BulkRemoval<T> {
  remove(api: Api, item: T): Promise<unknown>;
  /** The names of lists and records to read again. */
  outdates: readonly string[];
  /** What happens to what depends on them. */
  consequence: string;
}

export interface ListScreenProps<T> {
  title: string;
  /** The name of one record and of several, in lower case. */
  noun: readonly [string, string];
  icon: IconName;
  source: ListSource<T>;
  columns: readonly Column<T>[];
  idOf(item: T): string;
  nameOf(item: T): string;
  /** The address of the form of a new record; null if the user may not create one. */
  createPath: string | null;
  /** The query of that address, such as a value to begin with. */
  createSearch?: UrlState;
  searchLabel?: string;
  filters?: ReactNode;
  isFiltered?: boolean;
  sort?: Sort;
  /** Null if the user may not delete records. */
  removal?: BulkRemoval<T> | null;
  /** What an empty list explains. */
  hint: ReactNode;
  /** Whether it is a part of another screen, which has a header of its own. */
  isPart?: boolean;
}

/** A screen with a list: search, filters, bulk deletion, export, and the form of a new record. */
export function ListScreen<T>(props: ListScreenProps<T>) {
  const { title, noun, source, columns, idOf, nameOf, createPath, sort, removal, isPart } = props;
  const list = useList(source);
  const selection = useSelection();
  const create = createPath !== null && (
    <Button
      component={Link}
      to={createPath}
      search={(props.createSearch ?? {}) as never}
      leftSection={<Icon name="plus" />}
    >
      New {noun[0]}
    </Button>
  );
  return (
    <>
      {!isPart && <PageHeader title={title} actions={create} />}
      <ListToolbar
        {...(props.searchLabel === undefined ? {} : { searchLabel: props.searchLabel })}
        count={countOf(list)}
        actions={
          <>
            <ExportButton source={source} columns={columns} fileName={noun[1].replaceAll(' ', '-')} />
            {isPart && create}
          </>
        }
      >
        {props.filters}
      </ListToolbar>
      {removal && (
        <BulkBar selection={selection}>
          <BulkDelete {...props} removal={removal} items={list.items} selection={selection} />
        </BulkBar>
      )}
      <RecordTable
        label={title}
        list={list}
        columns={columns}
        idOf={idOf}
        nameOf={nameOf}
        {...(sort ? { sort } : {})}
        {...(removal ? { selection } : {})}
        empty={<Nothing {...props} create={create} />}
      />
    </>
  );
}

function Nothing<T>({ noun, icon, hint, isFiltered, create }: ListScreenProps<T> & { create: ReactNode }) {
  if (isFiltered)
    return (
      <EmptyState icon="search" title={`No ${noun[0]} matches`}>
        Change the search or the filters.
      </EmptyState>
    );
  return (
    <EmptyState icon={icon} title={`No ${noun[1]} yet`} action={create}>
      {hint}
    </EmptyState>
  );
}

type BulkProps<T> = Pick<ListScreenProps<T>, 'noun' | 'idOf'> & {
  removal: BulkRemoval<T>;
  items: readonly T[];
  selection: Selection;
};

function BulkDelete<T>({ noun, idOf, removal, items, selection }: BulkProps<T>) {
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const chosen = items.filter((item) => selection.ids.has(idOf(item)));
  const run = async () => {
    await runBulk(
      chosen,
      (item) => removal.remove(api, item),
      (count) => `${count} ${count === 1 ? noun[0] : noun[1]} deleted`,
    );
    selection.set([]);
    await cache.outdate(...removal.outdates);
  };
  return (
    <>
      <Button size="compact-sm" variant="light" color="red" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDelete
        name={`${chosen.length} ${chosen.length === 1 ? noun[0] : noun[1]}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={run}
      >
        {removal.consequence} This cannot be undone.
      </ConfirmDelete>
    </>
  );
}
