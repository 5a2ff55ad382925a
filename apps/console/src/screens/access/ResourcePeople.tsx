import type { Viewer } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { LevelBadge } from '../../components/badges.js';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { RecordTable } from '../../components/RecordTable.js';
import { useUrlState } from '../../data/urlState.js';
import { graphOfResource, pathLabel } from '../../logic/accessGraph.js';
import { GraphOrList } from './GraphOrList.js';
import { useSubjects, type ResourceType } from './reach.js';
import { completeList } from '../../data/completeList.js';

/** Who can open a resource, drawn by the path that decides, or as a list. */
export function ResourcePeople({ resource }: { resource: { id: string; type: ResourceType; name: string } }) {
  const [{ search = '' }, setState] = useUrlState();
  const subjects = useSubjects(resource.id, resource.type);
  const { id, name } = resource;
  const graph = useMemo(
    () => (subjects.data ? graphOfResource({ id, name }, subjects.data.items) : null),
    [id, name, subjects.data],
  );
  const open = (person: string) => setState({ person, search: undefined }, true);
  const columns: Column<Viewer>[] = [
    {
      id: 'name',
      header: 'Name',
      render: (viewer) => (
        <Button variant="subtle" size="compact-sm" onClick={() => open(viewer.id)} dir="auto">
          {viewer.name}
        </Button>
      ),
    },
    { id: 'email', header: 'E-mail', isWide: true, render: ({ email }) => email },
    {
      id: 'level',
      header: 'Access',
      width: '7rem',
      render: ({ accessLevel }) => <LevelBadge level={accessLevel} />,
    },
    { id: 'path', header: 'Through', isWide: true, render: ({ path }) => pathLabel(path) },
  ];
  const wanted = search.toLowerCase();
  const found = subjects.data?.items.filter((viewer) =>
    `${viewer.name} ${viewer.email}`.toLowerCase().includes(wanted),
  );
  return (
    <GraphOrList
      label={`Who can open ${name}; the list has the same`}
      graph={graph}
      error={subjects.error}
      onRetry={() => void subjects.refetch()}
      onOpen={(point) => point.kind === 'person' && open(point.id)}
      count={subjects.data?.items.length ?? null}
      isCut={subjects.data?.isCut ?? false}
      searchLabel="Search people who are listed"
      list={
        <RecordTable
          label={`Who can open ${name}`}
          list={completeList(found ?? [], subjects.isLoading)}
          columns={columns}
          idOf={(viewer) => viewer.id}
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
