import type { Db } from 'mongodb';
import type { AssistantProfileDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

export class AssistantProfileStore extends RecordStore<AssistantProfileDocument> {
  constructor(database: Db) {
    super(database, 'assistantProfiles');
  }
}
