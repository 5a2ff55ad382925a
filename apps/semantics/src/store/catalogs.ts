import type { Collection, Db } from 'mongodb';
import type { CatalogDocument } from './documents.js';
import { orNotFound } from './recordStore.js';

/** What of several catalogs is wanted, by their keys. */
export interface WantedCatalogs {
  keys: readonly string[];
  /** Those whose catalog is read. */
  wholeKeys: readonly string[];
  /** Those whose changes are read, whatever they are; of the others only when they hold renames. */
  changedKeys: readonly string[];
}

export type CatalogPart = Pick<CatalogDocument, '_id' | 'connectionId' | 'version'> & {
  catalog?: string;
  changes?: string | null;
};

/** Every version of every catalog that is kept. */
export class CatalogStore {
  readonly #collection: Collection<CatalogDocument>;

  constructor(database: Db) {
    this.#collection = database.collection<CatalogDocument>('catalogs');
  }

  async insert(projectId: string, draft: Omit<CatalogDocument, 'projectId'>): Promise<void> {
    await this.#collection.insertOne({ ...draft, projectId });
  }

  /** JSON text of a catalog. Throws NOT_FOUND: a connection that listed it was deleted since, or went on. */
  async getText(projectId: string, key: string): Promise<string> {
    const found = await this.#collection.findOne({ _id: key, projectId }, { projection: { catalog: 1 } });
    return orNotFound(found).catalog;
  }

  /** Parts of several catalogs in one reading, oldest version first. */
  async listParts(
    projectId: string,
    { keys, wholeKeys, changedKeys }: WantedCatalogs,
  ): Promise<CatalogPart[]> {
    if (keys.length === 0) return [];
    const among = (list: readonly string[]) => ({ $in: ['$_id', list] });
    const only = (condition: object, field: string) => ({ $cond: [condition, field, '$$REMOVE'] });
    const changesWanted = { $or: ['$hasRenames', among(changedKeys)] };
    return this.#collection
      .aggregate<CatalogPart>([
        { $match: { _id: { $in: keys }, projectId } },
        { $sort: { connectionId: 1, version: 1 } },
        {
          $project: {
            connectionId: 1,
            version: 1,
            catalog: only(among(wholeKeys), '$catalog'),
            changes: only(changesWanted, '$changes'),
          },
        },
      ])
      .toArray();
  }

  async delete(projectId: string, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#collection.deleteMany({ _id: { $in: keys }, projectId });
  }

  /** Up to `limit` catalogs of any project after a key, by key: for the sweep of those that no connection lists. */
  async listAfter(
    key: string,
    limit: number,
  ): Promise<Pick<CatalogDocument, '_id' | 'projectId' | 'connectionId' | 'readAt'>[]> {
    const projection = { projectId: 1, connectionId: 1, readAt: 1 };
    return this.#collection.find({ _id: { $gt: key } }, { projection, sort: { _id: 1 }, limit }).toArray();
  }
}
