import { RecordStore, type LimitsOf, type RecordKind } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { RecordDocument } from './documents.js';

/** The records of one collection, each in a project. */
export abstract class ProjectRecordStore<T extends RecordDocument> extends RecordStore<T, 'projectId'> {
  constructor(
    database: Db,
    limitsOf: LimitsOf,
    kind: Pick<RecordKind<T, 'projectId'>, 'collection' | 'quota' | 'longFields'>,
  ) {
    super(database, limitsOf, { ...kind, scope: 'projectId', live: { version: { $gte: 1 } } });
  }

  find(projectId: string, id: string): Promise<T | null> {
    return this.findByKey(projectId, id);
  }

  /** Throws NOT_FOUND. */
  get(projectId: string, id: string): Promise<T> {
    return this.getByKey(projectId, id);
  }

  listByIds(projectId: string, ids: readonly string[]): Promise<T[]> {
    return this.listByKeys(projectId, ids);
  }

  /**
   * Increments the revision of a record, so that a concurrent operation that has read it must read it again.
   * Returns false if the record does not exist.
   */
  async touch(projectId: string, id: string): Promise<boolean> {
    return (await this.touchOne(projectId, { _id: id }, { projection: { _id: 1 } })) !== null;
  }
}
