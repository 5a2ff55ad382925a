import type { Db } from 'mongodb';
import type { DefinitionDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

export class DefinitionStore extends RecordStore<DefinitionDocument> {
  constructor(database: Db) {
    super(database, 'definitions');
  }

  /** All definitions of the project, by name. */
  list(projectId: string): Promise<DefinitionDocument[]> {
    return this.listLive({ projectId }, { sort: { nameFolded: 1, _id: 1 } });
  }

  /** The definitions of a connection, by name. */
  listOfConnection(projectId: string, connectionId: string, limit = 0): Promise<DefinitionDocument[]> {
    return this.listLive({ projectId, connectionId }, { sort: { nameFolded: 1, _id: 1 }, limit });
  }

  /** True when any definition governs the connection, assigned or not. */
  async hasAnyOf(projectId: string, connectionId: string): Promise<boolean> {
    const found = await this.collection.findOne(this.filterOf({ projectId, connectionId }), {
      projection: { _id: 1 },
    });
    return found !== null;
  }
}
