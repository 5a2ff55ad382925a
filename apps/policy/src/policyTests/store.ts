import type { LimitsOf, ListSlice, Slice } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { TestDocument, TestHead } from '../store/documents.js';
import { ProjectRecordStore } from '../store/recordStore.js';

export class TestStore extends ProjectRecordStore<TestDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'tests',
      quota: 'policy tests',
      longFields: ['sql', 'runtimeParams', 'sampleData', 'expectation'],
    });
  }

  /** The ids and names of the tests of a definition, by name. */
  listHeads(projectId: string, definitionId: string): Promise<TestHead[]> {
    const read = { projection: { name: 1 }, sort: { nameFolded: 1, _id: 1 } as const };
    return this.findMany(projectId, { definitionId }, read);
  }

  /** A part of the tests of a definition, by name. */
  list(projectId: string, definitionId: string, slice: ListSlice): Promise<Slice<TestDocument>> {
    return this.findSlice(projectId, { definitionId }, { by: 'nameFolded', ...slice });
  }

  countOfDefinition(projectId: string, definitionId: string): Promise<number> {
    return this.countMatching(projectId, { definitionId });
  }
}
