import {
  countStored,
  fieldBytes,
  orNotFound,
  PlatformCollection,
  Quota,
  recordBytes,
  ScopedCollection,
  usageIndex,
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

/** The parts to read of several catalogs, by their keys. */
export interface WantedCatalogs {
  keys: readonly string[];
  /** Those whose catalog is read. */
  wholeKeys: readonly string[];
  /** Those whose changes are always read; those of the others are read only when they hold renames. */
  changedKeys: readonly string[];
}

export type CatalogPart = Pick<CatalogDocument, '_id' | 'connectionId' | 'version'> & {
  catalog?: string;
  changes?: string | null;
};

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
   * JSON text of a catalog. Throws NOT_FOUND when its connection was deleted, or has dropped this version.
   */
  async getText(projectId: string, key: string): Promise<string> {
    const options = { projection: { catalog: 1 } };
    const found = await this.#catalogs.findOne<CatalogDocument>(projectId, { _id: key }, options);
    return orNotFound(found).catalog;
  }

  /** Parts of several catalogs in one query, oldest version first. */
  async listParts(
    projectId: string,
    { keys, wholeKeys, changedKeys }: WantedCatalogs,
  ): Promise<CatalogPart[]> {
    if (keys.length === 0) return [];
    const among = (list: readonly string[]) => ({ $in: ['$_id', list] });
    const only = (condition: object, field: string) => ({ $cond: [condition, field, '$$REMOVE'] });
    const changesWanted = { $or: ['$hasRenames', among(changedKeys)] };
    const parts = {
      connectionId: 1,
      version: 1,
      catalog: only(among(wholeKeys), '$catalog'),
      changes: only(changesWanted, '$changes'),
    };
    return this.#catalogs.aggregate<CatalogPart>(
      projectId,
      { _id: { $in: keys } },
      { stages: [{ $sort: { connectionId: 1, version: 1 } }, { $project: parts }] },
    );
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
