import type { DefinitionItem } from '@gatehouse/contract';
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { PolicyFilters } from './PolicyFilters.js';
import { definitionList } from './sources.js';

const columns: readonly Column<DefinitionItem>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 2fr)',
    text: ({ definition }) => definition.name,
    render: ({ definition }) => (
      <NameLink to={`/policies/definitions/${definition.id}`} name={definition.name} />
    ),
  },
  {
    id: 'connection',
    header: 'Connection',
    isWide: true,
    text: ({ connection }) => connection?.name ?? '',
    render: ({ connection }) => <span dir="auto">{connection?.name ?? 'deleted'}</span>,
  },
  {
    id: 'parts',
    header: 'Restricts',
    text: (item) => partsOf(item).join('; '),
    render: (item) =>
      partsOf(item).map((part) => (
        <Badge key={part} color="gray" size="sm" mr={4}>
          {part}
        </Badge>
      )),
  },
  {
    id: 'assignments',
    header: 'Assignments',
    width: '6.5rem',
    isWide: true,
    text: ({ assignmentCount }) => String(assignmentCount),
    render: ({ assignmentCount }) => assignmentCount,
  },
  {
    id: 'updated',
    header: 'Updated',
    width: '8.5rem',
    isWide: true,
    text: ({ definition }) => definition.updatedAt,
    render: ({ definition }) => <RelativeTime at={definition.updatedAt} />,
  },
];

function partsOf({ definition: { rlsConfig, slsConfig, clsConfig } }: DefinitionItem): string[] {
  return [
    ...(rlsConfig === null ? [] : ['rows']),
    ...(slsConfig === null ? [] : ['schemas']),
    ...(clsConfig === null ? [] : ['connection']),
  ];
}

/** The policy definitions of the project. */
export function DefinitionList() {
  const [state] = useUrlState();
  const { project } = useSession();
  return (
    <ListScreen
      title="Policies"
      noun={['policy definition', 'policy definitions']}
      icon="policy"
      source={definitionList(project.id, state)}
      columns={columns}
      idOf={({ definition }) => definition.id}
      nameOf={({ definition }) => definition.name}
      createPath="/policies/definitions/new"
      searchLabel="Search policies"
      filters={
        <>
          <PolicyFilters />
          <Button component={Link} to="/policies/workbench" variant="default">
            Workbench
          </Button>
        </>
      }
      isFiltered={['search', 'connection', 'kind'].some((name) => state[name])}
      removal={{
        remove: (api, { definition }) =>
          api.deletePolicyDefinition({ projectId: project.id, definitionId: definition.id }),
        outdates: ['definitions'],
        consequence: 'A definition that is assigned to an actor cannot be deleted.',
      }}
      hint="A policy definition restricts the rows, the schemas or the database of a connection. It takes effect for the actors that it is assigned to."
    />
  );
}
