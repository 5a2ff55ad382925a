import type {
  AccessLevel,
  Dashboard,
  DashboardSummary,
  JsonObject,
  ResourceType,
  Visual,
  VisualSummary,
} from '@gatehouse/contract';
import { permissionsOf } from '../logic/roleCeiling.js';
import { createHeaderCache, type HeaderCache } from '../store/headerCache.js';
import type { DashboardLinks } from '../store/dashboardLinks.js';
import type { ResourceHeader, SeenResource } from '../store/resourceDocument.js';
import type { AccessStores, ResourceStore } from '../store/resourceStore.js';
import { createTurns, type Turns } from './turns.js';

/** All that tells dashboards and visuals apart: the rest is one implementation. */
export interface ResourceKind<Summary = unknown, Full = unknown> {
  type: ResourceType;
  /** As it begins a message. */
  noun: 'Dashboard' | 'Visual';
  /** What the record calls its body. */
  bodyField: 'template' | 'frameObject';
  store: ResourceStore;
  headers: HeaderCache;
  /** Of changes of the same resource. */
  turns: Turns;
  links: DashboardLinks;
  /** The kind that bodies of this kind link, and thereby let their readers view. */
  linkedKind: ResourceKind | null;
  toSummary(resource: SeenResource | ResourceHeader, level: AccessLevel | null): Summary;
  /** Of a resource that was read with its body. */
  toRecord(resource: SeenResource | ResourceHeader, level: AccessLevel | null): Full;
}

export interface ResourceKinds {
  dashboards: ResourceKind<DashboardSummary, Dashboard>;
  visuals: ResourceKind<VisualSummary, Visual>;
}

function summaryOf(resource: SeenResource | ResourceHeader, level: AccessLevel | null): VisualSummary {
  return {
    id: resource._id,
    title: resource.title,
    description: resource.description,
    projectId: resource.projectId,
    tenantId: resource.tenantId,
    isPrivate: resource.isPrivate,
    tags: resource.tags,
    version: resource.version,
    ownerId: resource.ownerId,
    ownerType: resource.ownerType,
    createdBy: resource.createdBy,
    createdAt: resource.createdAt.toISOString(),
    updatedAt: resource.updatedAt.toISOString(),
    permissions: permissionsOf(level),
    accessLevel: level,
  };
}

function bodyOf({ body }: SeenResource | ResourceHeader): JsonObject | null {
  if (body === undefined) throw new Error('The resource was read without its body');
  return body === null ? null : (JSON.parse(body) as JsonObject);
}

function dashboardSummaryOf(
  resource: SeenResource | ResourceHeader,
  level: AccessLevel | null,
): DashboardSummary {
  return Object.assign(summaryOf(resource, level), { isDataApp: resource.isDataApp ?? false });
}

/** The two kinds over their stores. */
export function createResourceKinds({ dashboards, visuals, links }: AccessStores): ResourceKinds {
  const visualKind: ResourceKinds['visuals'] = {
    type: 'visual',
    noun: 'Visual',
    bodyField: 'frameObject',
    store: visuals,
    headers: createHeaderCache(),
    turns: createTurns(),
    links,
    linkedKind: null,
    toSummary: summaryOf,
    toRecord: (resource, level) => ({ ...summaryOf(resource, level), frameObject: bodyOf(resource) }),
  };
  return {
    visuals: visualKind,
    dashboards: {
      type: 'dashboard',
      noun: 'Dashboard',
      bodyField: 'template',
      store: dashboards,
      headers: createHeaderCache(),
      turns: createTurns(),
      links,
      linkedKind: visualKind,
      toSummary: dashboardSummaryOf,
      toRecord: (resource, level) => ({ ...dashboardSummaryOf(resource, level), template: bodyOf(resource) }),
    },
  };
}
