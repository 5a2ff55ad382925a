import { useQuery } from '@tanstack/react-query';
import { useSession } from '../session/SessionContext.js';
import { useApi, type Api } from './api.js';

/** A person as it is shown beside other records. */
export interface Person {
  name: string;
  email: string;
  tenantName: string | null;
}

const PART = 1000;
/** Beyond these, an id is shown in place of a name: the API has no lookup of names by id. */
const PEOPLE_MAX = 10_000;
const STALE_MS = 5 * 60_000;

async function readPeople(api: Api, signal: AbortSignal): Promise<ReadonlyMap<string, Person>> {
  const people = new Map<string, Person>();
  let cursor: string | undefined;
  do {
    const { users, nextCursor } = await api.listUnifiedUsers({ limit: PART, cursor }, { signal });
    for (const { id, name, email, tenantName } of users) people.set(id, { name, email, tenantName });
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && people.size < PEOPLE_MAX);
  return people;
}

/** The names of people by id, read once for all lists; undefined until they are there. */
export function usePeople(): ReadonlyMap<string, Person> | undefined {
  const api = useApi();
  const { project } = useSession();
  const { data } = useQuery({
    queryKey: ['people', project.id, 'names'],
    queryFn: ({ signal }) => readPeople(api, signal),
    staleTime: STALE_MS,
  });
  return data;
}
