import type { CatalogChange, Connection } from '@gatehouse/contract';
import { Badge, NumberInput } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { RecordTable } from '../../components/RecordTable.js';
import { countOf, useList, type ListSource } from '../../data/useList.js';
import { useUrlState } from '../../data/urlState.js';
import { describeChange } from '../../logic/catalogRows.js';

type Numbered = CatalogChange & { number: number };

function changesOf(id: string, from: number, to: number): ListSource<Numbered> {
  return {
    key: ['connections', 'changes', id, from, to],
    load: async (api, _next, signal) => {
      const { changes } = await api.listCatalogChanges({ id, from, to }, { signal });
      return { items: changes.map((change, number) => ({ ...change, number })), next: null };
    },
  };
}

function colorOf(kind: CatalogChange['kind']): string {
  if (kind.endsWith('Removed')) return 'red';
  return kind.endsWith('Added') ? 'teal' : 'blue';
}

const columns: readonly Column<Numbered>[] = [
  {
    id: 'change',
    header: 'Change',
    width: '9rem',
    render: (change) => <Badge color={colorOf(change.kind)}>{describeChange(change).title}</Badge>,
  },
  { id: 'place', header: 'Place', width: 'minmax(0, 2fr)', render: (change) => describeChange(change).place },
  { id: 'detail', header: 'From, to', isWide: true, render: (change) => describeChange(change).detail },
];

/** What changed between two versions of the catalog, by default between the last two. */
export function CatalogChanges({ connection: { id, catalogVersion } }: { connection: Connection }) {
  const [state, setState] = useUrlState();
  const last = catalogVersion ?? 0;
  const to = Number(state['to'] ?? last);
  const from = Number(state['from'] ?? Math.max(0, last - 1));
  const list = useList(changesOf(id, from, to), { isEnabled: last > 0 });
  const set = (name: string) => (value: number | string) => setState({ [name]: String(value) });
  if (last === 0)
    return (
      <EmptyState icon="history" title="No catalog yet">
        Each time the catalog is read and differs, its changes appear here.
      </EmptyState>
    );
  return (
    <>
      <ListToolbar count={countOf(list)}>
        <NumberInput label="From version" w={120} min={0} max={to - 1} value={from} onChange={set('from')} />
        <NumberInput label="To version" w={120} min={1} max={last} value={to} onChange={set('to')} />
      </ListToolbar>
      <RecordTable
        label="Changes of the catalog"
        list={list}
        columns={columns}
        idOf={({ number }) => String(number)}
        empty={<EmptyState icon="history" title="Nothing changed between these versions" />}
      />
    </>
  );
}
