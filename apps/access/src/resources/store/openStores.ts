import type { QuotaName, ResourceType } from '@gatehouse/contract';
import {
  countStored,
  createIndexes,
  OUTBOX_INDEX,
  PlatformCollection,
  Quota,
  ScopedCollection,
  TERMS,
  UndoneMarks,
  usageIndex,
  type LimitsOf,
  type ShardKey,
  type UsageScope,
} from '@gatehouse/service';
import type { Db } from 'mongodb';
import { cacheHeaders } from './changes.js';
import { CONTENTS_INDEX, createResourceContents } from './contents.js';
import { createCopyStore, MARK_INDEX } from './copies.js';
import type { ResourceDocument } from './document.js';
import { createDashboardLinks, LINK_INDEXES } from './links.js';
import { createOrganizationReads } from './organizationReads.js';
import { createPlatformReads, createResourceReads, READ_INDEXES } from './reads.js';
import { LIST_INDEXES } from './lists.js';
import { createResourceLists } from './pages.js';
import { createSeenReads } from './seen.js';
import { createHeaderReads } from './headers.js';
import { createShareParts, PART_COLLECTIONS, PART_INDEXES } from './shareParts.js';
import { createUserShares } from './userShares.js';
import { createResourceWrites } from './writes.js';

/** The collection of each type. */
export const COLLECTIONS: Record<ResourceType, string> = { dashboard: 'dashboards', visual: 'visuals' };

/** A project may have many: its resources are distributed by their ids. */
const BY_PROJECT_AND_ID: ShardKey = { projectId: 1, _id: 1 };
export const SHARD_KEYS = {
  [COLLECTIONS.dashboard]: BY_PROJECT_AND_ID,
  [COLLECTIONS.visual]: BY_PROJECT_AND_ID,
  [PART_COLLECTIONS.dashboard]: BY_PROJECT_AND_ID,
  [PART_COLLECTIONS.visual]: BY_PROJECT_AND_ID,
};

const INDEXES = [...LIST_INDEXES, TERMS, ...READ_INDEXES, MARK_INDEX, OUTBOX_INDEX, usageIndex('tenantId')];
const DASHBOARD_INDEXES = [...INDEXES, CONTENTS_INDEX, ...LINK_INDEXES];

const QUOTAS: Record<ResourceType, QuotaName> = { dashboard: 'dashboards', visual: 'visuals' };

const openOfProject = (database: Db, type: ResourceType) =>
  new ScopedCollection<ResourceDocument>(database, { collection: COLLECTIONS[type], scope: 'projectId' });

function createStore(database: Db, type: ResourceType, limitsOf: LimitsOf) {
  const name = QUOTAS[type];
  const collection = COLLECTIONS[type];
  const resources = openOfProject(database, type);
  const ofOrganization = new ScopedCollection<ResourceDocument>(database, {
    collection,
    scope: 'organizationId',
  });
  const platform = new PlatformCollection<ResourceDocument>(database, collection);
  const count = (scope: UsageScope) => countStored(ofOrganization, scope);
  const quota = new Quota({ name, limits: limitsOf(name), count });
  const parts = createShareParts(database, type);
  const stores = { resources, parts };
  return {
    ...createSeenReads(stores),
    ...createResourceReads(stores),
    ...createOrganizationReads({ ofOrganization, stores }),
    ...createResourceLists(stores),
    ...createResourceContents(stores),
    ...createUserShares(stores),
    ...cacheHeaders({
      ...createHeaderReads(stores),
      ...createResourceWrites({ resources, parts, type, quota }),
    }),
    copies: createCopyStore(stores, new UndoneMarks(database, collection)),
    platform: createPlatformReads(platform, stores),
  };
}

/**
 * The resources of one type. Every function takes the id of the project or organization first, except in
 * `platform`.
 */
export type ResourceStore = ReturnType<typeof createStore>;

export interface AccessStores {
  dashboards: ResourceStore;
  visuals: ResourceStore;
  links: ReturnType<typeof createDashboardLinks>;
}

/** Opens the stores and creates missing indexes. */
export async function openAccessStores(database: Db, limitsOf: LimitsOf): Promise<AccessStores> {
  await createIndexes(database, {
    [COLLECTIONS.dashboard]: DASHBOARD_INDEXES,
    [COLLECTIONS.visual]: INDEXES,
    [PART_COLLECTIONS.dashboard]: PART_INDEXES,
    [PART_COLLECTIONS.visual]: PART_INDEXES,
  });
  return {
    dashboards: createStore(database, 'dashboard', limitsOf),
    visuals: createStore(database, 'visual', limitsOf),
    links: createDashboardLinks({
      resources: openOfProject(database, 'dashboard'),
      parts: createShareParts(database, 'dashboard'),
    }),
  };
}
