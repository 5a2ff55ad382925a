import type { UserRole } from '@gatehouse/contract';
import type { Db, Document } from 'mongodb';
import type { OrgUserDocument, TenantUserDocument, UserDocument } from './documents.js';
import { containing, orNotFound, RecordStore, type Found, type Page } from './recordStore.js';

/** Which people a list holds. */
export interface UserFilter {
  /** A folded text that the name or the e-mail contains. */
  searchFolded?: string | undefined;
  isActive?: boolean | undefined;
  /** The only tenant that the caller may see; null for all. Org users have none. */
  withinTenantKey?: string | null | undefined;
  tenantId?: string | undefined;
}

/** Org users or tenant users. */
abstract class UserStore<T extends UserDocument> extends RecordStore<T> {
  find(organizationId: string, id: string): Promise<T | null> {
    return this.findLive(organizationId, { id });
  }

  async get(organizationId: string, id: string): Promise<T> {
    return orNotFound(await this.find(organizationId, id));
  }

  /** The people with these ids, in no particular order. */
  listByIds(organizationId: string, ids: readonly string[]): Promise<T[]> {
    return this.listLive(organizationId, { id: { $in: ids } });
  }

  /** One page by name, and the count of all that match. With a limit of 0 it only counts. */
  page(organizationId: string, filter: UserFilter, page: Page): Promise<Found<T>> {
    const { searchFolded, isActive, withinTenantKey, tenantId } = filter;
    const condition = {
      ...(searchFolded === undefined ? {} : { searchTexts: containing(searchFolded) }),
      ...(isActive === undefined ? {} : { isActive }),
      ...(typeof withinTenantKey === 'string' ? { tenantKey: withinTenantKey } : {}),
      ...(tenantId === undefined ? {} : { tenantId }),
    };
    return this.pageLive(organizationId, condition, page);
  }

  /** Up to `limit` active people by id, after an id, that meet a condition. */
  protected async listActiveAfter(
    organizationId: string,
    condition: Document,
    { afterId, limit }: { afterId?: string | undefined; limit: number },
  ): Promise<T[]> {
    const filter = this.filterOf(organizationId, {
      isActive: true,
      id: { $gt: afterId ?? '' },
      ...condition,
    });
    const found = this.collection.find(filter, { projection: this.projection, sort: { id: 1 }, limit });
    return (await found.toArray()) as T[];
  }
}

/** Which people subjects of shares reach, and which page of them. */
export interface Reached {
  keys: readonly string[];
  afterId?: string | undefined;
  limit: number;
}

export class OrgUserStore extends UserStore<OrgUserDocument> {
  constructor(database: Db) {
    super(database, 'orgUsers');
  }

  /** The active org users that the selectors reach, by id. */
  listReached(
    organizationId: string,
    reached: Reached & { reachesAll: boolean },
  ): Promise<OrgUserDocument[]> {
    const condition = reached.reachesAll ? {} : { _id: { $in: reached.keys } };
    return this.listActiveAfter(organizationId, condition, reached);
  }

  /**
   * Makes sure that an active ADMIN other than this one exists, and that none who is about to stop being one does so
   * without looking again. Null when there is none.
   */
  async touchOtherAdmin(organizationId: string, key: string): Promise<OrgUserDocument | null> {
    const filter = this.filterOf(organizationId, {
      _id: { $ne: key },
      role: 'ADMIN' satisfies UserRole,
      isActive: true,
    });
    const { projection } = this;
    return this.collection.findOneAndUpdate(
      filter,
      { $inc: { revision: 1 } },
      { projection, sort: { _id: 1 } },
    );
  }
}

export class TenantUserStore extends UserStore<TenantUserDocument> {
  constructor(database: Db) {
    super(database, 'tenantUsers');
  }

  findByEmail(
    organizationId: string,
    tenantKey: string,
    emailFolded: string,
  ): Promise<TenantUserDocument | null> {
    return this.findLive(organizationId, { tenantKey, emailFolded });
  }

  async hasAnyIn(organizationId: string, tenantKey: string): Promise<boolean> {
    return (await this.findLive(organizationId, { tenantKey })) !== null;
  }

  /** All users of a tenant. */
  listOf(organizationId: string, tenantKey: string): Promise<TenantUserDocument[]> {
    return this.listLive(organizationId, { tenantKey });
  }

  /** The active tenant users that the selectors reach, by id; `withinTenantKey` leaves that tenant's only. */
  listReached(
    organizationId: string,
    reached: Reached & {
      reachesAll: boolean;
      tenantKeys: readonly string[];
      withinTenantKey?: string | undefined;
    },
  ): Promise<TenantUserDocument[]> {
    const { keys, tenantKeys, withinTenantKey } = reached;
    const condition = {
      ...(reached.reachesAll ? {} : { $or: [{ _id: { $in: keys } }, { tenantKey: { $in: tenantKeys } }] }),
      ...(withinTenantKey === undefined ? {} : { tenantKey: withinTenantKey }),
    };
    return this.listActiveAfter(organizationId, condition, reached);
  }
}
