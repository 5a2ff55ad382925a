import type { LimitsOf } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import { RECORD_INDEXES, ProjectRecordStore, type RecordDocument } from '../records/store.js';

export interface DataModelDocument extends RecordDocument {
  description: string;
  connectionId: string;
  /** JSON text of a ModelTemplate. Lists leave it out: it may be long. */
  template?: string;
}
/** A data model read with its template. */
export type WholeDataModel = DataModelDocument & { template: string };

export const DATA_MODEL_INDEXES: readonly IndexDescription[] = [
  ...RECORD_INDEXES,
  { name: 'byConnection', key: { projectId: 1, connectionId: 1 } },
];

export class DataModelStore extends ProjectRecordStore<WholeDataModel, DataModelDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, { collection: 'datamodels', quota: 'data models', longFields: ['template'] });
  }

  /** All data models of the project with their templates, by name. */
  scanWhole(projectId: string): AsyncGenerator<WholeDataModel> {
    return this.scanByName(projectId, {}, this.projection);
  }

  /** The data models with these ids with their templates, by name. */
  scanWholeByIds(projectId: string, ids: readonly string[]): AsyncGenerator<WholeDataModel> {
    return this.scanByName(projectId, { _id: { $in: ids } }, this.projection);
  }

  /** Up to `limit` data models of a connection. */
  async listByConnection(
    projectId: string,
    connectionId: string,
    limit: number,
  ): Promise<DataModelDocument[]> {
    return this.findMany(projectId, { connectionId }, { projection: this.listProjection, limit });
  }
}
