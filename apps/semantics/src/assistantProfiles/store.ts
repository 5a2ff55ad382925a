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
}
