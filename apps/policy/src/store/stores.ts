import type { Db } from 'mongodb';
import { AssignmentStore } from './assignments.js';
import { DefinitionStore } from './definitions.js';
import { TestStore } from './tests.js';

/** Everything that the policy service keeps. */
export function createStores(database: Db) {
  return {
    definitions: new DefinitionStore(database),
    assignments: new AssignmentStore(database),
    tests: new TestStore(database),
  };
}
export type Stores = ReturnType<typeof createStores>;
