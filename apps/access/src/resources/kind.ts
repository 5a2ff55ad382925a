import type {
  AccessLevel,
  Dashboard,
  DashboardSummary,
  JsonObject,
  ResourceType,
  Visual,
  VisualSummary,
} from '@gatehouse/contract';
import { permissionsOf } from '../decisions/logic/access.js';
import { createKeyedMutex, type ChangeableKind } from './changeResource.js';
import type { ResourceHeader, SeenResource } from './store/document.js';
import type { AccessStores, ResourceStore } from './store/openStores.js';

export type { ListedParts, ResourceChange, ResourceHeader, SeenResource } from './store/document.js';
export type { NeededShares } from './store/headers.js';
export type { CreationPosition } from './store/reads.js';
export type { ResourceWrite } from './store/writes.js';

/** The differences between dashboards and visuals. Everything else is one implementation for both. */
export interface ResourceKind<Summary = unknown, Full = unknown> extends ChangeableKind {
  type: ResourceType;
  /** The first word of a message. */
  noun: 'Dashboard' | 'Visual';
  /** The body's field in the public record. */
  bodyField: 'template' | 'frameObject';
  store: ResourceStore;
  links: AccessStores['links'];
  /** The kind that bodies of this kind link, and that their readers may therefore view. */
  linkedKind: ResourceKind | null;
  toSummary(resource: SeenResource | ResourceHeader, level: AccessLevel | null): Summary;
  /** Converts a resource that was read with its body. */
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

/** Creates the two kinds on their stores. */
export function createResourceKinds({ dashboards, visuals, links }: AccessStores): ResourceKinds {
  const visualKind: ResourceKinds['visuals'] = {
    type: 'visual',
    noun: 'Visual',
    bodyField: 'frameObject',
    store: visuals,
    mutex: createKeyedMutex(),
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
      mutex: createKeyedMutex(),
      links,
      linkedKind: visualKind,
      toSummary: dashboardSummaryOf,
      toRecord: (resource, level) => ({ ...dashboardSummaryOf(resource, level), template: bodyOf(resource) }),
    },
  };
}
