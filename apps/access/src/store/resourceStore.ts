import type { ResourceType } from '@gatehouse/contract';
import type { Collection, Db } from 'mongodb';
import { createCopyStore } from './copies.js';
import { createDashboardLinks } from './dashboardLinks.js';
import { createDashboardIndexes, createResourceIndexes } from './indexes.js';
import { createOrganizationReads } from './organizationReads.js';
import { createPlatformReads } from './platformReads.js';
import { createResourceContents } from './resourceContents.js';
import type { ResourceDocument } from './resourceDocument.js';
import { createResourceLists } from './resourceLists.js';
import { createResourceReads } from './resourceReads.js';
import { createResourceWrites } from './resourceWrites.js';

/** The collection of each type. */
export const COLLECTIONS: Record<ResourceType, string> = { dashboard: 'dashboards', visual: 'visuals' };

function createStore(collection: Collection<ResourceDocument>, type: ResourceType) {
  return {
    ...createResourceReads(collection),
    ...createOrganizationReads(collection),
    ...createResourceLists(collection),
    ...createResourceContents(collection),
    ...createResourceWrites(collection, type),
    copies: createCopyStore(collection),
    platform: createPlatformReads(collection),
  };
}
/** The resources of one type. Every function takes the project's or organization's id first, save those of the platform. */
export type ResourceStore = ReturnType<typeof createStore>;

export interface AccessStores {
  dashboards: ResourceStore;
  visuals: ResourceStore;
  links: ReturnType<typeof createDashboardLinks>;
}

/** Opens the stores and creates the indexes that are missing. */
export async function openAccessStores(database: Db): Promise<AccessStores> {
  const dashboards = database.collection<ResourceDocument>(COLLECTIONS.dashboard);
  const visuals = database.collection<ResourceDocument>(COLLECTIONS.visual);
  await Promise.all([createResourceIndexes(dashboards), createResourceIndexes(visuals)]);
  await createDashboardIndexes(dashboards);
  return {
    dashboards: createStore(dashboards, 'dashboard'),
    visuals: createStore(visuals, 'visual'),
    links: createDashboardLinks(dashboards),
  };
}
