import type { ReachedResource, Viewer } from '@gatehouse/contract';
import { experimental_streamedQuery, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, type Api } from '../../data/api.js';
import { STALE_MS } from '../../data/queries.js';
import type { ListSource } from '../../data/useList.js';
import { useSession } from '../../session/SessionContext.js';
import type { Reached, Way } from '../../logic/accessGraph.js';
import { inParts } from '../../data/inParts.js';

export type ResourceType = 'dashboard' | 'visual';

/** Beyond this many, the rest is not read, and the screen reports that. */
export const RECORDS_MAX = 5000;
/** The limit of one request for reasons: the drawing has these, the list has all. */
export const REASONS_MAX = 1000;
const NAMES_MAX = 40;

/** What was found so far. */
export interface Found<T> {
  items: readonly T[];
  /** How the search ended; null until it does, and if it broke off. */
  end: 'complete' | 'limit' | null;
}

const NONE = { items: [], end: null };

/** Collects what arrives, up to the limit. */
async function* collect<T>(source: AsyncIterable<T>): AsyncGenerator<Found<T>> {
  const items: T[] = [];
  for await (const part of inParts(source)) {
    items.push(...part);
    if (items.length > RECORDS_MAX) return yield { items: items.slice(0, RECORDS_MAX), end: 'limit' };
    yield { items: [...items], end: null };
  }
  yield { items, end: 'complete' };
}

type Open<T> = (api: Api, signal: AbortSignal) => AsyncIterable<T>;

/** A search whose records are shown while they arrive. A later one replaces them when it is complete. */
function useSearch<T>(key: readonly string[], open: Open<T>) {
  const api = useApi();
  const { project } = useSession();
  const queries = useQueryClient();
  const queryKey = ['records', project.id, 'access', ...key];
  const { data, error, isFetching } = useQuery({
    queryKey,
    queryFn: experimental_streamedQuery<Found<T>, Found<T>>({
      streamFn: ({ signal }) => collect(open(api, signal)),
      reducer: (_former, found) => found,
      initialValue: NONE,
      refetchMode: 'replace',
    }),
    // What was left while it arrived lacks the rest, however new it is.
    staleTime: ({ state }) => (state.data?.end ? STALE_MS : 0),
    structuralSharing: false,
    refetchOnWindowFocus: false,
  });
  return {
    found: data ?? NONE,
    /** Whether more may arrive. */
    isReading: isFetching && (data?.end ?? null) === null,
    error,
    retry: () => queries.resetQueries({ queryKey, exact: true }),
  };
}

/** What `useReach` and `useSubjects` return. */
export type Search<T> = ReturnType<typeof useSearch<T>>;

/** A list of all that a search finds, also beyond what is shown. */
function completeSource<T>(key: readonly string[], open: Open<T>): ListSource<T> {
  return {
    key: ['access', ...key],
    load: async (api, _cursor, signal) => {
      const items: T[] = [];
      for await (const item of open(api, signal)) items.push(item);
      return { items, next: null };
    },
  };
}

/** The moment of a request, an ISO 8601 time of the past; undefined for the present. */
export type Moment = string | undefined;

const momentOf = (at: Moment) => (at === undefined ? {} : { at });

interface ReachQuery {
  userId: string;
  type: ResourceType;
  at: Moment;
}

const keyOfReach = ({ userId, type, at = '' }: ReachQuery) => ['reach', userId, type, at];

function reachOf({ userId, type: resourceType, at }: ReachQuery): Open<ReachedResource> {
  return async function* (api, signal) {
    const input = { userId, resourceType, ...momentOf(at) };
    for await (const line of api.stream.listAccess(input, { signal }))
      if (line.type === 'resource') yield line.resource;
  };
}

/** All that a person can open, for an export. */
export const reachSource = (query: ReachQuery) => completeSource(keyOfReach(query), reachOf(query));

/** What a person can open. */
export function useReach(query: ReachQuery): Search<ReachedResource> {
  return useSearch(keyOfReach(query), reachOf(query));
}

/** The grants of the first 1,000 resources that a person can open; none are read without resources. */
export function useReasons(
  { userId, at }: Pick<ReachQuery, 'userId' | 'at'>,
  resources: readonly ReachedResource[],
) {
  const api = useApi();
  const { project } = useSession();
  const checked = resources.slice(0, REASONS_MAX);
  return useQuery({
    queryKey: ['records', project.id, 'access', 'reasons', userId, at ?? '', checked.map(({ id }) => id)],
    enabled: checked.length > 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }): Promise<Reached[]> => {
      const checks = checked.map(({ id, type }) => ({
        resourceType: type,
        resourceId: id,
        userId,
        level: 'VIEWER' as const,
      }));
      const { results } = await api.checkAccess({ checks, reasons: true, ...momentOf(at) }, { signal });
      return checked.map(({ id, title, accessLevel }, index) => {
        const result = results[index];
        const grants = result?.status === 'decided' ? (result.access?.grants ?? []) : [];
        return { id, title, level: accessLevel, grants };
      });
    },
  });
}

interface SubjectsQuery {
  resourceId: string;
  type: ResourceType;
  at: Moment;
}

const keyOfSubjects = ({ resourceId, type, at = '' }: SubjectsQuery) => ['subjects', resourceId, type, at];

function subjectsOf({ resourceId, type: resourceType, at }: SubjectsQuery): Open<Viewer> {
  return async function* (api, signal) {
    const input = { resourceId, resourceType, ...momentOf(at) };
    for await (const line of api.stream.listAccessSubjects(input, { signal }))
      if (line.type === 'subject') yield line.subject;
  };
}

/** All people who can open a resource, for an export. */
export const subjectsSource = (query: SubjectsQuery) =>
  completeSource(keyOfSubjects(query), subjectsOf(query));

/** The people who can open a resource. */
export function useSubjects(query: SubjectsQuery): Search<Viewer> {
  return useSearch(keyOfSubjects(query), subjectsOf(query));
}

/** The access of a person to a resource, now or at a moment of the past. */
export function useExplanation(userId: string, resource: { id: string; type: ResourceType }, at: Moment) {
  const api = useApi();
  const { project } = useSession();
  const { id, type } = resource;
  return useQuery({
    queryKey: ['records', project.id, 'access', 'explanation', userId, id, type, at ?? ''],
    queryFn: async ({ signal }) => {
      const input = { id, userId, ...momentOf(at) };
      if (type === 'visual') return (await api.explainVisualAccess(input, { signal })).access;
      return (await api.explainDashboardAccess(input, { signal })).access;
    },
    placeholderData: (former) => former,
  });
}

/** The title of a resource and when it was created; undefined until it is read, or if it may not be read. */
export function useResource(id: string | undefined, type: ResourceType) {
  const api = useApi();
  const { project } = useSession();
  const { data } = useQuery({
    queryKey: ['records', project.id, 'access', 'resource', id, type],
    enabled: id !== undefined,
    queryFn: async ({ signal }) => {
      const input = { id: id ?? '', fields: 'title,createdAt' };
      if (type === 'visual') return (await api.getVisual(input, { signal })).visual;
      return (await api.getDashboard(input, { signal })).dashboard;
    },
  });
  return data;
}

/** The names of the groups and dashboards among the ways, by the id of the way. */
export function useWayNames(ways: readonly Way[]): ReadonlyMap<string, string> {
  const api = useApi();
  const { project } = useSession();
  const named = ways.filter(({ recordId }) => recordId !== null).slice(0, NAMES_MAX);
  const results = useQueries({
    queries: named.map(({ recordId, kind }) => ({
      queryKey: ['records', project.id, 'access', 'name', kind, recordId],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const id = recordId ?? '';
        if (kind === 'group') return (await api.getGroup({ id, fields: 'name' }, { signal })).group.name;
        return (await api.getDashboard({ id, fields: 'title' }, { signal })).dashboard.title;
      },
    })),
  });
  const names = results.map(({ data }) => data ?? '').join('\n');
  // The array of results is a new one each time; the names seldom are.
  return useMemo(() => {
    const known = named.map(({ id }, index) => [id, results[index]?.data ?? ''] as const);
    return new Map(known.filter(([, name]) => name !== ''));
  }, [names]);
}
