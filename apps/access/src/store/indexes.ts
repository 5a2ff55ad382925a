import { OUTBOX_INDEX } from '@gatehouse/service';
import type { Collection, IndexDescription } from 'mongodb';
import type { ResourceDocument } from './resourceDocument.js';

/** By what lists are sorted: the name in the contract, and the field that the index holds. */
export const SORT_FIELDS = { updatedAt: 'updatedAt', createdAt: 'createdAt', title: 'titleFolded' } as const;
export type SortName = keyof typeof SORT_FIELDS;
export const SORT_NAMES: readonly SortName[] = ['updatedAt', 'createdAt', 'title'];

/** The index that finds what some readers may reach, or everything in a project, already sorted. */
export function listIndexName(sort: SortName, isForReaders: boolean): string {
  return isForReaders ? `readers_${sort}` : `project_${sort}`;
}

const DIRECTION: Record<SortName, 1 | -1> = { updatedAt: -1, createdAt: -1, title: 1 };

const listIndexes = SORT_NAMES.flatMap((sort): IndexDescription[] => {
  const order = { [SORT_FIELDS[sort]]: DIRECTION[sort], _id: DIRECTION[sort] };
  return [
    { key: { projectId: 1, readers: 1, ...order }, name: listIndexName(sort, true) },
    { key: { projectId: 1, ...order }, name: listIndexName(sort, false) },
  ];
});

export const ORGANIZATION_READERS_INDEX = 'organization_readers';
export const EXPIRY_INDEX = 'next_expiry';

const RESOURCE_INDEXES: IndexDescription[] = [
  ...listIndexes,
  { key: { organizationId: 1, readers: 1, _id: 1 }, name: ORGANIZATION_READERS_INDEX },
  { key: { nextExpiryAt: 1 }, name: EXPIRY_INDEX, sparse: true },
  { key: { undoneAt: 1 }, name: 'undone_copies', sparse: true },
  OUTBOX_INDEX,
];

/** A project's dashboards by id, with what tells whose they are, so that those of one tenant are found and counted by it. */
export const CONTENTS_INDEX = 'project_contents';

const hasLinks = { linkedVisualIds: { $exists: true } };
/** Only dashboards link visuals, and only they are read all. */
const DASHBOARD_INDEXES: IndexDescription[] = [
  { key: { projectId: 1, _id: 1, ownerType: 1, tenantId: 1 }, name: CONTENTS_INDEX },
  { key: { projectId: 1, linkedVisualIds: 1 }, name: 'links', partialFilterExpression: hasLinks },
  { key: { projectId: 1, readers: 1 }, name: 'readers_of_links', partialFilterExpression: hasLinks },
];

/** Creates what is missing; what exists stays. */
export async function createResourceIndexes(collection: Collection<ResourceDocument>): Promise<void> {
  await collection.createIndexes(RESOURCE_INDEXES);
}

/** As {@link createResourceIndexes}, for what only dashboards have. */
export async function createDashboardIndexes(collection: Collection<ResourceDocument>): Promise<void> {
  await collection.createIndexes(DASHBOARD_INDEXES);
}
