import type { Connection } from '@gatehouse/contract';
import { Badge, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { RecordTable } from '../../components/RecordTable.js';
import { completeList } from '../../data/completeList.js';
import { countOf } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { rowsOf, searchRows, type CatalogRow } from '../../logic/catalogRows.js';

const columns: readonly Column<CatalogRow>[] = [
  {
    id: 'name',
    header: 'Table',
    render: ({ name }) => (
      <Text size="sm" fw={500} component="span">
        {name}
      </Text>
    ),
  },
  { id: 'schema', header: 'Schema', isWide: true, width: '10rem', render: ({ place }) => place },
  {
    id: 'kind',
    header: 'Kind',
    isWide: true,
    width: '8rem',
    render: ({ kind }) => <Badge color="gray">{kind}</Badge>,
  },
  {
    id: 'columns',
    header: 'Columns',
    width: 'minmax(0, 3fr)',
    render: ({ columns: own }) => {
      const text = own.map(({ name, type }) => (type === '' ? name : `${name} ${type}`)).join(', ');
      return <span title={text}>{text}</span>;
    },
  },
];

/** The tables of a catalog, which the response with the connection contains. */
export function CatalogTables({ connection: { catalog } }: { connection: Connection }) {
  const [{ search = '' }] = useUrlState();
  const all = useMemo(() => rowsOf(catalog), [catalog]);
  const list = completeList(useMemo(() => searchRows(all, search), [all, search]));
  return (
    <>
      <ListToolbar searchLabel="Search tables and columns" count={countOf(list)} />
      <RecordTable
        label="Tables"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <EmptyState icon="connection" title={all.length === 0 ? 'No catalog yet' : 'No table matches'}>
            {all.length === 0 ? 'Read the catalog to see the tables here.' : 'Change the search.'}
          </EmptyState>
        }
      />
    </>
  );
}
