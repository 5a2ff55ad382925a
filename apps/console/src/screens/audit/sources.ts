import type { OperationInput } from '@gatehouse/client';
import type { AuditEvent } from '@gatehouse/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import type { UrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';

const PART = 100;
const CHART_PART = 500;
/** Of how many entries the chart is drawn. */
export const CHART_MAX = 2000;

/** The filters that the address has. */
export const FILTERS = [
  'type',
  'actor',
  'outcome',
  'noun',
  'resource',
  'request',
  'from',
  'to',
  'inProject',
] as const;

/** The beginning of a day, or of the day after it, in the time zone of the browser. */
function momentOf(day: string, daysLater: number): string | undefined {
  const date = new Date(`${day}T00:00`);
  if (Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + daysLater);
  return date.toISOString();
}

/** The parameters of a request by the filters in the address. */
export function filterInput(state: UrlState, projectId: string): OperationInput<'exportAuditEvents'> {
  const { type, actor, outcome, noun, resource, request, from, to, inProject } = state;
  const begin = from === undefined ? undefined : momentOf(from, 0);
  const end = to === undefined ? undefined : momentOf(to, 1);
  return {
    ...(type ? { type } : {}),
    ...(actor ? { actorId: actor } : {}),
    ...(outcome === 'done' || outcome === 'refused' ? { outcome } : {}),
    ...(noun ? { resourceType: noun } : {}),
    ...(resource ? { resourceId: resource } : {}),
    ...(request ? { requestId: request } : {}),
    ...(begin ? { from: begin } : {}),
    ...(end ? { to: end } : {}),
    ...(inProject === 'yes' ? { projectId } : {}),
  };
}

/** The entries that match the filters, the latest first. */
export function auditSource(state: UrlState, projectId: string): ListSource<AuditEvent> {
  const input = filterInput(state, projectId);
  return {
    key: ['audit', JSON.stringify(input)],
    load: async (api, next, signal) => {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const page = await api.listAuditEvents({ ...input, ...cursor, limit: PART }, { signal });
      return byCursor(page.auditEvents, page.nextCursor);
    },
  };
}

/** An entry, found by its time: it need not be among those that a list has loaded. */
export function useEntry(id: string | undefined, time: string | undefined) {
  const api = useApi();
  const { project } = useSession();
  const begin = Date.parse(time ?? '');
  return useQuery({
    queryKey: ['records', project.id, 'audit', 'entry', id, time],
    enabled: id !== undefined && !Number.isNaN(begin),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const [from, to] = [begin, begin + 1].map((moment) => new Date(moment).toISOString());
      for await (const entry of api.items.listAuditEvents({ from, to, limit: PART }, { signal }))
        if (entry.id === id) return entry;
      return null;
    },
  });
}

/** When the latest matching entries happened, for the chart. */
export function useActivity(state: UrlState) {
  const api = useApi();
  const { project } = useSession();
  const input = filterInput(state, project.id);
  return useQuery({
    queryKey: ['records', project.id, 'audit', 'activity', JSON.stringify(input)],
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => {
      const entries: { time: string; outcome: string }[] = [];
      let cursor: string | null = null;
      do {
        const place: { cursor?: string } = cursor === null ? {} : { cursor };
        const page: Awaited<ReturnType<typeof api.listAuditEvents>> = await api.listAuditEvents(
          { ...input, ...place, limit: CHART_PART, fields: 'time,outcome' },
          { signal },
        );
        entries.push(...page.auditEvents);
        cursor = page.nextCursor;
      } while (cursor !== null && entries.length < CHART_MAX);
      return { entries, isCut: cursor !== null };
    },
  });
}
