import type { Db } from 'mongodb';
import type { TenantDocument } from './documents.js';
import { containing, orNotFound, RecordStore, type Found, type Page } from './recordStore.js';

export class TenantStore extends RecordStore<TenantDocument> {
  constructor(database: Db) {
    super(database, 'tenants');
  }

  find(organizationId: string, id: string): Promise<TenantDocument | null> {
    return this.findLive(organizationId, { id });
  }

  async get(organizationId: string, id: string): Promise<TenantDocument> {
    return orNotFound(await this.find(organizationId, id));
  }

  findByName(organizationId: string, name: string): Promise<TenantDocument | null> {
    return this.findLive(organizationId, { name });
  }

  /** The tenants with these ids, in no particular order. */
  listByIds(organizationId: string, ids: readonly string[]): Promise<TenantDocument[]> {
    return this.listLive(organizationId, { id: { $in: ids } });
  }

  /** One page by name. `key` leaves that tenant only. */
  page(
    organizationId: string,
    { searchFolded, key }: { searchFolded?: string | undefined; key: string | null },
    page: Page,
  ): Promise<Found<TenantDocument>> {
    const condition = {
      ...(key === null ? {} : { _id: key }),
      ...(searchFolded === undefined ? {} : { nameFolded: containing(searchFolded) }),
    };
    return this.pageLive(organizationId, condition, page);
  }

  /**
   * Makes sure that a person about to be deleted is not the tenant's default owner and does not become it meanwhile.
   * Null when it is, or when there is no such tenant.
   */
  touchUnlessOwnedBy(organizationId: string, key: string, userKey: string): Promise<TenantDocument | null> {
    return this.touch(organizationId, key, { 'defaultOwner.key': { $ne: userKey } });
  }
}
