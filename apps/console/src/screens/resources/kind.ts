import type { Dashboard, DashboardSummary, Visual, VisualSummary } from '@gatehouse/contract';
import type { Api } from '../../data/api.js';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource, type Versioned } from '../../data/useRecord.js';
import type { UrlState } from '../../data/urlState.js';

export type Summary = DashboardSummary | VisualSummary;
export type Resource = Dashboard | Visual;

/** The id of a record and the fields to change. */
type Change = { id: string } & Record<string, unknown>;

/** What dashboards and visuals have in common, and how their requests differ. */
export interface Kind {
  kind: 'dashboard' | 'visual';
  noun: string;
  plural: string;
  path: string;
  icon: 'dashboard' | 'visual';
  /** The field of the content. */
  content: 'template' | 'frameObject';
  list(filters: UrlState): ListSource<Summary>;
  record(id: string): RecordSource<Resource>;
  create(api: Api, values: Record<string, unknown>): Promise<{ record: Resource; secret: string | null }>;
  update(api: Api, change: Change, ifMatch: string | undefined): Promise<Versioned<Resource>>;
  remove(api: Api, id: string): Promise<unknown>;
  duplicate(api: Api, id: string, title?: string): Promise<{ record: Resource; secret: string | null }>;
  takeOwnership(api: Api, id: string): Promise<unknown>;
}

/** The number of records in one part of a list. */
const PART = 100;

/** The parameters of a list by the filters in the address. */
function listInput(
  { search, visibility, by, tag, tenant, sort, order, scope }: UrlState,
  cursor: string | undefined,
) {
  return {
    limit: PART,
    includeTotal: cursor === undefined,
    cursor,
    search: search || undefined,
    ...(visibility ? { isPrivate: visibility === 'private' } : {}),
    createdBy: by || undefined,
    tag: tag || undefined,
    tenantId: tenant || undefined,
    ...(sort ? { sort: sort as 'title' } : {}),
    ...(order ? { order: order as 'asc' } : {}),
    ...(scope === 'organization' ? { scope: 'organization' as const } : {}),
  };
}

const FILTERS = ['search', 'visibility', 'by', 'tag', 'tenant', 'sort', 'order', 'scope'] as const;
const keyOf = (filters: UrlState) => FILTERS.map((name) => filters[name] ?? '');

export const dashboards: Kind = {
  kind: 'dashboard',
  noun: 'dashboard',
  plural: 'Dashboards',
  path: '/dashboards',
  icon: 'dashboard',
  content: 'template',
  list: (filters) => ({
    key: ['dashboards', ...keyOf(filters)],
    load: async (api, cursor, signal) => {
      const page = await api.listDashboards(listInput(filters, cursor), { signal });
      return byCursor<Summary>(page.dashboards, page.nextCursor, page);
    },
  }),
  record: (id) => ({
    key: ['dashboards', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getDashboard({ id }, { signal }), ({ dashboard }) => dashboard),
  }),
  create: async (api, values) => {
    const { dashboard } = await api.createDashboard(values as { title: string });
    return { record: dashboard, secret: dashboard.secret };
  },
  update: async (api, change, ifMatch) =>
    versioned(await api.withResponse.updateDashboard(change, { ifMatch }), ({ dashboard }) => dashboard),
  remove: (api, id) => api.deleteDashboard({ id }),
  duplicate: async (api, id, title) => {
    const { dashboard } = await api.duplicateDashboard({ id, title: title || undefined });
    return { record: dashboard, secret: dashboard.secret };
  },
  takeOwnership: (api, id) => api.takeDashboardOwnership({ id }),
};

export const visuals: Kind = {
  kind: 'visual',
  noun: 'visual',
  plural: 'Visuals',
  path: '/visuals',
  icon: 'visual',
  content: 'frameObject',
  list: (filters) => ({
    key: ['visuals', ...keyOf(filters)],
    load: async (api, cursor, signal) => {
      const page = await api.listVisuals(listInput(filters, cursor), { signal });
      return byCursor<Summary>(page.visuals, page.nextCursor, page);
    },
  }),
  record: (id) => ({
    key: ['visuals', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getVisual({ id }, { signal }), ({ visual }) => visual),
  }),
  create: async (api, values) => {
    const { visual } = await api.createVisual(values as { title: string });
    return { record: visual, secret: null };
  },
  update: async (api, change, ifMatch) =>
    versioned(await api.withResponse.updateVisual(change, { ifMatch }), ({ visual }) => visual),
  remove: (api, id) => api.deleteVisual({ id }),
  duplicate: async (api, id, title) => {
    const { visual } = await api.duplicateVisual({ id, title: title || undefined });
    return { record: visual, secret: null };
  },
  takeOwnership: (api, id) => api.takeVisualOwnership({ id }),
};
