import type { LimitsOf } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { DefinitionDocument } from '../store/documents.js';
import { ProjectRecordStore } from '../store/recordStore.js';

export class DefinitionStore extends ProjectRecordStore<DefinitionDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'definitions',
      quota: 'policy definitions',
      longFields: ['configs'],
    });
  }

  /** All definitions of the project, by name. */
  list(projectId: string): Promise<DefinitionDocument[]> {
    return this.findMany(projectId, {}, { sort: { nameFolded: 1, _id: 1 } });
  }

  /** The definitions of a connection, by name. */
  listOfConnection(projectId: string, connectionId: string, limit = 0): Promise<DefinitionDocument[]> {
    return this.findMany(projectId, { connectionId }, { sort: { nameFolded: 1, _id: 1 }, limit });
  }

  /** Whether the connection has any definition, assigned or not. */
  async hasAnyOf(projectId: string, connectionId: string): Promise<boolean> {
    const found = await this.findOne(projectId, { connectionId }, { _id: 1 });
    return found !== null;
  }
}
