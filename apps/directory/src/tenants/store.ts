import { containing, type LimitsOf, orNotFound, type Page, type ReadLimits } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { TenantDocument } from '../records/documents.js';
import { tenantTerms, TERM_SOURCES } from '../records/terms.js';
import type { Found } from '../records/totals.js';
import { ListedStore } from '../records/store/listedStore.js';

/** Selects the tenants of a list. */
interface TenantFilter {
  /** A folded text that the name contains. */
  searchFolded?: string | undefined;
  /** The only ids; undefined for all. */
  ids?: readonly string[] | undefined;
  /** The only tenant that the caller may see; null for all. */
  key: string | null;
}

export class TenantStore extends ListedStore<TenantDocument> {
  constructor(database: Db, limitsOf: LimitsOf, readLimits?: ReadLimits) {
    const kind = {
      collection: 'tenants',
      quota: 'tenants',
      sources: TERM_SOURCES.tenant,
      termsOf: tenantTerms,
      readLimits,
    } as const;
    super(database, limitsOf, kind);
  }

  find(organizationId: string, id: string): Promise<TenantDocument | null> {
    return this.findOne(organizationId, { id });
  }

  async get(organizationId: string, id: string): Promise<TenantDocument> {
    return orNotFound(await this.find(organizationId, id));
  }

  findByName(organizationId: string, name: string): Promise<TenantDocument | null> {
    return this.findOne(organizationId, { name });
  }

  /** The tenants with these ids, in no particular order. */
  listByIds(organizationId: string, ids: readonly string[]): Promise<TenantDocument[]> {
    return this.findMany(organizationId, { id: { $in: ids } });
  }

  /** One page of tenants by name. A `key` limits it to that tenant. */
  page(
    organizationId: string,
    { searchFolded, ids, key }: TenantFilter,
    page: Page,
  ): Promise<Found<TenantDocument>> {
    const condition = {
      ...(key === null ? {} : { _id: key }),
      ...(ids === undefined ? {} : { id: { $in: ids } }),
    };
    const hint = key !== null ? '_id_' : ids !== undefined ? 'id' : 'byName';
    const conditions = searchFolded === undefined ? {} : { nameFolded: containing(searchFolded) };
    const terms = { fields: {}, search: searchFolded };
    return this.findListed(organizationId, { part: { condition, hint }, conditions, terms }, page);
  }

  /**
   * Touches a tenant before one of its users is deleted, so that a concurrent update that makes the user the
   * default owner has to read the tenant again. Returns null when the user is the default owner or the tenant
   * does not exist.
   */
  touchUnlessOwnedBy(organizationId: string, key: string, userKey: string): Promise<TenantDocument | null> {
    return this.touch(organizationId, key, { 'defaultOwner.key': { $ne: userKey } });
  }
}
