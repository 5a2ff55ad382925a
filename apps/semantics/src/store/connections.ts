import type { CloudEvent } from '@gatehouse/contract';
import type { Db, UpdateFilter } from 'mongodb';
import type { CatalogEntry, ConnectionDocument } from './documents.js';
import { RecordStore, type Current, type Written } from './recordStore.js';

export class ConnectionStore extends RecordStore<ConnectionDocument> {
  constructor(database: Db) {
    super(database, 'connections');
  }

  /** The connections with these ids, by name. */
  listByIds(projectId: string, ids: readonly string[]): Promise<ConnectionDocument[]> {
    return this.listLive(projectId, { _id: { $in: ids } }, this.listProjection);
  }

  /**
   * Counts a write of each connection without changing it, so that whoever is about to delete one on the strength of an
   * earlier reading has to look again. False when one of them is not there.
   */
  async touchAll(projectId: string, ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const update = { $inc: { revision: 1 } } as unknown as UpdateFilter<ConnectionDocument>;
    const { matchedCount } = await this.collection.updateMany(
      this.filterOf(projectId, { _id: { $in: ids } }),
      update,
    );
    return matchedCount === ids.length;
  }

  /** Moves a connection as it was read on to a new version of its catalog; null when it has changed since. */
  moveCatalog(
    projectId: string,
    current: Current,
    { catalogs, events, now }: Written & { catalogs: CatalogEntry[] },
  ): Promise<ConnectionDocument | null> {
    const set = { catalogs, catalogReadAt: now };
    return this.update(projectId, current, { set, events, now });
  }

  /** Notes that the catalog was read and is the same. That is no new version of the record. */
  noteCatalogRead(projectId: string, current: Current, now: Date): Promise<ConnectionDocument | null> {
    const events: CloudEvent[] = [];
    return this.write(projectId, current, { update: { $set: { catalogReadAt: now } }, events });
  }

  /** The keys of the catalogs that connections list, of any project: for the sweep of those that none lists. */
  async listCatalogKeys(connectionIds: readonly string[]): Promise<Set<string>> {
    const filter = { _id: { $in: connectionIds }, nameFolded: { $gte: '' } };
    const found = await this.collection.find(filter, { projection: { 'catalogs.key': 1 } }).toArray();
    return new Set(found.flatMap(({ catalogs }) => catalogs.map(({ key }) => key)));
  }
}
