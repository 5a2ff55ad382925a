import type { Db, IndexDescription } from 'mongodb';

/** What entries are found by, each in the order of time. Whatever else is asked for is looked at in what these find. */
const FILTERED = ['projectId', 'actorId', 'type', 'resourceId', 'requestId', 'tokenId'] as const;

/** The order of the log; it also keeps two processes from writing the same place. */
export const SEQUENCE_INDEX = {
  name: 'sequence',
  key: { organizationId: 1, sequence: 1 },
  unique: true,
} as const satisfies IndexDescription;

const INDEXES: IndexDescription[] = [
  SEQUENCE_INDEX,
  { name: 'time', key: { organizationId: 1, time: 1, sequence: 1 } },
  ...FILTERED.map((field) => ({ name: field, key: { organizationId: 1, [field]: 1, time: 1, sequence: 1 } })),
];

/** The collection of the entries of all logs. */
export const ENTRIES = 'auditEvents';

/** Makes every index that is missing. */
export async function createEntryIndexes(database: Db): Promise<void> {
  await database.collection(ENTRIES).createIndexes(INDEXES);
}
