import type { Db, Document } from 'mongodb';
import type { DomainDocument, WholeDomain } from './documents.js';
import { orNotFound, RecordStore } from './recordStore.js';

export class DomainStore extends RecordStore<DomainDocument> {
  protected override readonly projection: Document = { outbox: 0, template: 0 };

  constructor(database: Db) {
    super(database, 'domains');
  }

  /** Throws NOT_FOUND. */
  async getWhole(projectId: string, id: string): Promise<WholeDomain> {
    return orNotFound(await this.findLive(projectId, { _id: id }, { outbox: 0 })) as WholeDomain;
  }

  /** All domains of the project with their templates, by name. */
  async listWhole(projectId: string): Promise<WholeDomain[]> {
    return (await this.listLive(projectId, {}, { outbox: 0 })) as WholeDomain[];
  }

  /** The domains that have one of the entries as their name or id. */
  listNamed(projectId: string, entries: readonly string[]): Promise<DomainDocument[]> {
    return this.listLive(projectId, { $or: [{ _id: { $in: entries } }, { name: { $in: entries } }] });
  }

  /** Up to `limit` domains whose datasets name a connection. */
  async listByConnection(projectId: string, connectionId: string, limit: number): Promise<DomainDocument[]> {
    const { projection } = this;
    const filter = this.filterOf(projectId, { connectionIds: connectionId });
    return this.collection.find(filter, { projection, limit }).toArray();
  }
}
