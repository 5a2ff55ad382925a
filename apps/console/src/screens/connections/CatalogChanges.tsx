import type { CatalogChange, Connection } from '@gatehouse/contract';
import { Badge, NumberInput } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { RecordTable } from '../../components/RecordTable.js';
import { byCursor } from '../../data/listSources.js';
import { countOf, useList, type ListSource } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { describeChange } from '../../logic/catalogRows.js';

function changesOf(id: string, from: number, to: number): ListSource<CatalogChange> {
  return {
    key: ['connections', 'changes', id, from, to],
    load: async (api, cursor, signal) => {
      const page = await api.listCatalogChanges({ id, from, to, cursor }, { signal });
      return byCursor(page.changes, page.nextCursor);
    },
  };
}

function colorOf(kind: CatalogChange['kind']): string {
  if (kind.endsWith('Removed')) return 'red';
  return kind.endsWith('Added') ? 'teal' : 'blue';
}

const columns: readonly Column<CatalogChange>[] = [
  {
    id: 'change',
    header: 'Change',
    width: '9rem',
    text: (change) => describeChange(change).title,
    render: (change) => <Badge color={colorOf(change.kind)}>{describeChange(change).title}</Badge>,
  },
  {
    id: 'place',
    header: 'Place',
    width: 'minmax(0, 2fr)',
    text: (change) => describeChange(change).place,
    render: (change) => describeChange(change).place,
  },
  {
    id: 'detail',
    header: 'From, to',
    isWide: true,
    text: (change) => describeChange(change).detail,
    render: (change) => describeChange(change).detail,
  },
];

/** What changed between two versions of the catalog, by default between the last two. */
export function CatalogChanges({ connection: { id, catalogVersion } }: { connection: Connection }) {
  const [state, setState] = useUrlState();
  const last = catalogVersion ?? 0;
  const to = Number(state['to'] ?? last);
  const from = Number(state['from'] ?? Math.max(0, last - 1));
  const source = changesOf(id, from, to);
  const list = useList(source, { isEnabled: last > 0 });
  const set = (name: string) => (value: number | string) => setState({ [name]: String(value) });
  if (last === 0)
    return (
      <EmptyState icon="history" title="No catalog yet">
        Each time the catalog is read and differs, its changes appear here.
      </EmptyState>
    );
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={
          <ExportButton source={source} columns={columns} fileName={`catalog-changes-${from}-${to}-${id}`} />
        }
      >
        <NumberInput label="From version" w={120} min={0} max={to - 1} value={from} onChange={set('from')} />
        <NumberInput label="To version" w={120} min={1} max={last} value={to} onChange={set('to')} />
      </ListToolbar>
      <RecordTable
        label="Changes of the catalog"
        list={list}
        columns={columns}
        idOf={(change) => JSON.stringify(change)}
        empty={<EmptyState icon="history" title="Nothing changed between these versions" />}
      />
    </>
  );
}
