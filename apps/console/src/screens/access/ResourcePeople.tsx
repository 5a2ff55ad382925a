import type { Viewer } from '@gatehouse/contract';
import { useMemo } from 'react';
import { LevelBadge } from '../../components/badges.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RowButton } from '../../components/RowButton.js';
import { useUrlState } from '../../data/urlState.js';
import { graphOfResource, pathLabel } from '../../logic/accessGraph.js';
import { GraphOrList } from './GraphOrList.js';
import { subjectsSource, useSubjects, type ResourceType } from './reach.js';
import { completeList } from '../../data/completeList.js';

const idOf = (viewer: Viewer) => viewer.id;

function columnsOf(open: (id: string) => void): Column<Viewer>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      text: (viewer) => viewer.name,
      render: (viewer) => (
        <RowButton title={viewer.name} onClick={() => open(viewer.id)}>
          {viewer.name}
        </RowButton>
      ),
    },
    {
      id: 'email',
      header: 'E-mail',
      isWide: true,
      text: ({ email }) => email,
      render: ({ email }) => email,
    },
    {
      id: 'level',
      header: 'Access',
      width: '7rem',
      text: ({ accessLevel }) => accessLevel,
      render: ({ accessLevel }) => <LevelBadge level={accessLevel} />,
    },
    {
      id: 'path',
      header: 'Through',
      isWide: true,
      text: ({ path }) => pathLabel(path),
      render: ({ path }) => pathLabel(path),
    },
  ];
}

/** Who can open a resource, drawn by the path that decides, or as a list. */
export function ResourcePeople({ resource }: { resource: { id: string; type: ResourceType; name: string } }) {
  const [{ search = '', at }, setState] = useUrlState();
  const query = { resourceId: resource.id, type: resource.type, at };
  const subjects = useSubjects(query);
  const { items, end } = subjects.found;
  const { id, name } = resource;
  const graph = useMemo(
    () => (end === null ? null : graphOfResource({ id, name }, items)),
    [id, name, items, end],
  );
  const columns = useMemo(
    () => columnsOf((person) => setState({ person, search: undefined }, true)),
    [setState],
  );
  const wanted = search.toLowerCase();
  const shown = useMemo(
    () => items.filter((viewer) => `${viewer.name} ${viewer.email}`.toLowerCase().includes(wanted)),
    [items, wanted],
  );
  return (
    <GraphOrList
      label={`Who can open ${name}; the list has the same`}
      graph={graph}
      search={subjects}
      onOpen={(point) => point.kind === 'person' && setState({ person: point.id, search: undefined }, true)}
      searchLabel="Search people who are listed"
      listActions={
        <ExportButton source={subjectsSource(query)} columns={columns} fileName={`access-${id}`} />
      }
      list={
        <RecordTable
          label={`Who can open ${name}`}
          list={completeList(shown, subjects.isReading)}
          columns={columns}
          idOf={idOf}
          empty={
            <EmptyState icon="users" title="No person found">
              Change the search.
            </EmptyState>
          }
        />
      }
    />
  );
}
