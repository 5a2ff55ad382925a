import {
  createIndexes as createMissingIndexes,
  type LimitsOf,
  OUTBOX_INDEX,
  type ShardKey,
  usageIndex,
} from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import { AssignmentStore } from '../assignments/store.js';
import { DefinitionStore } from '../definitions/store.js';
import { TestStore } from '../policyTests/store.js';
import { CompilationStore } from '../statements/store.js';

/** The stores of the policy service. */
export function createStores(database: Db, limitsOf: LimitsOf) {
  return {
    definitions: new DefinitionStore(database, limitsOf),
    assignments: new AssignmentStore(database, limitsOf),
    tests: new TestStore(database, limitsOf),
    compilations: new CompilationStore(database),
  };
}
export type Stores = ReturnType<typeof createStores>;

/** A unique index on live records only: deleting a record frees its key. */
function unique(name: string, key: Record<string, 1>): IndexDescription {
  return { name, key, unique: true, partialFilterExpression: { version: { $exists: true } } };
}

const INDEXES: Record<string, IndexDescription[]> = {
  definitions: [
    OUTBOX_INDEX,
    usageIndex(),
    { name: 'byName', key: { projectId: 1, nameFolded: 1, _id: 1 } },
    { name: 'byConnection', key: { projectId: 1, connectionId: 1, nameFolded: 1, _id: 1 } },
    unique('name', { projectId: 1, connectionId: 1, name: 1 }),
  ],
  assignments: [
    OUTBOX_INDEX,
    usageIndex(),
    { name: 'byAge', key: { projectId: 1, createdAt: 1, _id: 1 } },
    { name: 'candidates', key: { projectId: 1, connectionId: 1, actorKey: 1 } },
    { name: 'byActor', key: { organizationId: 1, actorKey: 1 } },
    unique('actor', { projectId: 1, definitionId: 1, actorKey: 1 }),
    { name: 'byDefinition', key: { projectId: 1, definitionId: 1, createdAt: 1, _id: 1 } },
  ],
  tests: [
    OUTBOX_INDEX,
    usageIndex(),
    { name: 'byDefinition', key: { projectId: 1, definitionId: 1, nameFolded: 1, _id: 1 } },
  ],
  compilations: [OUTBOX_INDEX],
};

/** Unique indexes begin with the project, so that one shard has all of its documents. */
const byProject: ShardKey = { projectId: 1 };

export const SHARD_KEYS: Readonly<Record<string, ShardKey>> = {
  definitions: byProject,
  assignments: byProject,
  tests: byProject,
  compilations: { projectId: 1, _id: 1 },
};

/** The collections. Each document carries its unsent events. */
export const COLLECTIONS = Object.keys(INDEXES);

/** Creates all missing indexes. */
export function createIndexes(database: Db): Promise<void> {
  return createMissingIndexes(database, INDEXES);
}
