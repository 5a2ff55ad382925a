import {
  countStored,
  fieldBytes,
  PlatformCollection,
  Quota,
  recordBytes,
  ScopedCollection,
  usageIndex,
  WriteConflict,
  type LimitsOf,
  type Sized,
} from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';

/** One version of a connection's catalog. Written once, before its connection lists it, and never changed. */
export interface CatalogDocument extends Sized {
  _id: string;
  /** Absent on documents of an earlier version of the platform. */
  organizationId?: string;
  projectId: string;
  connectionId: string;
  version: number;
  /** JSON text of a Catalog. */
  catalog: string;
  /** JSON text of the changes since the version before; null when it is too large to be kept. */
  changes: string | null;
  /** Whether tables or columns were renamed. */
  hasRenames: boolean;
  readAt: Date;
}

export const CATALOG_INDEXES: readonly IndexDescription[] = [usageIndex()];

/** The parts to read of several catalogs, by their keys, which may repeat. */
export interface WantedCatalogs {
  /** Those whose catalog is read. */
  wholeKeys: readonly string[];
  /** Those whose changes are read. */
  changesKeys: readonly string[];
}

export type CatalogPart = Pick<CatalogDocument, '_id'> & { catalog?: string; changes?: string | null };

/** What is known of the changes in a catalog without reading them. */
export type ChangesSize = Pick<CatalogDocument, '_id' | 'hasRenames'> & { bytes: number };

/** All kept versions of all catalogs. */
export class CatalogStore {
  readonly #catalogs: ScopedCollection<CatalogDocument>;
  /** For the sweep of unused catalogs. */
  readonly #platform: PlatformCollection<CatalogDocument>;
  readonly #quota: Quota;

  constructor(database: Db, limitsOf: LimitsOf) {
    const collection = 'catalogs';
    this.#catalogs = new ScopedCollection<CatalogDocument>(database, { collection, scope: 'projectId' });
    this.#platform = new PlatformCollection<CatalogDocument>(database, collection);
    const ofOrganization = new ScopedCollection<CatalogDocument>(database, {
      collection,
      scope: 'organizationId',
    });
    this.#quota = new Quota({
      name: 'catalogs',
      limits: limitsOf('catalogs'),
      count: (scope) => countStored(ofOrganization, scope),
    });
  }

  /** Throws QUOTA_EXCEEDED. */
  async insert(
    projectId: string,
    draft: Omit<CatalogDocument, 'projectId' | 'quotaBytes'> & { organizationId: string },
  ): Promise<void> {
    const quotaBytes = recordBytes(fieldBytes(draft.catalog), fieldBytes(draft.changes));
    await this.#quota.change(draft, { records: 1, bytes: quotaBytes }, () =>
      this.#catalogs.insertOne(projectId, { ...draft, projectId, quotaBytes }),
    );
  }

  /**
   * JSON text of a catalog that its connection lists. Throws WriteConflict if the connection was deleted, or
   * has dropped this version, since it was read.
   */
  async getText(projectId: string, key: string): Promise<string> {
    const options = { projection: { catalog: 1 } };
    const found = await this.#catalogs.findOne<CatalogDocument>(projectId, { _id: key }, options);
    if (found === null) throw new WriteConflict();
    return found.catalog;
  }

  /** The sizes of the changes of several catalogs, by key. */
  async listChangeSizes(projectId: string, keys: readonly string[]): Promise<Map<string, ChangesSize>> {
    if (keys.length === 0) return new Map();
    const size = { hasRenames: 1, bytes: { $strLenBytes: { $ifNull: ['$changes', ''] } } };
    const stages = [{ $project: size }];
    const sizes = await this.#catalogs.aggregate<ChangesSize>(projectId, { _id: { $in: keys } }, { stages });
    return new Map(sizes.map((each) => [each._id, each]));
  }

  /** Parts of several catalogs in one query, in no order. */
  async listParts(projectId: string, { wholeKeys, changesKeys }: WantedCatalogs): Promise<CatalogPart[]> {
    const keys = [...new Set([...wholeKeys, ...changesKeys])];
    if (keys.length === 0) return [];
    const ifAmong = (list: readonly string[], field: string) => ({
      $cond: [{ $in: ['$_id', list] }, field, '$$REMOVE'],
    });
    const parts = { catalog: ifAmong(wholeKeys, '$catalog'), changes: ifAmong(changesKeys, '$changes') };
    const stages = [{ $project: parts }];
    return this.#catalogs.aggregate<CatalogPart>(projectId, { _id: { $in: keys } }, { stages });
  }

  /** Deletes catalogs. Their quota is available immediately. */
  async delete(projectId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const named = { _id: { $in: keys } };
    const projection = { organizationId: 1, quotaBytes: 1 };
    const found = await this.#catalogs.find<Pick<CatalogDocument, 'organizationId' | 'quotaBytes'>>(
      projectId,
      named,
      { projection },
    );
    const count = await this.#catalogs.deleteMany(projectId, named);
    // If another call deletes some of them, which ones is unknown, and the next count finds out.
    if (count !== found.length) return;
    for (const { organizationId, quotaBytes = 0 } of found)
      if (organizationId !== undefined)
        this.#quota.release({ organizationId }, { records: 1, bytes: quotaBytes });
  }

  /**
   * Up to `limit` catalogs after a key, by key, across projects: for the sweep of those that no connection
   * lists.
   */
  listAfter(
    key: string,
    limit: number,
  ): Promise<Pick<CatalogDocument, '_id' | 'projectId' | 'connectionId' | 'readAt'>[]> {
    const projection = { projectId: 1, connectionId: 1, readAt: 1 };
    return this.#platform.find({ _id: { $gt: key } }, { projection, sort: { _id: 1 }, limit });
  }
}
