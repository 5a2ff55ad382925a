import { OUTBOX_INDEX } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';

const byName: IndexDescription = { name: 'byName', key: { projectId: 1, nameFolded: 1, _id: 1 } };
/** Holds for live records alone, so that a name is free again once its record is deleted. */
const uniqueName: IndexDescription = {
  name: 'name',
  key: { projectId: 1, name: 1 },
  unique: true,
  partialFilterExpression: { name: { $exists: true } },
};
/** Of the marks that undone copies leave. */
const undoneCopies: IndexDescription = { name: 'undoneCopies', key: { undoneAt: 1 }, sparse: true };
const RECORD_INDEXES = [OUTBOX_INDEX, byName, uniqueName];

const INDEXES: Record<string, IndexDescription[]> = {
  domains: [
    ...RECORD_INDEXES,
    undoneCopies,
    { name: 'byConnection', key: { projectId: 1, connectionIds: 1 } },
  ],
  datamodels: [
    ...RECORD_INDEXES,
    undoneCopies,
    { name: 'byConnection', key: { projectId: 1, connectionId: 1 } },
  ],
  assistantProfiles: RECORD_INDEXES,
  connections: RECORD_INDEXES,
};

/** The collections whose documents carry events. */
export const OUTBOXES = Object.keys(INDEXES);

/** Makes every index that is missing. */
export async function createIndexes(database: Db): Promise<void> {
  const collections = Object.entries(INDEXES);
  await Promise.all(collections.map(([name, indexes]) => database.collection(name).createIndexes(indexes)));
}
