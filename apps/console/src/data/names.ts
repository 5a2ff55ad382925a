import { useQueries } from '@tanstack/react-query';
import { useSession } from '../session/SessionContext.js';
import { useApi, type Api } from './api.js';

/** A person or a tenant as it is shown beside other records. */
export interface Named {
  name: string;
  /** The e-mail address of a person. */
  email?: string;
  createdAt?: string;
}
type Kind = 'people' | 'tenants';

/** The most ids of one request. */
const IDS_MAX = 100;
/** How long ids are gathered: the cells of a table are drawn one after the other. */
const GATHER_MS = 10;
const STALE_MS = 5 * 60_000;

async function readNames(kind: Kind, api: Api, idList: readonly string[]): Promise<Map<string, Named>> {
  const input = { ids: idList.join(','), limit: IDS_MAX };
  const found = kind === 'people' ? (await api.listUnifiedUsers(input)).users : await readTenants(api, input);
  return new Map(found.map((each) => [each.id, each]));
}

async function readTenants(api: Api, input: { ids: string; limit: number }) {
  return (await api.listTenants(input)).tenants;
}

/** Reads the names of people that `known` lacks, and adds them to it. */
export async function addPersonNames(
  known: Map<string, string>,
  ids: readonly string[],
  api: Api,
): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => !known.has(id));
  for (let start = 0; start < missing.length; start += IDS_MAX) {
    const part = missing.slice(start, start + IDS_MAX);
    const found = await readNames('people', api, part);
    for (const id of part) known.set(id, found.get(id)?.name ?? id);
  }
}

interface Batch {
  ids: Set<string>;
  found: Promise<Map<string, Named>>;
}

/** Returns a function that looks a name up, with those that are looked up at the same time in one request. */
function createLookup(kind: Kind): (api: Api, id: string) => Promise<Named | null> {
  const gathering = new WeakMap<Api, Batch>();
  const begin = (api: Api): Batch => {
    const ids = new Set<string>();
    const found = new Promise((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      if (gathering.get(api)?.ids === ids) gathering.delete(api);
      return readNames(kind, api, [...ids]);
    });
    const batch = { ids, found };
    gathering.set(api, batch);
    return batch;
  };
  return async (api, id) => {
    const current = gathering.get(api);
    const batch = current === undefined || current.ids.size >= IDS_MAX ? begin(api) : current;
    batch.ids.add(id);
    return (await batch.found).get(id) ?? null;
  };
}

const lookups = { people: createLookup('people'), tenants: createLookup('tenants') };

/** The names of the people or tenants with these ids, as far as they are there and may be seen. */
export function useNames(kind: Kind, ids: readonly string[]): ReadonlyMap<string, Named> {
  return useLookedUp(kind, ids).names;
}

function useLookedUp(kind: Kind, ids: readonly string[]) {
  const api = useApi();
  const { project } = useSession();
  const distinct = [...new Set(ids)];
  const found = useQueries({
    queries: distinct.map((id) => ({
      queryKey: ['names', project.id, kind, id],
      queryFn: () => lookups[kind](api, id),
      staleTime: STALE_MS,
    })),
  });
  const names: ReadonlyMap<string, Named> = new Map(
    distinct.flatMap((id, index) => {
      const named = found[index]?.data;
      return named ? [[id, named] as const] : [];
    }),
  );
  return { names, isSettled: found.every(({ data }) => data !== undefined) };
}

/** What stands for people whom a tenant user may not see: the API reveals only their ids. */
const OUTSIDE: Named = { name: 'Outside your tenant' };

/** A person by the id, which stands for the name if there is none, except for tenant users. */
export function usePerson(id: string): Named {
  const { user } = useSession();
  const { names, isSettled } = useLookedUp('people', [id]);
  return names.get(id) ?? (isSettled && user.kind === 'tenantUser' ? OUTSIDE : { name: id });
}

/** The name of a person, or the id while the name is not there; an empty text without an id. */
export function usePersonName(id: string | null | undefined): string {
  const names = useNames('people', typeof id === 'string' ? [id] : []);
  return names.get(id ?? '')?.name ?? id ?? '';
}
