import type { ListedAssignment, PolicyDefinition } from '@gatehouse/contract';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { KIND_NAMES } from './actors.js';
import { actorName } from './assignmentFields.js';
import { PolicyFilters } from './PolicyFilters.js';
import { assignmentList } from './sources.js';

const columns: readonly Column<ListedAssignment>[] = [
  {
    id: 'actor',
    header: 'Actor',
    text: actorName,
    render: (item) => <NameLink to={`/policies/assignments/${item.assignment.id}`} name={actorName(item)} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '7rem',
    text: ({ assignment }) => KIND_NAMES[assignment.scopeType],
    render: ({ assignment }) => KIND_NAMES[assignment.scopeType],
  },
  {
    id: 'definition',
    header: 'Definition',
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
    id: 'values',
    header: 'Values',
    width: '5rem',
    isWide: true,
    text: ({ assignment }) => Object.keys(assignment.params ?? {}).join('; '),
    render: ({ assignment }) => Object.keys(assignment.params ?? {}).length,
  },
  {
    id: 'created',
    header: 'Created',
    width: '8.5rem',
    isWide: true,
    text: ({ assignment }) => assignment.createdAt,
    render: ({ assignment }) => <RelativeTime at={assignment.createdAt} />,
  },
];

/** The policy assignments of the project. */
export function AssignmentList() {
  const [state] = useUrlState();
  return (
    <AssignmentTable
      state={state}
      isFiltered={['connection', 'kind', 'definition'].some((name) => state[name])}
    />
  );
}

/** The assignments of one definition. */
export function Assignments({ definition: { id } }: { definition: PolicyDefinition }) {
  const [{ kind }] = useUrlState();
  return <AssignmentTable state={{ definition: id, kind }} isFiltered={kind !== undefined} isPart />;
}

interface Props {
  state: Readonly<Record<string, string | undefined>>;
  isFiltered: boolean;
  isPart?: boolean;
}

function AssignmentTable({ state, isFiltered, isPart = false }: Props) {
  const { project } = useSession();
  return (
    <ListScreen
      title="Policy assignments"
      noun={['assignment', 'assignments']}
      icon="policy"
      source={assignmentList(project.id, state)}
      columns={columns}
      idOf={({ assignment }) => assignment.id}
      nameOf={actorName}
      createPath="/policies/assignments/new"
      createSearch={{ definition: state['definition'] }}
      filters={isPart ? undefined : <PolicyFilters hasDefinition />}
      isFiltered={isFiltered}
      isPart={isPart}
      removal={{
        remove: (api, { assignment }) =>
          api.deletePolicyAssignment({ projectId: project.id, assignmentId: assignment.id }),
        outdates: ['assignments', 'definitions'],
        consequence: 'The definitions restrict these actors no longer.',
      }}
      hint="An assignment applies a policy definition to all tenants, a tenant, a tenant user or an org user."
    />
  );
}
