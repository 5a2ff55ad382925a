import { OUTBOX_INDEX } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';

/** Holds for live records alone, so that what it keeps unique is free again once its record is deleted. */
function unique(name: string, key: Record<string, 1>): IndexDescription {
  return { name, key, unique: true, partialFilterExpression: { version: { $exists: true } } };
}

const INDEXES: Record<string, IndexDescription[]> = {
  definitions: [
    OUTBOX_INDEX,
    { name: 'byName', key: { projectId: 1, nameFolded: 1, _id: 1 } },
    { name: 'byConnection', key: { projectId: 1, connectionId: 1, nameFolded: 1, _id: 1 } },
    unique('name', { projectId: 1, connectionId: 1, name: 1 }),
  ],
  assignments: [
    OUTBOX_INDEX,
    { name: 'byAge', key: { projectId: 1, createdAt: 1, _id: 1 } },
    { name: 'candidates', key: { projectId: 1, connectionId: 1, actorKey: 1 } },
    { name: 'byActor', key: { organizationId: 1, actorKey: 1 } },
    unique('actor', { projectId: 1, definitionId: 1, actorKey: 1 }),
    { name: 'byDefinition', key: { projectId: 1, definitionId: 1, createdAt: 1, _id: 1 } },
  ],
  tests: [
    OUTBOX_INDEX,
    { name: 'byDefinition', key: { projectId: 1, definitionId: 1, nameFolded: 1, _id: 1 } },
  ],
};

/** The collections, each of whose documents carries its events. */
export const COLLECTIONS = Object.keys(INDEXES);

/** Makes every index that is missing. */
export async function createIndexes(database: Db): Promise<void> {
  const collections = Object.entries(INDEXES);
  await Promise.all(collections.map(([name, indexes]) => database.collection(name).createIndexes(indexes)));
}
