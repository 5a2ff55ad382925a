import type { OperationInput } from '@gatehouse/client';
import type { ReachedResource, Viewer } from '@gatehouse/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi, type Api } from '../../data/api.js';
import { useSession } from '../../session/SessionContext.js';
import type { Reached, Way } from '../../logic/accessGraph.js';

export type ResourceType = 'dashboard' | 'visual';

/** Beyond this many, the rest is not read, and the screen reports that. */
export const RECORDS_MAX = 5000;
/** The limit of one request for reasons: the drawing has these, the list has all. */
export const REASONS_MAX = 1000;
const NAMES_MAX = 40;

/** What was found, and whether the limit ended the search. */
export interface Found<T> {
  items: T[];
  isCut: boolean;
}

async function readReach(api: Api, input: OperationInput<'listAccess'>, signal: AbortSignal) {
  const found: Found<ReachedResource> = { items: [], isCut: false };
  for await (const line of api.stream.listAccess(input, { signal })) {
    if (line.type !== 'resource') continue;
    found.isCut = found.items.length >= RECORDS_MAX;
    if (found.isCut) break;
    found.items.push(line.resource);
  }
  return found;
}

/** All that a person can open. */
export function useReach(userId: string, type: ResourceType) {
  const api = useApi();
  const { project } = useSession();
  return useQuery({
    queryKey: ['records', project.id, 'access', 'reach', userId, type],
    queryFn: ({ signal }) => readReach(api, { userId, resourceType: type }, signal),
    refetchOnWindowFocus: false,
  });
}

/** The grants of the first 1,000 resources that a person can open. */
export function useReasons(userId: string, resources: readonly ReachedResource[] | undefined) {
  const api = useApi();
  const { project } = useSession();
  const checked = resources?.slice(0, REASONS_MAX) ?? [];
  return useQuery({
    queryKey: ['records', project.id, 'access', 'reasons', userId, checked.map(({ id }) => id)],
    enabled: checked.length > 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }): Promise<Reached[]> => {
      const checks = checked.map(({ id, type }) => ({
        resourceType: type,
        resourceId: id,
        userId,
        level: 'VIEWER' as const,
      }));
      const { results } = await api.checkAccess({ checks, reasons: true }, { signal });
      return checked.map(({ id, title, accessLevel }, index) => {
        const result = results[index];
        const grants = result?.status === 'decided' ? (result.access?.grants ?? []) : [];
        return { id, title, level: accessLevel, grants };
      });
    },
  });
}

async function readSubjects(api: Api, input: OperationInput<'listAccessSubjects'>, signal: AbortSignal) {
  const found: Found<Viewer> = { items: [], isCut: false };
  for await (const line of api.stream.listAccessSubjects(input, { signal })) {
    if (line.type !== 'subject') continue;
    found.isCut = found.items.length >= RECORDS_MAX;
    if (found.isCut) break;
    found.items.push(line.subject);
  }
  return found;
}

/** All people who can open a resource. */
export function useSubjects(resourceId: string, type: ResourceType) {
  const api = useApi();
  const { project } = useSession();
  return useQuery({
    queryKey: ['records', project.id, 'access', 'subjects', resourceId, type],
    queryFn: ({ signal }) => readSubjects(api, { resourceId, resourceType: type }, signal),
    refetchOnWindowFocus: false,
  });
}

/** The access of a person to a resource, now or at a moment of the past. */
export function useExplanation(userId: string, resource: { id: string; type: ResourceType }, at?: string) {
  const api = useApi();
  const { project } = useSession();
  const { id, type } = resource;
  return useQuery({
    queryKey: ['records', project.id, 'access', 'explanation', userId, id, type, at ?? ''],
    queryFn: async ({ signal }) => {
      const input = { id, userId, ...(at === undefined ? {} : { at }) };
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
