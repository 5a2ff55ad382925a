import { Badge } from '@mantine/core';
import type { Column } from '../../components/columns.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { NameLink } from '../../components/NameLink.js';
import { RecordTable } from '../../components/RecordTable.js';
import type { Api } from '../../data/api.js';
import { countOf, useList, type ListPart, type ListSource } from '../../data/useList.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';

/** A record that refers to a connection. */
interface Use {
  id: string;
  kind: 'Policy' | 'Data model' | 'Semantic domain';
  name: string;
  to: string;
}

interface Scope {
  projectId: string;
  connectionId: string;
  isAdmin: boolean;
}

type Read = (api: Api, place: { cursor?: string }, signal: AbortSignal) => Promise<ListPart<Use>>;

const PART = 100;
/** The template of each domain is a request of its own. */
const DOMAINS = 10;

function readsOf({ projectId, connectionId, isAdmin }: Scope): readonly Read[] {
  const policies: Read = async (api, place, signal) => {
    const input = { projectId, connectionId, limit: PART, ...place };
    const { data, nextCursor } = await api.listPolicyDefinitions(input, { signal });
    const items = data.map(({ definition: { id, name } }) => {
      return { id, kind: 'Policy' as const, name, to: `/policies/definitions/${id}` };
    });
    return { items, next: nextCursor };
  };
  const models: Read = async (api, place, signal) => {
    const { datamodels, nextCursor } = await api.listDatamodels({ limit: PART, ...place }, { signal });
    const items = datamodels
      .filter((model) => model.connectionId === connectionId)
      .map(({ id, name }) => ({ id, kind: 'Data model' as const, name, to: `/datamodels/${id}` }));
    return { items, next: nextCursor };
  };
  const domains: Read = async (api, place, signal) => {
    const page = await api.listDomains({ limit: DOMAINS, ...place }, { signal });
    const read = page.domains.map(({ id }) => api.getDomainTemplate({ domainId: id }, { signal }));
    const items = (await Promise.all(read))
      .filter(({ template }) => template.datasets.some((dataset) => dataset.connectionId === connectionId))
      .map(({ domain: { id, name } }) => {
        return { id, kind: 'Semantic domain' as const, name, to: `/domains/${id}` };
      });
    return { items, next: page.nextCursor };
  };
  return isAdmin ? [policies, models, domains] : [models, domains];
}

/** The uses of a connection, one kind after the other: the place of a part is the kind and its cursor. */
function usesOf(scope: Scope): ListSource<Use> {
  const reads = readsOf(scope);
  return {
    key: ['definitions', 'uses', scope.projectId, scope.connectionId, scope.isAdmin],
    load: async (api, next, signal) => {
      const [index = '0', ...rest] = (next ?? '0').split(' ');
      const kind = Number(index);
      const cursor = rest.join(' ');
      const part = await reads[kind]?.(api, cursor === '' ? {} : { cursor }, signal);
      if (part === undefined) return { items: [], next: null };
      if (part.next !== null) return { items: part.items, next: `${kind} ${part.next}` };
      return { items: part.items, next: kind + 1 < reads.length ? String(kind + 1) : null };
    },
  };
}

const columns: readonly Column<Use>[] = [
  {
    id: 'name',
    header: 'Name',
    text: ({ name }) => name,
    render: ({ to, name }) => <NameLink to={to} name={name} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    width: '10rem',
    text: ({ kind }) => kind,
    render: ({ kind }) => <Badge color="gray">{kind}</Badge>,
  },
];

/** What refers to a connection, and prevents its deletion. */
export function ConnectionUses({ connectionId }: { connectionId: string }) {
  const { project } = useSession();
  const isAdmin = useHasRole('ADMIN');
  const source = usesOf({ projectId: project.id, connectionId, isAdmin });
  const list = useList(source);
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName={`uses-${connectionId}`} />}
      />
      <RecordTable
        label="Uses of the connection"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <EmptyState icon="connection" title={list.hasMore ? 'Searching' : 'Not used'}>
            Policies, data models and semantic domains that refer to this connection appear here. Dashboards
            use it through them, or directly.
          </EmptyState>
        }
      />
    </>
  );
}
