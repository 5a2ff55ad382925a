import { RecordStore, type Draft, type LimitsOf, type RecordKind, type Written } from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { Identified, RecordDocument } from '../documents.js';

/** The condition that tombstones do not meet. Indexes on the name serve lists and their counts. */
export const LIVE: Document = { nameFolded: { $gte: '' } };

/** The records of one collection, each in an organization. Their sizes do not count: none is large. */
export abstract class OrganizationRecordStore<T extends RecordDocument> extends RecordStore<
  T,
  'organizationId'
> {
  constructor(
    database: Db,
    limitsOf: LimitsOf,
    kind: Pick<RecordKind<T, 'organizationId'>, 'collection' | 'quota' | 'omitted'>,
  ) {
    super(database, limitsOf, { ...kind, scope: 'organizationId', live: LIVE });
  }

  /** Inserts a record, with its public id folded. See {@link RecordStore.insert}. */
  override insert(organizationId: string, draft: Draft<T, 'organizationId'>, written: Written): Promise<T> {
    const folded = 'id' in draft ? { idFolded: String(draft.id).toLowerCase() } : {};
    return super.insert(organizationId, { ...draft, ...folded }, written);
  }

  /**
   * The record that an earlier run of the same operation inserted. People and tenants never have a key again,
   * not even by the same operation, so that they are found by their public id.
   */
  protected override findEarlier(organizationId: string, document: T): Promise<T | null> {
    const { id, creation } = document as Partial<Identified>;
    if (creation === undefined) return super.findEarlier(organizationId, document);
    return this.findOne(organizationId, { id, creation });
  }

  /**
   * Increments the revision of a live record, so that a concurrent operation must read it again.
   * Returns the record, or null if it does not meet the condition.
   */
  touch(organizationId: string, key: string, condition: Document = {}): Promise<T | null> {
    return this.touchOne(organizationId, { _id: key, ...condition });
  }
}
