import type { Db } from 'mongodb';
import type { DataModelDocument } from './documents.js';
import { RecordStore } from './recordStore.js';

/** A data model read with its template. */
export type WholeDataModel = DataModelDocument & { template: string };

export class DataModelStore extends RecordStore<DataModelDocument> {
  constructor(database: Db) {
    super(database, 'datamodels');
  }

  /** All data models of the project with their templates, by name. */
  async listWhole(projectId: string): Promise<WholeDataModel[]> {
    return (await this.listLive(projectId, {})) as WholeDataModel[];
  }

  /** Up to `limit` data models of a connection. */
  async listByConnection(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<DataModelDocument[]> {
    const projection = this.listProjection;
    const filter = this.filterOf(projectId, { connectionId });
    return (await this.collection.find(filter, { projection, limit }).toArray()) as DataModelDocument[];
  }
}
