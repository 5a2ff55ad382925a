import type { LimitsOf } from '@gatehouse/service';
import type { Db } from 'mongodb';
import { ProjectRecordStore, type RecordDocument } from '../records/store.js';

export interface AssistantProfileDocument extends RecordDocument {
  description: string;
  instructions: string;
}

export class AssistantProfileStore extends ProjectRecordStore<AssistantProfileDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'assistantProfiles',
      quota: 'assistant profiles',
      longFields: ['instructions'],
    });
  }

  /** The ids and names of the profiles of the project, by name. Their instructions may be long. */
  listNames(projectId: string): Promise<Pick<AssistantProfileDocument, '_id' | 'name'>[]> {
    return this.listByName(projectId, {}, { name: 1 });
  }
}
