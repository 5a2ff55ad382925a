import type { Connection } from '@gatehouse/contract';
import { Badge, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { RecordTable } from '../../components/RecordTable.js';
import { completeList } from '../../data/completeList.js';
import { countOf, type ListSource } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { columnsText, rowsOf, searchRows, type CatalogRow } from '../../logic/catalogRows.js';

const columns: readonly Column<CatalogRow>[] = [
  {
    id: 'name',
    header: 'Table',
    text: ({ name }) => name,
    render: ({ name }) => (
      <Text size="sm" fw={500} component="span">
        {name}
      </Text>
    ),
  },
  {
    id: 'schema',
    header: 'Schema',
    isWide: true,
    width: '10rem',
    text: ({ place }) => place,
    render: ({ place }) => place,
  },
  {
    id: 'kind',
    header: 'Kind',
    isWide: true,
    width: '8rem',
    text: ({ kind }) => kind,
    render: ({ kind }) => <Badge color="gray">{kind}</Badge>,
  },
  {
    id: 'columns',
    header: 'Columns',
    width: 'minmax(0, 3fr)',
    text: columnsText,
    render: (row) => <span title={columnsText(row)}>{columnsText(row)}</span>,
  },
];

/** The tables of a catalog, which the response with the connection contains. */
export function CatalogTables({ connection: { id, catalog } }: { connection: Connection }) {
  const [{ search = '' }] = useUrlState();
  const all = useMemo(() => rowsOf(catalog), [catalog]);
  const found = useMemo(() => searchRows(all, search), [all, search]);
  const list = completeList(found);
  const source: ListSource<CatalogRow> = {
    key: ['connections', 'tables', id],
    load: () => Promise.resolve({ items: [...found], next: null }),
  };
  return (
    <>
      <ListToolbar
        searchLabel="Search tables and columns"
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName={`catalog-${id}`} />}
      />
      <RecordTable
        label="Tables"
        list={list}
        columns={columns}
        idOf={({ key }) => key}
        empty={
          <EmptyState icon="connection" title={all.length === 0 ? 'No catalog yet' : 'No table matches'}>
            {all.length === 0 ? 'Read the catalog to see the tables here.' : 'Change the search.'}
          </EmptyState>
        }
      />
    </>
  );
}
