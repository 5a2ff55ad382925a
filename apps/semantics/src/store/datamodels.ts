import type { Db } from 'mongodb';
import type { WholeDataModel, DataModelDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

export class DataModelStore extends RecordStore<WholeDataModel, DataModelDocument> {
  constructor(database: Db) {
    super(database, 'datamodels');
  }

  /** All data models of the project with their templates, by name. */
  listWhole(projectId: string): Promise<WholeDataModel[]> {
    return this.listLive(projectId, {});
  }

  /** Up to `limit` data models of a connection. */
  async listByConnection(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<DataModelDocument[]> {
    const projection = this.listProjection;
    const filter = this.filterOf(projectId, { connectionId });
    return this.collection.find(filter, { projection, limit }).toArray();
  }
}
