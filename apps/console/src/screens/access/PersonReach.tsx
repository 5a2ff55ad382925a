import type { ReachedResource } from '@gatehouse/contract';
import { useMemo } from 'react';
import { LevelBadge } from '../../components/badges.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { IdCopy } from '../../components/IdCopy.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RowButton } from '../../components/RowButton.js';
import { useUrlState } from '../../data/urlState.js';
import { graphOfPerson, wayOf, withNames, type GraphNode } from '../../logic/accessGraph.js';
import { GraphOrList, useIsList } from './GraphOrList.js';
import { reachSource, REASONS_MAX, useReach, useReasons, useWayNames, type ResourceType } from './reach.js';
import { completeList } from '../../data/completeList.js';

const NONE: readonly ReachedResource[] = [];

interface Props {
  person: { id: string; name: string };
  type: ResourceType;
}

const idOf = (resource: ReachedResource) => resource.id;

function columnsOf(open: (id: string) => void): Column<ReachedResource>[] {
  return [
    {
      id: 'title',
      header: 'Title',
      text: ({ title }) => title,
      render: ({ id, title }) => (
        <RowButton title={title} onClick={() => open(id)}>
          {title}
        </RowButton>
      ),
    },
    {
      id: 'level',
      header: 'Access',
      width: '7rem',
      text: ({ accessLevel }) => accessLevel,
      render: ({ accessLevel }) => <LevelBadge level={accessLevel} />,
    },
    { id: 'id', header: 'Id', isWide: true, render: ({ id }) => <IdCopy value={id} /> },
  ];
}

/** What a person can open, drawn with the ways that lead there, or as a list. */
export function PersonReach({ person, type }: Props) {
  const [{ search = '', at }, setState] = useUrlState();
  const query = { userId: person.id, type, at };
  const reach = useReach(query);
  const { items, end } = reach.found;
  // Only the drawing has them, as soon as all is there that is drawn.
  const isKnown = end !== null || items.length >= REASONS_MAX;
  const reasons = useReasons(query, useIsList() || !isKnown ? NONE : items);
  const ways = useMemo(
    () => [
      ...new Map(
        reasons.data?.flatMap(({ grants }) => grants.map(wayOf)).map((way) => [way.id, way]),
      ).values(),
    ],
    [reasons.data],
  );
  const names = useWayNames(ways);
  const graph = useMemo(() => {
    if (end !== null && items.length === 0) return graphOfPerson(person, []);
    return reasons.data ? withNames(graphOfPerson(person, reasons.data), names) : null;
  }, [person.id, person.name, items, end, reasons.data, names]);
  const columns = useMemo(
    () => columnsOf((resource) => setState({ resource, search: undefined }, true)),
    [setState],
  );
  const wanted = search.toLowerCase();
  const shown = useMemo(
    () => items.filter(({ title }) => title.toLowerCase().includes(wanted)),
    [items, wanted],
  );
  return (
    <GraphOrList
      label={`What ${person.name} can open; the list has the same`}
      graph={graph}
      search={reach}
      drawingError={reasons.error}
      onRedraw={() => void reasons.refetch()}
      onOpen={(point: GraphNode) =>
        point.kind === 'resource' && setState({ resource: point.id, search: undefined }, true)
      }
      drawingLimit={
        items.length > REASONS_MAX
          ? `The drawing has the first ${REASONS_MAX.toLocaleString('en')}. The list has all of them.`
          : null
      }
      searchLabel="Search what is listed"
      listActions={
        <ExportButton source={reachSource(query)} columns={columns} fileName={`access-${person.id}`} />
      }
      list={
        <RecordTable
          label={`What ${person.name} can open`}
          list={completeList(shown, reach.isReading)}
          columns={columns}
          idOf={idOf}
          empty={
            <EmptyState icon="access" title={`No ${type}s`}>
              {search === ''
                ? `${person.name} ${at === undefined ? 'can' : 'could'} open no ${type}.`
                : 'Change the search.'}
            </EmptyState>
          }
        />
      }
    />
  );
}
