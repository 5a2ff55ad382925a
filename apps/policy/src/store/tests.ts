import type { Db } from 'mongodb';
import type { TestDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

export class TestStore extends RecordStore<TestDocument> {
  constructor(database: Db) {
    super(database, 'tests');
  }

  /** The tests of a definition, by name. */
  listOfDefinition(projectId: string, definitionId: string): Promise<TestDocument[]> {
    return this.listLive({ projectId, definitionId }, { sort: { nameFolded: 1, _id: 1 } });
  }

  countOfDefinition(projectId: string, definitionId: string): Promise<number> {
    return this.collection.countDocuments(this.filterOf({ projectId, definitionId }));
  }
}
