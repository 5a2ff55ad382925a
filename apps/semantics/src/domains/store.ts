import { orNotFound, type LimitsOf } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import { RECORD_INDEXES, ProjectRecordStore, type RecordDocument } from '../records/store.js';

export interface DomainDocument extends RecordDocument {
  label: string;
  description: string;
  /** JSON text of a ModelTemplate. Reads leave it out unless they are named for it: it may be long. */
  template?: string;
  /** The connections that the template's datasets name. */
  connectionIds: string[];
}
/** A domain read with its template. */
export type WholeDomain = DomainDocument & { template: string };

export const DOMAIN_INDEXES: readonly IndexDescription[] = [
  ...RECORD_INDEXES,
  { name: 'byConnection', key: { projectId: 1, connectionIds: 1 } },
];

export class DomainStore extends ProjectRecordStore<DomainDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, {
      collection: 'domains',
      quota: 'domains',
      longFields: ['template'],
      omitted: ['template'],
    });
  }

  /** Throws NOT_FOUND. */
  async getWhole(projectId: string, id: string): Promise<WholeDomain> {
    return orNotFound(await this.findOne(projectId, { _id: id }, { outbox: 0 })) as WholeDomain;
  }

  /** All domains of the project with their templates, by name. */
  async listWhole(projectId: string): Promise<WholeDomain[]> {
    return (await this.listByName(projectId, {}, { outbox: 0 })) as WholeDomain[];
  }

  /** The domains that have one of the entries as their name or id. */
  listNamed(projectId: string, entries: readonly string[]): Promise<DomainDocument[]> {
    return this.listByName(projectId, { $or: [{ _id: { $in: entries } }, { name: { $in: entries } }] });
  }

  /** Up to `limit` domains whose datasets name a connection. */
  async listByConnection(projectId: string, connectionId: string, limit: number): Promise<DomainDocument[]> {
    return this.findMany(projectId, { connectionIds: connectionId }, { limit });
  }
}
