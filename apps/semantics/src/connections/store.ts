import type { CloudEvent, ConnectionSummary } from '@gatehouse/contract';
import type { Current, Draft, LimitsOf, Written } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { CatalogEntry } from '../catalogs/logic/entry.js';
import { ProjectRecordStore, type RecordDocument } from '../records/store.js';
import type { StoredConfig } from './logic/config.js';

interface ConnectionFields extends RecordDocument {
  /** The password, sealed for this connection; null when there is none. */
  sealedPassword: string | null;
  rowBarrier: boolean;
  unassignedActors: ConnectionSummary['unassignedActors'];
  /** The kept versions, oldest first. A catalog document that is not listed here is unused. */
  catalogs: CatalogEntry[];
  /** When the catalog was last read, changed or not. */
  catalogReadAt: Date | null;
  /** Absent on static connections, and on catalogs that an earlier version of the platform read. */
  catalogReadDurationMs?: number;
}

/** When a catalog was read, and how long that took; a given one has no duration. */
export interface CatalogReading {
  now: Date;
  durationMs?: number | undefined;
}

export type ConnectionDocument = ConnectionFields & StoredConfig;
export type ConnectionDraft = Draft<ConnectionDocument, 'projectId'>;

function readingFields({ now, durationMs }: CatalogReading) {
  return { catalogReadAt: now, ...(durationMs !== undefined && { catalogReadDurationMs: durationMs }) };
}

export class ConnectionStore extends ProjectRecordStore<ConnectionDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, { collection: 'connections', quota: 'connections' });
  }

  /** The connections with these ids, by name. */
  listByIds(projectId: string, ids: readonly string[]): Promise<ConnectionDocument[]> {
    return this.listByName(projectId, { _id: { $in: ids } }, this.listProjection);
  }

  /**
   * Makes a connection, as it was read, list a new version of its catalog. Throws WriteConflict when it has
   * changed since.
   */
  moveCatalog(
    projectId: string,
    current: Current,
    { catalogs, events, now, durationMs }: Written & CatalogReading & { catalogs: CatalogEntry[] },
  ): Promise<ConnectionDocument> {
    const set = { catalogs, ...readingFields({ now, durationMs }) };
    return this.update(projectId, current, { set, events, now });
  }

  /**
   * Records that the catalog was read and is unchanged. The version of the record stays. Throws WriteConflict
   * when the record has changed since it was read.
   */
  noteCatalogRead(projectId: string, current: Current, reading: CatalogReading): Promise<ConnectionDocument> {
    const events: CloudEvent[] = [];
    return this.write(projectId, current, { update: { $set: readingFields(reading) }, events });
  }

  /**
   * The keys of the catalogs that these connections of these projects list: for the sweep of those that none
   * lists.
   */
  async listCatalogKeys({
    projectIds,
    connectionIds,
  }: Record<'projectIds' | 'connectionIds', readonly string[]>): Promise<Set<string>> {
    const condition = { _id: { $in: connectionIds }, projectId: { $in: projectIds } };
    const found = await this.readUnscoped(condition, { projection: { 'catalogs.key': 1 } });
    return new Set(found.flatMap(({ catalogs }) => catalogs.map(({ key }) => key)));
  }
}
